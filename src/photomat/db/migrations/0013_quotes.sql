-- What the price of a job was made of, and what Kie took for it.
--
-- `quote` is frozen when the job is bought; NULL on jobs of older programs. `credits_consumed` is what Kie says it took, `cost` the
-- same in minor units at the rate of the quote; both are recorded when the job is settled.
ALTER TABLE generation_jobs
    ADD COLUMN quote            jsonb,
    ADD COLUMN credits_consumed numeric CONSTRAINT generation_jobs_credits_not_negative CHECK (credits_consumed >= 0),
    ADD COLUMN cost             bigint  CONSTRAINT generation_jobs_cost_not_negative CHECK (cost >= 0);
