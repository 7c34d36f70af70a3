"""The seeded mistakes: each takes away one thing the promise rests on, and names the tests that must notice.

The texts are exact: `before` stands in its file exactly once, or the mutation is refused, so that this list cannot rot.
"""

from typing import Final

from photomat_chaos.mutants.mutation import Edit, Mutation, one_edit
from photomat_chaos.mutants.payments import PAYMENTS
from photomat_chaos.mutants.sends import PACE, SENDS

LOCK: Final = "delivery/lock.py"
STORE: Final = "jobs/store.py"
SETTLE: Final = "jobs/settle.py"
SUBMIT: Final = "jobs/submit.py"
RING: Final = "delivery/ring.py"
COORDINATOR: Final = "delivery/coordinator.py"
ZOMBIES: Final = "tests/integration/test_delivery_lock.py::test_a_zombie_whose_lock_was_taken_over_changes_nothing"
UNKNOWN_CREATE: Final = (
    "            reason = str(error)\n            await _until_stored(lambda: self._unknown(job, reason))\n"
)
NOBODY_SUBMITS_TWICE: Final = (
    "tests/integration/test_submit_answers.py::test_an_unknown_outcome_is_never_tried_again_and_keeps_the_hold"
)

FENCES: Final = (
    one_edit(
        "mark-without-fence",
        "a zombie may mark the card it has lost",
        (
            LOCK,
            "THEN 1 ELSE 0 END\n             WHERE job_id = $1 AND delivery_fence = $2",
            "THEN 1 ELSE 0 END\n             WHERE job_id = $1 AND $2::bigint > 0",
        ),
        ZOMBIES,
    ),
    one_edit(
        "release-without-fence",
        "a zombie may give back a lock that is somebody else's",
        (
            LOCK,
            "card_doubtful = card_doubtful OR $6\n             WHERE job_id = $1 AND delivery_fence = $2",
            "card_doubtful = card_doubtful OR $6\n             WHERE job_id = $1 AND $2::bigint > 0",
        ),
        ZOMBIES,
    ),
    one_edit(
        "renewal-without-fence",
        "a zombie may renew a lock that is somebody else's",
        (
            "delivery/lease.py",
            "WHERE job_id = $1 AND delivery_fence = $2 AND delivering_at IS NOT NULL",
            "WHERE job_id = $1 AND $2::bigint > 0 AND delivering_at IS NOT NULL",
        ),
        "tests/integration/test_delivery_lease.py::test_a_zombie_cannot_renew",
    ),
    one_edit(
        "look-again-without-fence",
        "a zombie may say when to look again",
        (
            STORE,
            "progress = greatest(progress, $6)\n             WHERE job_id = $1 AND fence = $2",
            "progress = greatest(progress, $6)\n             WHERE job_id = $1 AND $2::bigint > 0",
        ),
        "tests/integration/test_look.py::test_every_write_of_a_zombie_look_is_refused_by_its_fence",
    ),
    one_edit(
        "put-back-without-fence",
        "a zombie may put back what another has sent",
        (
            STORE,
            "WHERE job_id = $1 AND fence = $2 AND status IN ('pending', 'submitting')",
            "WHERE job_id = $1 AND $2::bigint > 0 AND status IN ('pending', 'submitting')",
        ),
        "tests/integration/test_submit.py::test_a_zombie_does_not_put_back_fail_or_forget_what_the_new_owner_holds",
    ),
    one_edit(
        "settle-without-fence",
        "a zombie may settle",
        (
            "jobs/outcome_store.py",
            "($2::bigint IS NULL OR fence = $2) FOR UPDATE",
            "($2::bigint IS NULL OR $2 > 0) FOR UPDATE",
        ),
        "tests/integration/test_settle.py::test_a_settle_with_an_old_fence_changes_nothing",
    ),
)

