-- Stands in for another branch's migration.
SELECT 1;
