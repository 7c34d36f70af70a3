-- A file that a model does not take as it is (HEIC, Ogg) goes to Kie converted. Kie's copy of it is remembered beside the copy
-- of the original, which another model may take. Its size is kept because the next model may allow less.
ALTER TABLE input_files
    ADD COLUMN converted_format text,
    ADD COLUMN converted_url text,
    ADD COLUMN converted_at timestamptz,
    ADD COLUMN converted_bytes bigint CHECK (converted_bytes > 0),
    ADD CONSTRAINT input_files_converted
        CHECK ((converted_format IS NULL) = (converted_url IS NULL) AND (converted_url IS NULL) = (converted_at IS NULL)
               AND (converted_at IS NULL) = (converted_bytes IS NULL));
