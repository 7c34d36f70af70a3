-- photomat_now() stands several times in nearly every statement, and in a claim it is asked for each row. As long as it read
-- the shift from a table, PostgreSQL could not inline it: half of the time of an order went into these calls. Now it is the
-- instant at which the statement arrived, and a test that moves the shift replaces the function by one that adds it.
--
-- A statement that waited for a lock sees the instant before its wait: nothing has expired for it that is not expired, and
-- what it makes due is due at once. Where an instant must not be too early, because a vendor counts from it, it is
-- photomat_clock(), the instant of the call.

CREATE FUNCTION photomat_clock() RETURNS timestamptz
    LANGUAGE sql VOLATILE PARALLEL SAFE
    RETURN clock_timestamp();

CREATE FUNCTION shift_the_clock() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    shifted text := CASE WHEN NEW.shift = interval '0' THEN '' ELSE format(' + %L::interval', NEW.shift) END;
BEGIN
    EXECUTE format('CREATE OR REPLACE FUNCTION %I.photomat_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE'
                   ' RETURN statement_timestamp()%s', TG_TABLE_SCHEMA, shifted);
    EXECUTE format('CREATE OR REPLACE FUNCTION %I.photomat_clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE'
                   ' RETURN clock_timestamp()%s', TG_TABLE_SCHEMA, shifted);
    RETURN NULL;
END
$$;

CREATE TRIGGER clock_shift_moves_the_clock AFTER UPDATE ON clock_shift
    FOR EACH ROW EXECUTE FUNCTION shift_the_clock();

UPDATE clock_shift SET shift = shift;
