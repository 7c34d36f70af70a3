"""What operators say of a model without a deploy: every statement on `model_settings`.

Read with each use, so a change holds everywhere at once; most models have no row.
"""

from photomat.catalog.shelf import AS_IN_ITS_FILE, ModelSetting
from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row


async def settings_of_models(session: Pool | Transaction) -> dict[str, ModelSetting]:
    """What is set now, by model."""
    rows = await session.fetch("SELECT model, hidden, featured, sold, title_ru, title_en FROM model_settings")
    return {row["model"]: _setting(row) for row in rows}


async def setting_of(session: Pool | Transaction, model: str) -> ModelSetting:
    """What is set now for one model."""
    row = await session.fetchrow(
        "SELECT hidden, featured, sold, title_ru, title_en FROM model_settings WHERE model = $1", model
    )
    return AS_IN_ITS_FILE if row is None else _setting(row)


async def lock_setting(tx: Transaction, model: str) -> ModelSetting:
    """What is set for a model, held until this transaction ends: changes of one model happen one after the other."""
    await tx.execute("INSERT INTO model_settings (model) VALUES ($1) ON CONFLICT (model) DO NOTHING", model)
    row = await tx.fetchrow(
        "SELECT hidden, featured, sold, title_ru, title_en FROM model_settings WHERE model = $1 FOR UPDATE", model
    )
    return AS_IN_ITS_FILE if row is None else _setting(row)


async def keep_setting(tx: Transaction, model: str, setting: ModelSetting) -> None:
    """Set it, for every reader from the commit on."""
    await tx.execute(
        """
        UPDATE model_settings
           SET hidden = $2, featured = $3, sold = $4, title_ru = $5, title_en = $6, changed_at = photomat_now()
         WHERE model = $1
        """,
        model,
        setting.hidden,
        setting.featured,
        setting.sold,
        setting.title_ru,
        setting.title_en,
    )


def _setting(row: Row) -> ModelSetting:
    return ModelSetting(
        hidden=row["hidden"],
        featured=row["featured"],
        sold=row["sold"],
        title_ru=row["title_ru"],
        title_en=row["title_en"],
    )
