"""What a task is made from: earlier tasks and single tracks of them, and files that lie with us.

An earlier task that is unknown or has not ended well is refused when the order comes, and so is a track that is not one of its
tracks. A track alone, without its task, is looked for later: the order is taken and fails, as the vendor was recorded to do.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

from photomat_sandbox.kie.tasks import Order
from photomat_sandbox.kie.validation import RefusedError
from photomat_sandbox.kie.world import KieWorld

TASK_FIELDS: Final = ("task_id", "taskId")
TRACK_FIELDS: Final = ("audio_id", "audioId")
NO_SUCH_PARENT: Final = "Record does not exist"


def check_parents(world: KieWorld, given: Mapping[str, Any]) -> None:
    """Refuse an order made from a task, or a track of a task, that is not there."""
    task_id, track = _named(given, TASK_FIELDS), _named(given, TRACK_FIELDS)
    if not task_id:
        return
    parent = world.tasks.get(task_id)
    if parent is None or parent.state != "success":
        raise RefusedError(422, NO_SUCH_PARENT)
    if track and parent.has_tracks and world.tracks.get(track) != task_id:
        raise RefusedError(422, NO_SUCH_PARENT)


def lacks_something(world: KieWorld, order: Order) -> bool:
    """Whether an order names a file of ours that is not there (any more), or a lone track nobody knows."""
    track = _named(order.given, TRACK_FIELDS)
    if track and not _named(order.given, TASK_FIELDS) and track not in world.tracks:
        return True
    return any(_is_lost(world, order.base_url, text) for text in _texts(order.given))


def _is_lost(world: KieWorld, base_url: str, address: str) -> bool:
    if address.startswith(f"{base_url}/files/"):
        return world.live_upload(unquote(address.removeprefix(f"{base_url}/files/"))) is None
    if address.startswith(f"{base_url}/results/"):
        return world.live_result(address.removeprefix(f"{base_url}/results/").partition("?")[0]) is None
    return False


def _texts(value: Any) -> Iterator[str]:
    """Every text in an order, also inside lists and lines of lists."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts(item)
        case Mapping():
            yield from _texts(list(value.values()))


def _named(given: Mapping[str, Any], fields: tuple[str, ...]) -> str:
    return next((str(given[name]) for name in fields if given.get(name)), "")
