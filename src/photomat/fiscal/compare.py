"""Once a day the tax service's list is compared with our rows, both ways; what differs is a difference with an owner.

The list of the last days is recorded as seen documents. A document that a complete list lacks is `missing`; a row that is still
open though its document exists is looked up at once; one whose document was annulled by hand says so. Then the differences are
computed from all rows, so one that was settled ends automatically.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from photomat.audit import differences
from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import require_row
from photomat.fiscal import store
from photomat.kernel.logs import get_logger
from photomat.providers.fiscal_port import TaxService

EVERY: Final = timedelta(hours=24)
BACK: Final = timedelta(days=7)
SETTLES: Final = timedelta(minutes=30)
"""The newest documents are left to the loop, which may be in the middle of them."""
DIFFERENCES: Final[Mapping[str, str]] = {
    "fiscal-document-unknown": """
        SELECT reference, 'no receipt of that number' AS expected, 'receipt ' || min(external_id) AS found
          FROM fiscal_documents AS seen
         WHERE issuer = 'my_tax' AND annulled_at IS NULL
           AND NOT EXISTS (SELECT FROM fiscal_receipts AS ours WHERE ours.reference = seen.reference)
         GROUP BY reference""",
    "fiscal-document-double": """
        SELECT min(ours.reference) AS reference, 'one receipt of payment ' || payment_id AS expected,
               string_agg(seen.external_id, ', ' ORDER BY seen.external_id) AS found
          FROM fiscal_documents AS seen JOIN fiscal_receipts AS ours USING (reference)
         WHERE seen.annulled_at IS NULL AND seen.missing_since IS NULL AND ours.kind = 'income'
         GROUP BY payment_id HAVING count(*) > 1""",
    "fiscal-document-missing": """
        SELECT ours.reference, 'receipt ' || seen.external_id AS expected, 'none in the list' AS found
          FROM fiscal_documents AS seen JOIN fiscal_receipts AS ours USING (reference)
         WHERE seen.missing_since IS NOT NULL AND seen.annulled_at IS NULL AND ours.state = 'issued'""",
    "fiscal-document-annulled": """
        SELECT ours.reference, 'receipt ' || ours.external_id AS expected, 'annulled, and no refund asked for it' AS found
          FROM fiscal_receipts AS ours
         WHERE ours.kind = 'income' AND ours.state = 'annulled'
           AND NOT EXISTS (SELECT FROM fiscal_receipts AS annulment
                            WHERE annulment.payment_id = ours.payment_id AND annulment.kind = 'annulment'
                              AND annulment.round = ours.round)""",
}
log = get_logger()


async def compare_if_due(pool: Pool, tax: TaxService | None) -> bool:
    """Compare once a day; False if it is not due, or the list could not be read to its end."""
    if tax is None:
        return False
    due = await require_row(
        pool,
        """
        SELECT photomat_now() AS now, coalesce((SELECT ended_at <= photomat_now() - $1::interval FROM fiscal_comparisons
                                                 WHERE issuer = 'my_tax'), true) AS is_due
        """,
        EVERY,
    )
    return bool(due["is_due"]) and await compare(pool, tax, now=due["now"])


async def compare(pool: Pool, tax: TaxService, *, now: datetime) -> bool:
    """Compare the list of the last days; False if it was not complete, and then only what was seen is recorded."""
    since = now - BACK
    listed = await tax.documents(since=since, until=now + SETTLES)
    async with transaction(pool) as tx:
        await store.record_documents(tx, issuer="my_tax", documents=listed.documents)
        await _look_again(tx)
        await _mark_annulled(tx)
        if listed.is_complete:
            await _mark_missing(
                tx, since=since, until=now - SETTLES, seen=[one.external_id for one in listed.documents]
            )
            await tx.execute(
                """
                INSERT INTO fiscal_comparisons (issuer, compared_to, ended_at) VALUES ('my_tax', $1, photomat_now())
                    ON CONFLICT ON CONSTRAINT fiscal_comparisons_pkey DO UPDATE
                   SET compared_to = excluded.compared_to, ended_at = excluded.ended_at
                """,
                now,
            )
        found = await report_differences(tx)
    log.info("FISCAL_COMPARED", documents=len(listed.documents), complete=listed.is_complete, differences=found)
    return listed.is_complete


async def _look_again(tx: Transaction) -> None:
    """A row that waits to be sent, though a document of its reference is live: look it up instead."""
    await tx.execute(
        """
        UPDATE fiscal_receipts AS ours
           SET state = 'unknown', sent_at = coalesce(sent_at, photomat_now()), due_at = photomat_now(), fence = fence + 1
          FROM fiscal_documents AS seen
         WHERE seen.reference = ours.reference AND seen.annulled_at IS NULL
           AND ours.kind = 'income' AND ours.state = 'wanted' AND ours.issuer = 'my_tax'
        """
    )


async def _mark_annulled(tx: Transaction) -> None:
    await tx.execute(
        """
        UPDATE fiscal_receipts AS ours SET state = 'annulled', closed_at = photomat_now()
          FROM fiscal_documents AS seen
         WHERE seen.issuer = ours.issuer AND seen.external_id = ours.external_id AND seen.annulled_at IS NOT NULL
           AND ours.kind = 'income' AND ours.state = 'issued'
        """
    )


async def _mark_missing(tx: Transaction, *, since: datetime, until: datetime, seen: list[str]) -> None:
    await tx.execute(
        """
        UPDATE fiscal_documents SET missing_since = photomat_now()
         WHERE issuer = 'my_tax' AND operation_at BETWEEN $1 AND $2 AND first_seen_at < $2 AND missing_since IS NULL
           AND external_id <> ALL ($3::text[])
        """,
        since,
        until,
        seen,
    )


async def report_differences(tx: Transaction) -> int:
    """Report what differs among all rows and end what was settled; return how many differ."""
    total = 0
    for kind, sql in DIFFERENCES.items():
        rows = await tx.fetch(sql)
        for row in rows:
            await differences.report(
                tx, kind=kind, reference=row["reference"], expected=row["expected"], found=row["found"], again=False
            )
        await differences.end_unseen(tx, kind=kind, still_there=[row["reference"] for row in rows])
        total += len(rows)
    return total
