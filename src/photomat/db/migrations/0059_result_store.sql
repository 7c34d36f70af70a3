-- Not used yet.
SELECT 1;
