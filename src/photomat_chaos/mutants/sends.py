"""Seeded mistakes in what leaves once (results asked for again, alerts) and in who waits for a chat."""

from typing import Final

from photomat_chaos.mutants.mutation import one_edit

RESEND: Final = "delivery/resend.py"
WAITS: Final = "tests/integration/test_delivery_waits.py"
RESEND_ENDS: Final = "tests/integration/test_resend_ends.py"
LOST_ANSWER: Final = "            except OutcomeUnknown as error:\n"

SENDS: Final = (
    one_edit(
        "lost-send-repeated",
        "a file whose answer was lost is sent again",
        (
            RESEND,
            LOST_ANSWER,
            f"{LOST_ANSWER}                await _put_back(self.pool, asked, after_s=0, counted=True)\n",
        ),
        "tests/integration/test_history_resend.py::test_a_send_of_unknown_outcome_is_never_repeated_by_itself",
    ),
    one_edit(
        "send-put-back-by-a-zombie",
        "who comes late puts back what another has taken",
        (
            RESEND,
            "WHERE send_id = $1 AND left_at = $2 AND outcome IS NULL",
            "WHERE send_id = $1 AND $2::timestamptz IS NOT NULL AND outcome IS NULL",
        ),
        f"{RESEND_ENDS}::test_whoever_comes_late_puts_back_nothing_that_another_has_taken",
    ),
    one_edit(
        "send-tried-for-ever",
        "what Telegram cannot take is tried again and again",
        (RESEND, "if asked.attempts >= MOST_TRIES and not is_pace:", "if asked.attempts < 0:"),
        f"{RESEND_ENDS}::test_what_telegram_cannot_take_is_refused_after_a_few_tries_later_each_time",
    ),
    one_edit(
        "lost-group-armed-for-ever",
        "the card of a group that is lost is made due again instead of sending to its owner",
        ("delivery/ask_again.py", "(undeliverable_at IS NULL OR chat_id = $3)", "$3::bigint IS NOT NULL"),
        f"{RESEND_ENDS}::test_a_result_of_a_group_that_is_lost_is_sent_to_its_owner_and_the_card_waits",
    ),
    one_edit(
        "lost-alert-repeated",
        "an alert whose answer was lost is sent again",
        (
            "alerts/tell.py",
            "        except OutcomeUnknown:\n            await self._end(notice, Outcome.UNKNOWN)\n",
            "        except OutcomeUnknown as error:\n            await self._later(notice, error)\n",
        ),
        "tests/integration/test_alerts_telling.py::test_a_lost_answer_counts_as_sent",
    ),
)

PACE: Final = (
    one_edit(
        "progress-puts-off-results",
        "progress that must leave the reserve lets the whole chat wait",
        ("telegram/pacing.py", "(chat, Transient if reserve else ChatBusy)", "(chat, ChatBusy)"),
        f"{WAITS}::test_progress_that_must_leave_the_reserve_puts_off_no_result",
    ),
    one_edit(
        "zombie-puts-off-a-chat",
        "who has lost the lock lets the chat wait",
        ("delivery/coordinator.py", "if ours and chat_waits:", "if chat_waits:"),
        f"{WAITS}::test_whoever_lost_the_lock_puts_off_nobody",
    ),
    one_edit(
        "everybody-waits-for-one-chat",
        "a chat's limit lets every chat wait",
        (
            "delivery/turns.py",
            "WHERE bot_id = $1 AND chat_id = $2 AND {IS_DUE}",
            "WHERE bot_id = $1 AND $2::bigint IS NOT NULL AND {IS_DUE}",
        ),
        f"{WAITS}::test_a_429_for_progress_lets_its_whole_chat_wait_and_no_other",
    ),
)
