"""How results reach people, put together: the copies we keep, the cards, what is sent once more, the door to large files."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from photomat.catalog.model import Catalog
from photomat.db.pool import Pool
from photomat.delivery.coordinator import Coordinator
from photomat.delivery.keep import Keeper
from photomat.delivery.resend import Resender
from photomat.delivery.result_link import Links
from photomat.delivery.sender import Sender
from photomat.settings import Settings
from photomat.telegram.port import Messenger
from photomat.texts.load import Texts
from photomat.web.result_file import ResultDoor
from photomat.wiring.files import result_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Makes the parts that show results."""

    settings: Settings
    pool: Pool
    texts: Texts
    catalog: Catalog

    @property
    def keeper(self) -> Keeper:
        """What copies results to our disk."""
        return Keeper(pool=self.pool, files=result_files(self.settings))

    @property
    def links(self) -> Links:
        """Lasting addresses of our copies, if the outside can reach us."""
        return Links(address=self.settings.address, secrets=self.settings.callback_secrets)

    @property
    def door(self) -> ResultDoor:
        """Where those addresses lead."""
        return ResultDoor(pool=self.pool, keeper=self.keeper, secrets=self.settings.callback_secrets)

    def coordinator(self, messenger: Messenger, wake: Callable[[str], None]) -> Coordinator:
        """What brings cards up to date."""
        sender = Sender(
            pool=self.pool,
            messenger=messenger,
            keeper=self.keeper,
            texts=self.texts,
            links=self.links,
            rich=self.settings.rich_results,
        )
        return Coordinator(
            pool=self.pool,
            messenger=messenger,
            sender=sender,
            texts=self.texts,
            model_of=self.catalog.models.get,
            wake=wake,
            lease=timedelta(seconds=self.settings.delivery_lease_s),
        )

    def resender(self, messenger: Messenger) -> Resender:
        """What sends a result once more."""
        return Resender(
            pool=self.pool,
            messenger=messenger,
            keeper=self.keeper,
            texts=self.texts,
            model_of=self.catalog.models.get,
            links=self.links,
        )
