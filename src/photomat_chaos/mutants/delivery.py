"""Seeded mistakes in cards, rings, results sent again, alerts, and in which messages wait for a busy chat."""

from typing import Final

from photomat_chaos.mutants.mutation import Mutation, SourceEdit, one_edit

LOST_LOCK: Final = "tests/integration/test_delivery_lock.py::test_a_zombie_whose_lock_was_taken_over_changes_nothing"
RINGS: Final = "tests/integration/test_ring.py"
RESENDS: Final = "tests/integration/test_resend_ends.py"
WAITS: Final = "tests/integration/test_delivery_waits.py"
NO_FENCE: Final = "$2::bigint > 0"

CARDS: Final = (
    one_edit(
        "mark-without-fence",
        "a worker that lost the lock marks the card as shown",
        SourceEdit(
            find="WHERE delivery_fence = mark.fence AND num_nonnulls(delivering_at) = 1 ORDER BY job_id",
            replace="WHERE mark.fence > 0 AND num_nonnulls(delivering_at) = 1 ORDER BY job_id",
        ),
        LOST_LOCK,
    ),
    one_edit(
        "release-without-fence",
        "a worker that lost the lock releases the lock of another",
        SourceEdit(
            find="card_doubtful = card_doubtful OR $6 WHERE job_id = $1 AND delivery_fence = $2",
            replace=f"card_doubtful = card_doubtful OR $6 WHERE job_id = $1 AND {NO_FENCE}",
        ),
        LOST_LOCK,
    ),
    one_edit(
        "renewal-without-fence",
        "a worker that lost the lock renews the lock of another",
        SourceEdit(
            find="SET delivering_at = photomat_now() WHERE job_id = $1 AND delivery_fence = $2",
            replace=f"SET delivering_at = photomat_now() WHERE job_id = $1 AND {NO_FENCE}",
        ),
        "tests/integration/test_delivery_lease.py::test_a_zombie_cannot_renew",
    ),
    one_edit(
        "lock-ignores-the-lease",
        "a card that another worker holds is locked again",
        SourceEdit(
            find="(delivering_at IS NULL OR delivering_at <= photomat_now() - $2::interval)",
            replace="$2::interval IS NOT NULL",
        ),
        "tests/integration/test_delivery_lock.py::test_the_lease_lasts_five_minutes_and_then_another_takes_over",
    ),
    one_edit(
        "mark-before-edit",
        "the card counts as shown before it is",
        SourceEdit(
            find="return view, await self._edit_card(…)",
            replace='await self._mark(card, view, EditOutcome("url"))\nreturn view, await self._edit_card(\\1)',
        ),
        "tests/integration/test_delivery_trouble.py::test_an_error_of_telegrams_own_is_tried_again",
    ),
    one_edit(
        "no-last-look-at-the-card",
        "after a take-over the final edit is not rendered once more",
        SourceEdit(find="repeat_later = card.status in TERMINAL and card.doubtful", replace="repeat_later = False"),
        "tests/integration/test_delivery.py::test_a_take_over_shows_the_same_picture_and_renders_it_once_more_later",
    ),
    one_edit(
        "not-modified-is-a-failure",
        "an edit that changes nothing counts as failed",
        SourceEdit(find="return NOT_MODIFIED in error.message.lower()", replace="return False"),
        "tests/unit/test_errors.py::test_an_edit_that_changes_nothing_is_a_success",
    ),
)

