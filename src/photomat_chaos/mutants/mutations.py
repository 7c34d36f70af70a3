"""The seeded mistakes: each takes away one thing the guarantees rest on, and names the tests that must notice."""

from typing import Final

from photomat_chaos.mutants.delivery import DELIVERY
from photomat_chaos.mutants.money import MONEY
from photomat_chaos.mutants.mutation import Mutation, SourceEdit, one_edit

LOOKS: Final = "tests/integration/test_look.py"
SUBMITS: Final = "tests/integration/test_submit.py"
SETTLES: Final = "tests/integration/test_settle.py"
SUBMIT_ORDER: Final = "tests/integration/test_submit_order.py"
CALLBACKS: Final = "tests/integration/test_web_callbacks.py"
BUDGETS: Final = "tests/integration/test_budget.py"
NO_FENCE: Final = "$2::bigint > 0"
UNKNOWN_CREATE: Final = (
    "except OutcomeUnknown as error: reason = str(error) await _until_stored(lambda: self._unknown(job, reason))"
)
NEVER_TRIED_AGAIN: Final = (
    "tests/integration/test_submit_answers.py::test_an_unknown_outcome_is_never_tried_again_and_keeps_the_hold"
)

JOBS: Final = (
    one_edit(
        "look-again-without-fence",
        "a worker that lost its claim sets when to poll again",
        SourceEdit(
            find="progress = greatest(progress, $6) WHERE job_id = $1 AND fence = $2",
            replace=f"progress = greatest(progress, $6) WHERE job_id = $1 AND {NO_FENCE}",
        ),
        f"{LOOKS}::test_every_write_of_a_zombie_look_is_refused_by_its_fence",
    ),
    one_edit(
        "put-back-without-fence",
        "a worker that lost its claim puts back what another has sent",
        SourceEdit(
            find="WHERE job_id = $1 AND fence = $2 AND status IN ('pending', 'submitting')",
            replace=f"WHERE job_id = $1 AND {NO_FENCE} AND status IN ('pending', 'submitting')",
        ),
        f"{SUBMITS}::test_a_zombie_does_not_put_back_fail_or_forget_what_the_new_owner_holds",
    ),
    one_edit(
        "settle-without-fence",
        "a worker that lost its claim settles",
        SourceEdit(find="($2::bigint IS NULL OR fence = $2)", replace="($2::bigint IS NULL OR $2 > 0)"),
        f"{SETTLES}::test_a_settle_with_an_old_fence_changes_nothing",
    ),
    Mutation(
        name="claim-ignores-the-lease",
        mistake="a job that another worker holds is claimed again",
        edits=(
            SourceEdit(find="AND EXISTS (SELECT FROM head WHERE NOT is_leased) FOR UPDATE", replace="FOR UPDATE"),
            SourceEdit(
                find="user_id FROM head WHERE NOT is_leased", replace="user_id FROM head WHERE is_leased IS NOT NULL"
            ),
            SourceEdit(
                find="AND (leased_until IS NULL OR leased_until <= photomat_now()) ORDER BY job.submit_turn",
                replace="ORDER BY job.submit_turn",
            ),
        ),
        tests=(f"{SUBMITS}::test_a_job_is_claimed_by_one_instance_until_the_lease_runs_out",),
    ),
    one_edit(
        "floors-are-the-truth",
        "queues are read from their beginning only once, so what lies below a floor is never found",
        SourceEdit(find="monotonic() >= self._thorough_from", replace="self._thorough_from == 0"),
        "tests/integration/test_floors.py::test_an_update_whose_transaction_took_long_is_claimed_although_others_came_before_it",
    ),
    Mutation(
        name="renewed-budget-not-found",
        mistake="calls that waited while the row of a budget was renewed are not entered",
        edits=(
            SourceEdit(
                find="AND since >= (SELECT photomat_budget_since({name}))",
                replace="AND since = (SELECT photomat_budget_since({name}))",
            ),
            SourceEdit(
                find="= ANY (ARRAY[budget]) AND since >= recent",
                replace="= ANY (ARRAY[budget]) AND since = recent",
            ),
        ),
        tests=(
            f"{BUDGETS}::test_calls_that_wait_while_the_row_is_renewed_count_what_was_spent",
            f"{BUDGETS}::test_a_claim_that_waits_while_the_row_is_renewed_counts_what_was_spent",
        ),
    ),
    one_edit(
        "rescue-of-the-living",
        "the sweep frees claims of instances that are alive",
        SourceEdit(
            find="AND leased_by NOT IN (SELECT instance_id FROM instances WHERE seen_at > photomat_now() - $1::interval)",
            replace="AND (leased_by IS NOT NULL OR $1::interval IS NULL)",
            inside="free_claims_of_dead_instances",
        ),
        f"{SUBMITS}::test_the_claims_of_a_dead_instance_are_freed_and_those_of_a_living_one_stay",
    ),
    one_edit(
        "wake-up-lost",
        "a callback that comes during a poll is forgotten",
        SourceEdit(
            find="due_at = CASE WHEN woken_via IS NULL THEN photomat_now() + $3::interval ELSE photomat_now() END,",
            replace="due_at = photomat_now() + $3::interval,",
        ),
        f"{LOOKS}::test_a_wake_up_during_a_look_is_not_lost",
    ),
    one_edit(
        "turns-forgotten",
        "a user with many jobs is served before everyone who came later",
        SourceEdit(find="1 + greatest(0, (", replace="1 + 0 * greatest(0, ("),
        f"{SUBMIT_ORDER}::test_somebody_with_one_wish_does_not_wait_behind_somebody_with_a_hundred",
    ),
    one_edit(
        "places-not-spent",
        "more jobs are claimed than Kie allows",
        SourceEdit(
            find="|| array_fill(photomat_clock(), ARRAY[asked.calls])",
            replace="|| array_fill(photomat_clock(), ARRAY[0 * asked.calls])",
        ),
        f"{SUBMIT_ORDER}::test_a_loop_without_room_writes_nothing_however_often_it_is_woken",
    ),
    one_edit(
        "intent-not-recorded",
        "a request leaves while the job still looks as if it had not",
        SourceEdit(find="SET status = 'submitting', intent_at = photomat_now(),", replace="SET intent_at = NULL,"),
        f"{SUBMITS}::test_the_state_is_committed_before_the_request_leaves",
    ),
    one_edit(
        "unknown-create-failed",
        "a create without an answer counts as failed",
        SourceEdit(
            find=UNKNOWN_CREATE,
            replace='except OutcomeUnknown:\n    await self._fail(job, settle.Failure(code="unknown", reason=None))',
        ),
        NEVER_TRIED_AGAIN,
    ),
    one_edit(
        "unknown-create-retried",
        "a create without an answer is sent again",
        SourceEdit(
            find=UNKNOWN_CREATE,
            replace="except OutcomeUnknown as error:\n    await self._put_back(job, 0.0, str(error))",
        ),
        NEVER_TRIED_AGAIN,
    ),
)

