-- Only database time decides, so that no two instances ever compare their own clocks. Every instant in our SQL comes
-- from photomat_now(), and from nowhere else: a test moves the shift and a lease runs out without anybody waiting.
-- In production the shift stays zero.

CREATE TABLE clock_shift (
    only_row boolean  NOT NULL DEFAULT true,
    shift    interval NOT NULL DEFAULT '0',
    CONSTRAINT clock_shift_pkey PRIMARY KEY (only_row),
    CONSTRAINT clock_shift_has_one_row CHECK (only_row)
);

INSERT INTO clock_shift DEFAULT VALUES;

-- The time of the call, not of the transaction's begin: work that waited for a lock must not see the past. STABLE lets
-- an index answer "due before now" and the planner evaluate it once for each scan.
CREATE FUNCTION photomat_now() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN clock_timestamp() + (SELECT shift FROM clock_shift);