LEASES: Final = (
    Mutation(
        name="claim-ignores-the-lease",
        mistake="a job in somebody's hands is claimed again",
        edits=(
            Edit(
                file=STORE,
                before="             WHERE NOT is_leased\n",
                after="             WHERE is_leased IS NOT NULL\n",
            ),
            Edit(
                file=STORE,
                before="AND (leased_until IS NULL OR leased_until <= photomat_now())\n             ORDER BY job.submit_turn",
                after="\n             ORDER BY job.submit_turn",
            ),
        ),
        tests=("tests/integration/test_submit.py::test_a_job_is_claimed_by_one_instance_until_the_lease_runs_out",),
    ),
    one_edit(
        "claim-of-another-bot",
        "a program of another bot records this shop's notices as sent",
        (
            "notices/send.py",
            "WHERE due_at <= photomat_now() AND (SELECT photomat_our_bot($3)) IS NOT NULL",
            "WHERE due_at <= photomat_now() AND $3::bigint IS NOT NULL",
        ),
        "tests/integration/test_installation_claims.py::test_another_identity_claims_nothing_and_its_own_claims_in_every_loop",
    ),
    one_edit(
        "lock-ignores-the-lease",
        "a card in somebody's hands is locked again",
        (
            "delivery/turns.py",
            "(delivering_at IS NULL OR delivering_at <= photomat_now() - $2::interval)",
            "$2::interval IS NOT NULL",
        ),
        "tests/integration/test_delivery_lock.py::test_the_lease_lasts_five_minutes_and_then_another_takes_over",
    ),
    one_edit(
        "rescue-of-the-living",
        "the sweep frees claims without asking who is alive",
        (
            "jobs/sweep.py",
            "AND leased_by NOT IN (SELECT instance_id FROM instances WHERE seen_at > photomat_now() - $1::interval)",
            "AND (leased_by IS NOT NULL OR $1::interval IS NULL)",
        ),
        "tests/integration/test_submit.py::test_the_claims_of_a_dead_instance_are_freed_and_those_of_a_living_one_stay",
    ),
    one_edit(
        "wake-up-lost",
        "a callback that comes during a look is forgotten",
        (
            STORE,
            "due_at = CASE WHEN woken_via IS NULL THEN photomat_now() + $3::interval ELSE photomat_now() END,",
            "due_at = photomat_now() + $3::interval,",
        ),
        "tests/integration/test_look.py::test_a_wake_up_during_a_look_is_not_lost",
    ),
    one_edit(
        "turns-forgotten",
        "a user with many jobs is served before everybody who came later",
        ("jobs/purchase_store.py", "1 + greatest($13::bigint, (", "1 + 0 * greatest($13::bigint, ("),
        "tests/integration/test_submit_order.py::test_somebody_with_one_wish_does_not_wait_behind_somebody_with_a_hundred",
    ),
    one_edit(
        "places-not-spent",
        "more jobs are claimed than Kie allows",
        (
            "work/budget.py",
            "|| array_fill(photomat_now(), ARRAY[$2::int])",
            "|| array_fill(photomat_now(), ARRAY[0 * $2::int])",
        ),
        "tests/integration/test_submit_order.py::test_a_loop_without_room_writes_nothing_however_often_it_is_woken",
    ),
)

DELIVERY: Final = (
    one_edit(
        "mark-before-edit",
        "the card counts as shown before it is",
        (
            COORDINATOR,
            "            shown = await self._show(card, face)\n",
            '            await self._mark(card, face, Shown("url"))\n            shown = await self._show(card, face)\n',
        ),
        "tests/integration/test_delivery_trouble.py::test_an_error_of_telegrams_own_is_tried_again",
    ),
    one_edit(
        "no-last-look-at-the-card",
        "after a take-over the final edit is not rendered once more",
        (
            COORDINATOR,
            "once_more = card.status in TERMINAL and card.doubtful",
            "once_more = False",
        ),
        "tests/integration/test_delivery.py::test_a_take_over_shows_the_same_picture_and_renders_it_once_more_later",
    ),
    one_edit(
        "not-modified-is-a-failure",
        "an edit that changes nothing counts as failed",
        ("telegram/errors.py", "return NOT_MODIFIED in error.message.lower()", "return False"),
        "tests/unit/test_errors.py::test_an_edit_that_changes_nothing_is_a_success",
    ),
    Mutation(
        name="ring-recorded-after-sending",
        mistake="a ring is recorded when it was sent, not before",
        edits=(
            Edit(
                file=RING,
                before="SET ring_due_at = NULL, rung_at = photomat_now()",
                after="SET rung_at = photomat_now()",
            ),
            Edit(
                file=RING,
                before='                failpoint("ring.after_send")\n',
                after="                await self.pool.execute(\n"
                '                    "UPDATE generation_jobs SET ring_due_at = NULL WHERE job_id = $1", ring.job_id)\n'
                '                failpoint("ring.after_send")\n',
            ),
        ),
        tests=("tests/integration/test_ring.py::test_a_ring_is_recorded_before_it_is_sent",),
    ),
    one_edit(
        "lost-ring-repeated",
        "a ring whose answer was lost is sent again",
        (
            RING,
            "            except OutcomeUnknown as error:\n",
            "            except OutcomeUnknown as error:\n                await _put_back(self.pool, ring, after_s=0)\n",
        ),
        "tests/integration/test_ring.py::test_a_ring_whose_answer_was_lost_is_not_repeated",
    ),
)

