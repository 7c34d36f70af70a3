"""Seeded mistakes with payments: credited twice, given back twice or not at all, told twice, a wake-up lost."""

from typing import Final

from photomat_chaos.mutants.mutation import Edit, Mutation, one_edit

RECEIVE: Final = "payments/receive.py"
REFUNDS: Final = "payments/refunds.py"
REFUNDER: Final = "payments/refunder.py"
INVOICES: Final = "payments/invoices.py"
NOTICES: Final = "notices/send.py"
OF_RECEIVING: Final = "tests/integration/test_payments_receive.py"
OF_REFUNDS: Final = "tests/integration/test_payments_refunds.py"
OF_INVOICES: Final = "tests/integration/test_payments_invoices.py"
OF_NOTICES: Final = "tests/integration/test_notices.py"

ARRIVING: Final = (
    one_edit(
        "payment-without-its-key",
        "a payment is not known by its provider's id",
        (RECEIVE, "VALUES ($1, $2, $3, $4,", "VALUES ($1, $2 || gen_random_uuid(), $3, $4,"),
        f"{OF_RECEIVING}::test_the_same_charge_told_a_hundred_times_at_once_is_one_payment",
    ),
    one_edit(
        "payment-outside-the-transaction",
        "a payment is written before its credit, each for itself",
        (
            RECEIVE,
            "    async with transaction(pool) as tx:\n        received = await receive_payment",
            "    async with pool.acquire() as tx:\n        received = await receive_payment",
        ),
        f"{OF_RECEIVING}::test_a_payment_that_cannot_be_credited_is_not_there",
    ),
    one_edit(
        "payment-told-otherwise-passes",
        "the same charge with another sum or user is taken for the same",
        (RECEIVE, "    if before != now:\n", "    if before is now:\n"),
        f"{OF_RECEIVING}::test_a_charge_told_again_otherwise_moves_nothing_and_becomes_a_difference",
    ),
    one_edit(
        "part-credited-as-the-whole",
        "whoever pays a part gets all that was offered",
        (RECEIVE, "topup.credit.minor * arrived.paid.minor // topup.asked_amount", "topup.credit.minor"),
        f"{OF_RECEIVING}::test_a_part_of_the_sum_is_credited_as_that_part_and_more_as_more",
    ),
    one_edit(
        "bill-asks-for-the-credit",
        "a bill is made for what is credited, not for what is asked",
        (INVOICES, "amount=Money(topup.asked_amount, topup.asked_currency),", "amount=topup.credit,"),
        f"{OF_INVOICES}::test_a_bill_is_made_once_for_what_is_asked_and_looked_at_until_it_is_paid",
    ),
    one_edit(
        "notice-during-a-look-lost",
        "a bill made due while somebody looks at it is put off or called finished",
        (
            INVOICES,
            "look_at = CASE WHEN look_at = $4 THEN NULL ELSE look_at END",
            "look_at = CASE WHEN $4::timestamptz IS NOT NULL THEN NULL ELSE look_at END",
        ),
        f"{OF_INVOICES}::test_a_notice_that_comes_during_a_look_is_not_lost",
    ),
)

