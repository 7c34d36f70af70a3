-- One mark for everything operators set about what is sold: prices, settings of models, pauses. Each statement that changes one of
-- these tables replaces it in its own transaction, so an instance may keep what it has read for as long as it finds the same mark.
-- It is random and not a counter: a database that was restored or failed over never shows an old mark with other rows.
CREATE TABLE assortment_version (
    only_row boolean NOT NULL DEFAULT true,
    version  uuid    NOT NULL DEFAULT gen_random_uuid(),
    CONSTRAINT assortment_version_pkey PRIMARY KEY (only_row),
    CONSTRAINT assortment_version_has_one_row CHECK (only_row)
);

INSERT INTO assortment_version DEFAULT VALUES;

CREATE FUNCTION photomat_change_assortment() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE assortment_version SET version = gen_random_uuid();
    RETURN NULL;
END
$$;

CREATE TRIGGER model_prices_change_assortment AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON model_prices
    FOR EACH STATEMENT EXECUTE FUNCTION photomat_change_assortment();
CREATE TRIGGER model_settings_change_assortment AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON model_settings
    FOR EACH STATEMENT EXECUTE FUNCTION photomat_change_assortment();
CREATE TRIGGER controls_change_assortment AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON controls
    FOR EACH STATEMENT EXECUTE FUNCTION photomat_change_assortment();