MONEY: Final = (
    Mutation(
        name="charge-outside-the-commit",
        mistake="the charge is booked in a transaction of its own, after the settling",
        edits=(
            Edit(
                file=SETTLE,
                before="    if price and not gift:\n        await ledger.charge(tx, reference=hold_reference(job_id))\n",
                after="",
            ),
            Edit(
                file="jobs/look.py",
                before='        failpoint("settle.after_commit")\n',
                after='        failpoint("settle.after_commit")\n'
                "        if settled is settle.Settled.CHARGED and job.price.minor:\n"
                "            async with transaction(self.pool) as tx:\n"
                "                await settle.ledger.charge(tx, reference=job.hold_reference)\n",
            ),
        ),
        tests=("tests/integration/test_settle.py::test_a_success_charges_keeps_the_result_and_makes_the_card_due",),
    ),
    one_edit(
        "settle-without-guard",
        "a done job is settled again",
        (SETTLE, "if status is None or status is JobStatus.DONE:", "if status is None:"),
        "tests/integration/test_settle.py::test_a_failure_after_a_success_changes_nothing",
    ),
    one_edit(
        "failure-after-the-end",
        "a failed or canceled job fails again",
        (SETTLE, "if status in {JobStatus.FAILED, JobStatus.CANCELED}:", "if status is JobStatus.DONE:"),
        "tests/integration/test_settle.py::test_twenty_failures_at_once_release_once",
    ),
    one_edit(
        "gift-charged",
        "a result after a failure is charged",
        (SETTLE, "gift = status is JobStatus.FAILED", "gift = False"),
        "tests/integration/test_settle.py::test_a_success_after_a_failure_is_a_gift_once",
    ),
    one_edit(
        "balance-not-checked",
        "a hold is taken from money that is not there",
        ("wallet/store.py", "AND posted - held >= $4 AND owed = 0", "AND posted >= 0"),
        "tests/integration/test_wallet_moves.py::test_the_last_kopeck_can_be_held_and_not_one_more",
    ),
)

DOORS: Final = (
    one_edit(
        "token-not-checked",
        "anybody may speak of any job",
        ("kie/signature.py", "return job_id if any(valid) else None", "return job_id"),
        "tests/unit/test_signatures.py::test_an_address_names_its_job_and_no_other",
    ),
    one_edit(
        "kie-signature-not-checked",
        "anybody may speak for Kie",
        ("kie/signature.py", "return hmac.compare_digest(given, expected.encode()) and fresh", "return fresh"),
        "tests/unit/test_signatures.py::test_kies_signature_is_accepted_while_fresh",
        "tests/integration/test_web_callbacks.py::test_where_a_webhook_key_is_set_kies_signature_must_be_there_and_fresh",
    ),
    one_edit(
        "callback-answered-unstored",
        "a callback that could not be stored is answered 200",
        ("web/kie_callback.py", '"msg": "try again"}, status=503)', '"msg": "try again"}, status=200)'),
        "tests/integration/test_web_callbacks.py::test_without_a_database_kie_is_told_to_repeat",
    ),
    Mutation(
        name="inbox-not-unique",
        mistake="an update that Telegram repeats is handled twice",
        edits=(
            Edit(
                file="inbox/store.py",
                before="            ON CONFLICT (bot_id, update_id) DO NOTHING\n",
                after="",
            ),
            Edit(
                file="db/migrations/0003_inbox.sql",
                before="CONSTRAINT inbox_update_once UNIQUE (bot_id, update_id)",
                after="CONSTRAINT inbox_update_once UNIQUE (bot_id, update_id, received_id)",
            ),
        ),
        tests=("tests/integration/test_inbox_lanes.py::test_a_repeated_update_is_stored_once_and_counted_once",),
    ),
)

SUBMITS: Final = (
    one_edit(
        "intent-not-recorded",
        "a request leaves while the job still looks as if it had not",
        (STORE, "SET status = 'submitting', intent_at = photomat_now(),", "SET intent_at = NULL,"),
        "tests/integration/test_submit.py::test_the_state_is_committed_before_the_request_leaves",
    ),
    one_edit(
        "unknown-create-failed",
        "a create without an answer counts as failed",
        (SUBMIT, UNKNOWN_CREATE, '            await self._fail(job, settle.Failure(code="unknown", reason=None))\n'),
        NOBODY_SUBMITS_TWICE,
    ),
    one_edit(
        "unknown-create-retried",
        "a create without an answer is sent again",
        (SUBMIT, UNKNOWN_CREATE, "            await self._put_back(job, 0.0, str(error))\n"),
        NOBODY_SUBMITS_TWICE,
    ),
)

MUTATIONS: Final = (*FENCES, *LEASES, *DELIVERY, *SENDS, *PACE, *MONEY, *PAYMENTS, *DOORS, *SUBMITS)
QUICK: Final = ("not-modified-is-a-failure", "token-not-checked", "mark-without-fence")
"""What the gate tries every time: two without a database, one with."""
