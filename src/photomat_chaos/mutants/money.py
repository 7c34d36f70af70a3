"""Seeded mistakes with money: charged or credited twice, refunded twice or not at all, a notice repeated, a wake-up lost."""

from typing import Final

from photomat_chaos.mutants.mutation import Mutation, SourceEdit, one_edit

SETTLES: Final = "tests/integration/test_settle.py"
RECEIVING: Final = "tests/integration/test_payments_receive.py"
REFUNDS: Final = "tests/integration/test_payments_refunds.py"
INVOICES: Final = "tests/integration/test_payments_invoices.py"
BUYING: Final = "tests/integration/test_buying_together.py"
NOTICES: Final = "tests/integration/test_notices.py"

SETTLING: Final = (
    Mutation(
        name="charge-outside-the-commit",
        mistake="the charge is booked in a transaction of its own, after the settling",
        edits=(
            SourceEdit(
                find="if paid: await ledger.charge_all(tx, [hold_reference(job_id) for job_id in paid])",
                replace="if paid:\n    pass",
            ),
            SourceEdit(
                find='failpoint("settle.after_commit")',
                replace='failpoint("settle.after_commit")\n'
                "if settled is settle.Settled.CHARGED and job.price.minor:\n"
                "    async with transaction(self.pool) as tx:\n"
                '        await settle.ledger.charge(tx, reference=f"job:{job.job_id}")',
                inside="_settle",
            ),
        ),
        tests=(f"{SETTLES}::test_a_success_charges_keeps_the_result_and_makes_the_card_due",),
    ),
    one_edit(
        "settle-without-guard",
        "a done job is settled again",
        SourceEdit(
            find="if status is None or status is JobStatus.DONE:", replace="if status is None:", inside="settle"
        ),
        f"{SETTLES}::test_a_failure_after_a_success_changes_nothing",
    ),
    one_edit(
        "failure-after-the-end",
        "a failed or canceled job fails again",
        SourceEdit(
            find="if not may_become(status, JobStatus.FAILED):",
            replace="if status is JobStatus.DONE:",
            inside="_fail",
        ),
        f"{SETTLES}::test_twenty_failures_at_once_release_once",
    ),
    one_edit(
        "gift-charged",
        "a result after a failure is charged",
        SourceEdit(find="is_gift = status is JobStatus.FAILED", replace="is_gift = False"),
        f"{SETTLES}::test_a_success_after_a_failure_is_a_gift_once",
    ),
    one_edit(
        "balance-not-checked",
        "a hold is taken from money that is not there",
        SourceEdit(find="AND posted - held >= amount AND owed = 0", replace="AND posted >= 0", inside="take_holds"),
        "tests/integration/test_wallet_moves.py::test_the_last_kopeck_can_be_held_and_not_one_more",
    ),
)

TOGETHER: Final = (
    one_edit(
        "wallets-locked-as-given",
        "the wallets of a batch are locked in any order, so that two transactions wait for each other",
        SourceEdit(
            find="= ANY ($1::bigint[]) ORDER BY user_id FOR NO KEY UPDATE",
            replace="= ANY ($1::bigint[]) ORDER BY user_id DESC FOR NO KEY UPDATE",
            inside="lock_wallets",
        ),
        f"{BUYING}::test_wallets_are_locked_in_the_order_of_their_users",
    ),
    one_edit(
        "users-registered-as-given",
        "new users are registered in the order they come, so that two instances wait for each other",
        SourceEdit(
            find="AS registration (user_id) ORDER BY user_id ON CONFLICT",
            replace="AS registration (user_id) ORDER BY user_id DESC ON CONFLICT",
        ),
        "tests/integration/test_newcomers.py::test_users_are_registered_in_the_order_of_their_ids",
    ),
    one_edit(
        "purchases-wait-for-one",
        "a batch of purchases waits for a user whom something else has locked",
        SourceEdit(find="waits=False)", replace="waits=True)", inside="buy_together"),
        f"{BUYING}::test_one_whose_row_is_locked_keeps_nobody_waiting",
    ),
    one_edit(
        "ban-in-a-batch",
        "a purchase that ends in a ban locks a second wallet out of order",
        SourceEdit(
            find="return None if await judged.content.may_refuse(tx, judged.draft) else replace(judged, content=None)",
            replace="return judged",
            inside="_judged_among_others",
        ),
        f"{BUYING}::test_a_ban_in_a_batch_locks_no_wallet_out_of_order",
    ),
    one_edit(
        "double-tap-in-a-batch",
        "two taps on one card are bought in one batch",
        SourceEdit(find="if first_of[each.buyer.user_id] is each", replace="if True", inside="buy_together"),
        f"{BUYING}::test_of_two_taps_on_one_card_one_buys_and_the_other_is_told_so",
    ),
)