DOORS: Final = (
    one_edit(
        "token-not-checked",
        "a callback URL with a wrong token is accepted",
        SourceEdit(find="return job_id if any(…) else None", replace="return job_id"),
        "tests/unit/test_signatures.py::test_an_address_names_its_job_and_no_other",
    ),
    one_edit(
        "kie-signature-not-checked",
        "a callback with a wrong signature is accepted",
        SourceEdit(find="return hmac.compare_digest(…) and fresh", replace="return fresh"),
        "tests/unit/test_signatures.py::test_kies_signature_is_accepted_while_fresh",
        f"{CALLBACKS}::test_where_a_webhook_key_is_set_kies_signature_must_be_there_and_fresh",
    ),
    one_edit(
        "callback-answered-unstored",
        "a callback that could not be stored is answered 200",
        SourceEdit(find='{"code": 503, "msg": "try again"}, status=503', replace='{"code": 503}, status=200'),
        f"{CALLBACKS}::test_without_a_database_kie_is_told_to_repeat",
    ),
    Mutation(
        name="inbox-not-unique",
        mistake="an update that Telegram repeats is handled twice",
        edits=(
            SourceEdit(find="ON CONFLICT (bot_id, update_id) DO NOTHING", replace=""),
            SourceEdit(
                find="CONSTRAINT inbox_update_once UNIQUE (bot_id, update_id)",
                replace="CONSTRAINT inbox_update_once UNIQUE (bot_id, update_id, received_id)",
            ),
        ),
        tests=("tests/integration/test_inbox_lanes.py::test_a_repeated_update_is_stored_once_and_counted_once",),
    ),
)

MUTATIONS: Final = (*JOBS, *DELIVERY, *MONEY, *DOORS)
QUICK: Final = ("token-not-checked", "mark-without-fence")
"""What the gate tries every time: one without a database, one with."""
