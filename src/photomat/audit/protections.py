"""The database's own defences: still there, still switched on."""

from typing import Final

from photomat.audit import new_rows
from photomat.audit.invariant import Invariant

PROTECTIONS: Final = (
    Invariant(
        name="protections-stand",
        new=new_rows.AS_IT_IS,
        sentence="The triggers that keep the books append-only and balanced exist and are enabled.",
        sql="""
            SELECT wanted.trigger, tgenabled IS NOT NULL AS exists
              FROM unnest(ARRAY['ledger_transactions_append_only', 'entries_append_only', 'holds_append_only',
                                'hold_closings_append_only', 'ledger_transactions_balance', 'entries_balance',
                                'ledger_transactions_give_back', 'operator_journal_append_only',
                                'sealed_days_append_only', 'audit_runs_never_changed',
                                'payments_append_only']) AS wanted (trigger)
              LEFT JOIN pg_trigger ON tgname = wanted.trigger
             WHERE tgenabled IS NULL OR tgenabled NOT IN ('O', 'A')
        """,
    ),
    Invariant(
        name="keys-stand",
        new=new_rows.AS_IT_IS,
        sentence="The keys and checks that make every move happen once and no wallet negative exist.",
        sql="""
            SELECT wanted.name
              FROM unnest(ARRAY['ledger_transactions_reference_once', 'ledger_transactions_one_charge_per_job',
                                'holds_pkey', 'hold_closings_pkey', 'hold_closings_hold_fkey',
                                'entries_amount_not_zero', 'wallets_available_not_negative',
                                'wallets_held_not_negative', 'wallets_owed_not_negative',
                                'ledger_transactions_reversed_once', 'ledger_transactions_correction_reverses',
                                'entries_user_of_account', 'entries_wallet_fkey', 'sealed_days_pkey',
                                'differences_one_open', 'payments_once', 'payments_reference_once',
                                'payment_refunds_key_once', 'payment_refunds_reference_once',
                                'promo_codes_not_used_up', 'promo_uses_one_an_origin', 'promo_uses_one_a_payment',
                                'pass_uses_pkey', 'referrals_pkey', 'referral_shares_pkey',
                                'gifts_one_an_origin']) AS wanted (name)
             WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conname = wanted.name AND convalidated)
               AND NOT EXISTS (SELECT FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
                                WHERE relname = wanted.name AND indisunique AND indisvalid)
        """,
    ),
)
