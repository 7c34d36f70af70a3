"""What may be deleted of the files customers brought: those in no open draft and no job under way.

An order made of them can be made again until then; after that its files are asked for anew (`facts.gone`).
"""

from typing import Final

from photomat.work.retention import OldRows

UNUSED: Final = OldRows(
    table="input_files",
    age="taken_at",
    only="""
        NOT EXISTS (SELECT FROM drafts
                     WHERE drafts.user_id = old.user_id AND expires_at > photomat_now()
                       AND canceled_at IS NULL AND bought_at IS NULL
                       AND jsonb_path_exists(inputs, '$.**.file ? (@ == $id)', jsonb_build_object('id', old.file_id)))
        AND NOT EXISTS (SELECT FROM generation_jobs AS job
                         WHERE job.user_id = old.user_id AND settled_at IS NULL
                           AND jsonb_path_exists(coalesce(request, inputs), '$.**.file ? (@ == $id)',
                                                 jsonb_build_object('id', old.file_id)))
    """,
)