SENDS: Final = (
    Mutation(
        name="ring-recorded-after-sending",
        mistake="a ring is recorded when it was sent, not before",
        edits=(
            SourceEdit(find="SET ring_due_at = NULL, rung_at = photomat_now()", replace="SET rung_at = photomat_now()"),
            SourceEdit(
                find='failpoint("ring.after_send")',
                replace='late = "UPDATE generation_jobs SET ring_due_at = NULL WHERE job_id = $1"\n'
                "await self.pool.execute(late, message.job_id)\n"
                'failpoint("ring.after_send")',
            ),
        ),
        tests=(f"{RINGS}::test_a_ring_is_recorded_before_it_is_sent",),
    ),
    one_edit(
        "send-put-back-by-a-zombie",
        "a late worker puts back what another has taken",
        SourceEdit(
            find="WHERE send_id = $1 AND left_at = $2 AND outcome IS NULL",
            replace="WHERE send_id = $1 AND $2::timestamptz IS NOT NULL AND outcome IS NULL",
        ),
        f"{RESENDS}::test_whoever_comes_late_puts_back_nothing_that_another_has_taken",
    ),
    one_edit(
        "send-tried-for-ever",
        "what Telegram refuses is retried without end",
        SourceEdit(
            find="return self.most_attempts is None or attempts < self.most_attempts",
            replace="return attempts > 0",
        ),
        f"{RESENDS}::test_what_telegram_cannot_take_is_refused_after_a_few_tries_later_each_time",
    ),
    one_edit(
        "lost-group-armed-for-ever",
        "the card of a group that is lost is made due again instead of sending to its owner",
        SourceEdit(find="(undeliverable_at IS NULL OR chat_id = $3)", replace="$3::bigint IS NOT NULL"),
        f"{RESENDS}::test_a_result_of_a_group_that_is_lost_is_sent_to_its_owner_and_the_card_waits",
    ),
)

ANSWER_LOST: Final = SourceEdit(
    find="if isinstance(error, OutcomeUnknown | Unreachable): return False",
    replace="if isinstance(error, OutcomeUnknown):\n    return True\nif isinstance(error, Unreachable):\n    return False",
    inside="RetryPolicy.allows",
)
REPEATS: Final = (
    one_edit(
        "lost-ring-repeated",
        "a ring whose answer was lost is sent again",
        ANSWER_LOST,
        f"{RINGS}::test_a_ring_whose_answer_was_lost_is_not_repeated",
    ),
    one_edit(
        "lost-send-repeated",
        "a file whose answer was lost is sent again",
        ANSWER_LOST,
        "tests/integration/test_history_resend.py::test_a_send_of_unknown_outcome_is_never_repeated_by_itself",
    ),
    one_edit(
        "lost-alert-repeated",
        "an alert whose answer was lost is sent again",
        ANSWER_LOST,
        "tests/integration/test_alerts_telling.py::test_a_lost_answer_counts_as_sent",
    ),
    one_edit(
        "lost-notice-repeated",
        "a notice whose answer was lost is sent again",
        ANSWER_LOST,
        "tests/integration/test_notices.py::test_a_notice_whose_answer_was_lost_is_not_repeated",
    ),
)

PACE: Final = (
    one_edit(
        "progress-puts-off-results",
        "progress that must leave the reserve makes the whole chat wait",
        SourceEdit(find="Transient if reserve else ChatBusy", replace="ChatBusy"),
        f"{WAITS}::test_progress_that_must_leave_the_reserve_puts_off_no_result",
    ),
    one_edit(
        "zombie-puts-off-a-chat",
        "a worker that lost the lock makes the chat wait",
        SourceEdit(find="if ours and chat_waits:", replace="if chat_waits:"),
        f"{WAITS}::test_whoever_lost_the_lock_puts_off_nobody",
    ),
    one_edit(
        "everybody-waits-for-one-chat",
        "the limit of one chat makes every chat wait",
        SourceEdit(
            find="WHERE bot_id = $1 AND chat_id = $2 AND {IS_DUE}",
            replace="WHERE bot_id = $1 AND $2::bigint IS NOT NULL AND {IS_DUE}",
        ),
        f"{WAITS}::test_a_429_for_progress_lets_its_whole_chat_wait_and_no_other",
    ),
)

DELIVERY: Final = (*CARDS, *SENDS, *REPEATS, *PACE)
