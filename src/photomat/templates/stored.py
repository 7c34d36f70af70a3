"""What operators change about templates without a deploy: every statement on `templates`. Read with each use."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from photomat.catalog.model import Catalog
from photomat.catalog.storefront import Storefront
from photomat.db.pool import Pool, Transaction
from photomat.kernel.errors import Startup
from photomat.kernel.logs import get_logger
from photomat.templates.load import read_template
from photomat.templates.template import Template

log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTemplate:
    """A template with what operators decided: whether it is hidden, and whether they added it."""

    template: Template
    hidden: bool
    added: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """All templates: those of our file, then those operators added. One they added under an id of ours replaces ours."""

    pool: Pool
    catalog: Catalog
    shipped: Mapping[str, Template]

    async def known(self) -> dict[str, KnownTemplate]:
        rows = await self.pool.fetch(
            "SELECT template_id, definition, hidden FROM templates ORDER BY changed_at, template_id"
        )
        hidden = {row["template_id"] for row in rows if row["hidden"]}
        found = {
            each.id: KnownTemplate(template=each, hidden=each.id in hidden, added=False)
            for each in self.shipped.values()
        }
        for row in rows:
            added = self._read(row["template_id"], row["definition"]) if row["definition"] is not None else None
            if added is not None:
                found[added.id] = KnownTemplate(template=added, hidden=row["hidden"], added=True)
        return found

    async def shown(self, storefront: Storefront) -> list[Template]:
        """Those customers see: not hidden, and of a model that is sold."""
        known = (await self.known()).values()
        return [each.template for each in known if not each.hidden and each.template.model_on(storefront) is not None]

    def _read(self, template_id: str, definition: Any) -> Template | None:
        """An added template; None when today's catalogue no longer fits it."""
        try:
            return read_template(definition, self.catalog, name="added by an operator")
        except Startup as error:
            log.warning("TEMPLATE_UNUSABLE", template=template_id, reason=str(error))
            return None


async def hide_template(tx: Transaction, template_id: str, *, hidden: bool) -> bool:
    """Hide a template or show it again; False when it is so already."""
    was = await tx.fetchval("SELECT hidden FROM templates WHERE template_id = $1 FOR UPDATE", template_id)
    if bool(was) is hidden:
        return False
    await tx.execute(
        """
        INSERT INTO templates (template_id, hidden) VALUES ($1, $2)
            ON CONFLICT (template_id) DO UPDATE SET hidden = excluded.hidden, changed_at = photomat_now()
        """,
        template_id,
        hidden,
    )
    return True


async def add_template(tx: Transaction, template_id: str, definition: Mapping[str, Any]) -> None:
    """Store a template that was checked before; one with the same id is replaced."""
    await tx.execute(
        """
        INSERT INTO templates (template_id, definition) VALUES ($1, $2)
            ON CONFLICT (template_id) DO UPDATE SET definition = excluded.definition, changed_at = photomat_now()
        """,
        template_id,
        definition,
    )
