-- Templates that operators add (`definition`) or hide; those that are shipped with the program have no definition here.
CREATE TABLE templates (
    template_id text        NOT NULL CONSTRAINT templates_pkey PRIMARY KEY,
    definition  jsonb,
    hidden      boolean     NOT NULL DEFAULT false,
    changed_at  timestamptz NOT NULL DEFAULT photomat_now()
);

-- What shows a template or lets a voice be heard: made once at Kie on the operator's word, or drawn by the sandbox. The row exists
-- before its request leaves, so an example whose request got no answer (`asked` without a task) is never asked for again by itself.
CREATE TABLE examples (
    subject    text        NOT NULL CONSTRAINT examples_pkey PRIMARY KEY,
    state      text        NOT NULL CONSTRAINT examples_state_known CHECK (state IN ('asked', 'running', 'done', 'failed')),
    model      text        NOT NULL,
    task_id    text,
    file       text,
    media      text        CONSTRAINT examples_media_known CHECK (media IN ('image', 'video', 'audio')),
    file_id    text,
    drawn      boolean     NOT NULL DEFAULT false,
    problem    text,
    changed_at timestamptz NOT NULL DEFAULT photomat_now(),
    CONSTRAINT examples_running_has_task CHECK (state <> 'running' OR task_id IS NOT NULL),
    CONSTRAINT examples_done_has_file CHECK ((state = 'done') = (file IS NOT NULL AND media IS NOT NULL))
);
