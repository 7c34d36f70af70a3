"""What can be done next with an output: wishes of the catalogue that start from what it is, as far as they are sold. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from photomat.catalog.input import FileKind
from photomat.catalog.model import Model
from photomat.catalog.storefront import Storefront
from photomat.catalog.wishes import Start, Wish, model_for, source_input, wishes
from photomat.delivery.fallbacks import BY_MIME
from photomat.delivery.outputs import Output
from photomat.kernel.ids import JobId
from photomat.telegram import callback_data
from photomat.telegram.port import Button, Keyboard, MediaKind
from photomat.texts.load import Say

OFFERED: Final[Mapping[Start, tuple[str, ...]]] = {
    "image": ("animate", "enhance", "edit", "background"),
    "video": ("enhance-video", "extend-video", "revideo"),
    "track": ("extend-song", "cover", "clip"),
    "audio": ("avatar", "clean-audio"),
}
"""The wishes offered below a result, by what it is, in this order; each has a short label, `next-…`."""
KINDS: Final[Mapping[MediaKind, FileKind]] = {
    MediaKind.PHOTO: "image", MediaKind.VIDEO: "video", MediaKind.AUDIO: "audio",
}  # fmt: skip
AUDIO: Final = "audio/"
FILES: Final[Mapping[str, FileKind]] = {"image": "image", "video": "video", "audio": "audio"}
MAX_IN_A_ROW: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class NextSteps:
    """What is sold now; without a storefront nothing is."""

    storefront: Storefront | None = None

    def wishes_for(self, start: Start | None) -> tuple[Wish, ...]:
        sold = (wishes()[name] for name in OFFERED.get(start, ())) if start is not None else ()
        return tuple(wish for wish in sold if start is not None and self.model_for(wish, start) is not None)

    def model_for(self, wish: Wish, start: Start) -> Model | None:
        """The model that serves a wish from such an output; None when none is sold."""
        model = model_for(wish, self.storefront) if self.storefront is not None else None
        return model if model is not None and takes(model, start) else None

    def may_vary(self, model_id: str) -> bool:
        """Whether the same order may turn out otherwise: its model is sold, and takes words for what to make."""
        model = self.storefront.get(model_id) if self.storefront is not None else None
        return model is not None and (model.input_for("prompt") or model.input_for("lyrics")) is not None


NOTHING_SOLD: Final = NextSteps()


def takes(model: Model, start: Start) -> bool:
    if start != "track":
        return source_input(model, start) is not None
    return model.input_for("source_track") is not None or source_input(model, "audio") is not None


def start_of(output: Output, *, ordered: str | None) -> Start | None:
    """What an output is to begin with, judged by its bytes; before they are known, by the kind that was ordered."""
    if output.is_track:
        return "track"
    if output.mime is None:
        return FILES.get(ordered or "")
    if output.mime.startswith(AUDIO):
        return "audio"
    kind = BY_MIME.get(output.mime)
    return KINDS.get(kind) if kind is not None else None


def step_rows(say: Say, *, job_id: JobId, position: int, wishes: Sequence[Wish], may_vary: bool) -> Keyboard:
    """The buttons below a result that begin new orders: two rows at most."""
    steps = [
        Button(text=say(f"next-{wish.id}"), data=callback_data.go_on_from(job_id, position, wish.id)) for wish in wishes
    ]
    if may_vary:
        steps.append(Button(text=say("next-variant"), data=callback_data.act_on_job(job_id, "variant")))
    rows = -(-len(steps) // MAX_IN_A_ROW)
    width = -(-len(steps) // rows) if rows else 1
    return tuple(tuple(steps[start : start + width]) for start in range(0, len(steps), width))


def favourite_button(say: Say, *, job_id: JobId, is_favourite: bool) -> Button:
    """The state a tap asks for stands in the button, so a tap handled again changes nothing."""
    key = "card-button-favourite" if is_favourite else "card-button-like"
    return Button(text=say(key), data=callback_data.act_on_job(job_id, "unlike" if is_favourite else "like"))