GOING_BACK: Final = (
    one_edit(
        "refund-without-take-back",
        "a payment goes back and stays in the wallet",
        (
            REFUNDS,
            """    taken = await giving_back.take_back(
        tx,
        user_id=payment.user_id,
        amount=amount,
        reference=key,
        of=await _standing_credit(tx, payment, refusals),
        facts={"way": payment.provider, "paid": paid.minor, "paid_currency": paid.currency},
    )
""",
            "    taken = giving_back.TakenBack(from_wallet=amount, as_debt=Money(refusals, amount.currency), is_new=True)\n",
        ),
        f"{OF_REFUNDS}::test_a_payment_goes_back_out_of_the_wallet_first_and_to_the_payer_then",
    ),
    one_edit(
        "refund-asked-twice",
        "what is wanted already is asked for once more",
        (
            REFUNDS,
            "coalesce(sum(amount) FILTER (WHERE state <> 'refused'), 0)",
            "coalesce(sum(amount) FILTER (WHERE state = 'done'), 0)",
        ),
        f"{OF_REFUNDS}::test_asked_twice_also_at_once_it_goes_back_once",
    ),
    one_edit(
        "refund-without-lock",
        "a refund looks at the wallet before it is its own",
        (
            REFUNDS,
            "    await lock_wallets(tx, payment.user_id)\n    wallet = await",
            "    wallet = await",
        ),
        f"{OF_REFUNDS}::test_a_refund_that_races_a_spend_finds_the_money_or_not_and_never_makes_a_debt",
    ),
    one_edit(
        "told-refund-taken-whole-each-time",
        "what was taken for an earlier part is taken again",
        (
            REFUNDS,
            "told // payment.paid.minor - before.credit\n",
            "told // payment.paid.minor\n",
        ),
        f"{OF_REFUNDS}::test_a_refund_told_in_parts_is_taken_as_it_is_told",
    ),
    one_edit(
        "wish-told-is-forgotten",
        "a provider tells that ours went back, and it is asked again",
        (REFUNDS, "    if told >= before.paid:\n", "    if told > payment.paid.minor:\n"),
        f"{OF_REFUNDS}::test_told_while_ours_is_wanted_the_wish_has_come_true",
    ),
    one_edit(
        "refused-refund-not-put-back",
        "a clear no keeps the money",
        (
            REFUNDER,
            """    await ledger.credit(
        tx,
        user_id=payment.user_id,
        amount=refund.amount,
        reference=put_back_reference(refund.key),
        reason="topup",
        facts={"way": payment.provider},
    )
""",
            "",
        ),
        f"{OF_REFUNDS}::test_a_clear_no_puts_the_money_back_and_a_second_try_works",
    ),
    Mutation(
        name="unknown-refund-refused",
        mistake="a refund without an answer counts as refused, and the payer has it twice",
        edits=(
            Edit(
                file=REFUNDER, before="except (Transient, OutcomeUnknown) as error:", after="except Transient as error:"
            ),
            Edit(
                file=REFUNDER, before="except Rejected as error:", after="except (Rejected, OutcomeUnknown) as error:"
            ),
        ),
        tests=(f"{OF_REFUNDS}::test_whatever_is_not_a_clear_answer_is_asked_again_with_the_same_key",),
    ),
    one_edit(
        "refund-claimed-without-a-lease",
        "a refund in somebody's hands is taken by the next",
        (
            REFUNDER,
            "SET due_at = photomat_now() + $2::interval, attempts",
            "SET due_at = photomat_now() - $2::interval, attempts",
        ),
        f"{OF_REFUNDS}::test_a_refund_in_dead_hands_is_taken_over_and_late_answers_change_nothing",
    ),
    one_edit(
        "blocked-user-refunded",
        "who blocked the bot is refunded and gets the result as well",
        ("jobs/undelivered.py", "undeliverable_at IS NOT NULL AND chat_id <> user_id", "undeliverable_at IS NOT NULL"),
        "tests/integration/test_undelivered.py::test_only_what_waits_in_vain_is_refunded_and_once",
    ),
)

TOLD: Final = (
    one_edit(
        "notice-sent-before-its-record",
        "a notice is not recorded as having left before it leaves",
        (NOTICES, "SET due_at = NULL, left_at = photomat_now(), attempts", "SET attempts"),
        f"{OF_NOTICES}::test_a_notice_is_recorded_before_it_is_sent_and_nobody_sends_it_after_a_death",
    ),
    one_edit(
        "lost-notice-repeated",
        "a notice whose answer was lost is sent again",
        (
            NOTICES,
            "        except (Transient, Unauthorized) as error:\n",
            "        except (Transient, Unauthorized, OutcomeUnknown) as error:\n",
        ),
        f"{OF_NOTICES}::test_a_notice_whose_answer_was_lost_is_not_repeated",
    ),
)

PAYMENTS: Final = (*ARRIVING, *GOING_BACK, *TOLD)