INCOMING: Final = (
    one_edit(
        "payment-without-its-key",
        "a payment is not identified by its provider's id",
        SourceEdit(
            find="INSERT INTO payments (…) VALUES ($1, $2, $3, $4,",
            replace="INSERT INTO payments (\\1) VALUES ($1, $2 || gen_random_uuid(), $3, $4,",
        ),
        f"{RECEIVING}::test_the_same_charge_told_a_hundred_times_at_once_is_one_payment",
    ),
    one_edit(
        "payment-outside-the-transaction",
        "a payment is written before its credit, each in a transaction of its own",
        SourceEdit(
            find="async with transaction(self.pool) as tx: person = move.person",
            replace="async with self.pool.acquire() as tx:\n    person = move.person",
        ),
        "tests/integration/test_stars_reading.py::test_a_line_that_cannot_be_credited_leaves_nothing_but_a_difference",
    ),
    one_edit(
        "payment-told-otherwise-passes",
        "the same charge with another sum or user is taken for the same",
        SourceEdit(find="if before != now:", replace="if before is now:"),
        f"{RECEIVING}::test_a_charge_told_again_otherwise_moves_nothing_and_becomes_a_difference",
    ),
    one_edit(
        "part-credited-as-the-whole",
        "a partial payment is credited in full",
        SourceEdit(find="topup.credit.minor * incoming.paid.minor // topup.asked_amount", replace="topup.credit.minor"),
        f"{RECEIVING}::test_a_part_of_the_sum_is_credited_as_that_part_and_more_as_more",
    ),
    one_edit(
        "bill-asks-for-the-credit",
        "a bill is made for what is credited, not for what is asked",
        SourceEdit(find="amount=Money(topup.asked_amount, topup.asked_currency),", replace="amount=topup.credit,"),
        f"{INVOICES}::test_a_bill_is_made_once_for_what_is_asked_and_looked_at_until_it_is_paid",
    ),
    one_edit(
        "notice-during-a-look-lost",
        "a bill made due while a worker polls it is postponed or counted as finished",
        SourceEdit(
            find="look_at = CASE WHEN look_at = $4 THEN NULL ELSE look_at END",
            replace="look_at = CASE WHEN $4::timestamptz IS NOT NULL THEN NULL ELSE look_at END",
        ),
        f"{INVOICES}::test_a_notice_that_comes_during_a_look_is_not_lost",
    ),
)

