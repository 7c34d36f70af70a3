"""Invariants of fiscal receipts: one live document for what a payment still is, one annulment for each refund."""

from typing import Final

from photomat.audit import invariant
from photomat.audit.invariant import Invariant

FISCAL: Final = (
    Invariant(
        name="payment-has-its-fiscal-row",
        new=invariant.FISCAL,
        sentence="Every payment in roubles since fiscal receipts exist has a row that says what became of its receipt.",
        sql="""
            SELECT payment_id, provider, received_at FROM payments
             WHERE currency = 'RUB' AND payment_id >= (SELECT first_payment FROM fiscal_start)
               AND received_at < photomat_now() - interval '1 hour'
               AND NOT EXISTS (SELECT FROM fiscal_receipts AS ours
                                WHERE ours.payment_id = payments.payment_id AND ours.kind = 'income' AND ours.round = 0)
        """,
    ),
    Invariant(
        name="fiscal-receipt-is-of-its-payment",
        new=invariant.FISCAL,
        sentence="A receipt has the payer and sum of its payment, or what a refund left of it; an annulment has its refund's.",
        sql="""
            SELECT fiscal_id, payment_id, round, ours.amount, paid_amount, credit
              FROM fiscal_receipts AS ours LEFT JOIN payments USING (payment_id)
             WHERE kind = 'income'
               AND ((ours.user_id, ours.provider, payment_external_id)
                    IS DISTINCT FROM (payments.user_id, payments.provider, payments.external_id)
                    OR ours.amount IS DISTINCT FROM
                       CASE WHEN round = 0 THEN CASE WHEN paid_currency = payments.currency THEN paid_amount ELSE credit END
                            ELSE (SELECT before.amount - gone.amount
                                    FROM fiscal_receipts AS before JOIN fiscal_receipts AS gone USING (payment_id, round)
                                   WHERE before.payment_id = ours.payment_id AND before.round = ours.round - 1
                                     AND before.kind = 'income' AND gone.kind = 'annulment') END)
            UNION ALL
            SELECT fiscal_id, ours.payment_id, round, ours.amount, back.paid_amount, back.amount
              FROM fiscal_receipts AS ours
              LEFT JOIN payment_refunds AS back USING (refund_id) LEFT JOIN payments ON payments.payment_id = ours.payment_id
             WHERE kind = 'annulment'
               AND (ours.payment_id, ours.amount) IS DISTINCT FROM
                   (back.payment_id, CASE WHEN paid_currency = payments.currency THEN back.paid_amount ELSE back.amount END)
        """,
    ),
    Invariant(
        name="one-live-fiscal-receipt",
        new=invariant.FISCAL,
        sentence="A payment has at most one live fiscal receipt, in our rows and among the documents seen at the issuer.",
        sql="""
            SELECT payment_id, 'rows' AS seen, count(*) AS live, string_agg(external_id, ' ' ORDER BY external_id) AS documents
              FROM fiscal_receipts WHERE kind = 'income' AND state = 'issued'
             GROUP BY payment_id HAVING count(*) > 1
            UNION ALL
            SELECT payment_id, 'documents', count(*), string_agg(seen.external_id, ' ' ORDER BY seen.external_id)
              FROM fiscal_documents AS seen JOIN fiscal_receipts AS ours USING (reference)
             WHERE ours.kind = 'income' AND annulled_at IS NULL AND missing_since IS NULL
             GROUP BY payment_id HAVING count(*) > 1
        """,
    ),
    Invariant(
        name="one-fiscal-annulment",
        new=invariant.FISCAL,
        sentence="A refund has one annulment, and a receipt is annulled by one refund.",
        sql="""
            SELECT payment_id, round, NULL::bigint AS refund_id, count(*) AS annulments
              FROM fiscal_receipts WHERE kind = 'annulment' GROUP BY payment_id, round HAVING count(*) > 1
            UNION ALL
            SELECT payment_id, min(round), refund_id, count(*)
              FROM fiscal_receipts WHERE kind = 'annulment' GROUP BY payment_id, refund_id HAVING count(*) > 1
        """,
    ),
    Invariant(
        name="refund-annuls-its-fiscal-receipt",
        new=invariant.FISCAL,
        sentence="Two days after a refund the receipt of its payment is annulled, if there was one.",
        sql="""
            SELECT back.refund_id, back.payment_id, back.closed_at, annulment.state, annulment.error
              FROM payment_refunds AS back
              LEFT JOIN fiscal_receipts AS annulment ON annulment.refund_id = back.refund_id
             WHERE back.state = 'done' AND back.closed_at < photomat_now() - interval '2 days'
               AND coalesce(annulment.state, 'none') NOT IN ('issued', 'unneeded')
               AND EXISTS (SELECT FROM fiscal_receipts AS income
                            WHERE income.payment_id = back.payment_id AND income.kind = 'income'
                              AND income.state IN ('issued', 'sending', 'unknown'))
        """,
    ),
    Invariant(
        name="fiscal-receipt-has-its-document",
        new=invariant.FISCAL,
        sentence="A receipt that is issued has a document of its sum at its issuer; one that is not needed has none.",
        sql="""
            SELECT fiscal_id, payment_id, state, ours.amount, seen.amount AS seen_amount, seen.external_id
              FROM fiscal_receipts AS ours LEFT JOIN fiscal_documents AS seen USING (reference)
             WHERE kind = 'income' AND ours.issuer IS DISTINCT FROM 'hand'
               AND CASE WHEN state = 'issued'
                        THEN seen.external_id IS NULL OR seen.amount <> ours.amount
                             OR NOT EXISTS (SELECT FROM fiscal_documents AS own
                                             WHERE own.issuer = ours.issuer AND own.external_id = ours.external_id)
                        WHEN state IN ('annulled', 'unneeded', 'without', 'blocked')
                        THEN seen.external_id IS NOT NULL AND seen.annulled_at IS NULL AND seen.missing_since IS NULL
                        ELSE false END
        """,
    ),
)
