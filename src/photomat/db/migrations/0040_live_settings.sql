-- What the operator changed on the settings page or by `photomat settings`: at most one value a setting. A setting given by the
-- environment is not read from here. Earlier values are in the operators' journal.
CREATE TABLE setting_values (
    name text CONSTRAINT setting_values_pkey PRIMARY KEY
        CONSTRAINT setting_values_named CHECK (name ~ '^[A-Z][A-Z0-9_]{1,63}$'),
    value text NOT NULL CONSTRAINT setting_values_bounded CHECK (length(value) <= 4000),
    changed_at timestamptz NOT NULL DEFAULT photomat_now(),
    operator text NOT NULL
);