REFUNDING: Final = (
    one_edit(
        "refund-without-take-back",
        "a payment is refunded and stays in the wallet",
        SourceEdit(
            find="taken = await refunds.take_back(…facts={…})",
            replace="taken = refunds.TakenBack(from_wallet=amount, as_debt=Money(refusals, amount.currency), is_new=True)",
        ),
        f"{REFUNDS}::test_a_payment_goes_back_out_of_the_wallet_first_and_to_the_payer_then",
    ),
    one_edit(
        "refund-asked-twice",
        "what is wanted already is asked for once more",
        SourceEdit(
            find="coalesce(sum(amount) FILTER (WHERE state <> 'refused'), 0)",
            replace="coalesce(sum(amount) FILTER (WHERE state = 'done'), 0)",
        ),
        f"{REFUNDS}::test_asked_twice_also_at_once_it_goes_back_once",
    ),
    one_edit(
        "refund-without-lock",
        "a refund reads the wallet before it locks it",
        SourceEdit(find="await lock_wallets(tx, payment.user_id) wallet = await", replace="wallet = await"),
        f"{REFUNDS}::test_a_refund_that_races_a_spend_finds_the_money_or_not_and_never_makes_a_debt",
    ),
    one_edit(
        "told-refund-taken-whole-each-time",
        "what was taken for an earlier part is taken again",
        SourceEdit(find="reported // payment.paid.minor - before.credit", replace="reported // payment.paid.minor"),
        f"{REFUNDS}::test_a_refund_told_in_parts_is_taken_as_it_is_told",
    ),
    one_edit(
        "wish-told-is-forgotten",
        "a provider reports that our refund was made, and it is requested again",
        SourceEdit(find="if reported >= before.paid:", replace="if reported > payment.paid.minor:"),
        f"{REFUNDS}::test_told_while_ours_is_wanted_the_wish_has_come_true",
    ),
    one_edit(
        "refused-refund-not-put-back",
        "a refused refund keeps the money",
        SourceEdit(
            find="await ledger.credit(tx, user_id=payment.user_id, amount=refund.amount, …facts={…})",
            replace="pass",
        ),
        f"{REFUNDS}::test_a_clear_no_puts_the_money_back_and_a_second_try_works",
    ),
    one_edit(
        "unknown-refund-refused",
        "a refund without an answer counts as refused, and the payer has it twice",
        SourceEdit(
            find="except (Transient, OutcomeUnknown) as error: await self._later(…) except Rejected as error:",
            replace="except Transient as error:\n    await self._later(\\1)\nexcept (Rejected, OutcomeUnknown) as error:",
        ),
        f"{REFUNDS}::test_whatever_is_not_a_clear_answer_is_asked_again_with_the_same_key",
    ),
    one_edit(
        "refund-claimed-without-a-lease",
        "a refund that another worker holds is claimed again",
        SourceEdit(
            find="UPDATE payment_refunds AS refund SET due_at = photomat_now() + $2::interval, attempts",
            replace="UPDATE payment_refunds AS refund SET due_at = photomat_now() - $2::interval, attempts",
        ),
        f"{REFUNDS}::test_a_refund_in_dead_hands_is_taken_over_and_late_answers_change_nothing",
    ),
    one_edit(
        "blocked-user-refunded",
        "a user who blocked the bot is refunded and gets the result as well",
        SourceEdit(
            find="- $1::interval AND (parked_at IS NOT NULL OR undeliverable_at IS NOT NULL AND chat_id <> user_id)",
            replace="- $1::interval AND (parked_at IS NOT NULL OR undeliverable_at IS NOT NULL)",
        ),
        "tests/integration/test_undelivered.py::test_only_what_waits_in_vain_is_refunded_and_once",
    ),
)

NOTIFYING: Final = (
    one_edit(
        "claim-of-another-bot",
        "a program of another bot records this shop's notices as sent",
        SourceEdit(
            find="FROM notices WHERE due_at <= photomat_now() AND (SELECT photomat_our_bot($2)) IS NOT NULL",
            replace="FROM notices WHERE due_at <= photomat_now() AND $2::bigint IS NOT NULL",
        ),
        "tests/integration/test_installation_claims.py::test_another_identity_claims_nothing_and_its_own_claims_in_every_loop",
    ),
    one_edit(
        "notice-sent-before-its-record",
        "a notice is not recorded as having left before it leaves",
        SourceEdit(
            find="UPDATE notices AS notice SET due_at = NULL, left_at = photomat_now(), attempts",
            replace="UPDATE notices AS notice SET attempts",
        ),
        f"{NOTICES}::test_a_notice_is_recorded_before_it_is_sent_and_nobody_sends_it_after_a_death",
    ),
)

MONEY: Final = (*SETTLING, *TOGETHER, *INCOMING, *REFUNDING, *NOTIFYING)
