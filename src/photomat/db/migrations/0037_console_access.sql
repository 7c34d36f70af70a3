-- Filled by the step that adds its tables.
SELECT 1;
