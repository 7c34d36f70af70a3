"""The older families with endpoints of their own: Veo, Runway, Aleph, GPT-4o image, Flux Kontext and Suno.

Each create call is one row of a table; the formats of answers and callbacks are in `records.py`. Three Suno calls
answer at once, without a task: persona, style boost, timestamped lyrics.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from photomat_sandbox.kie.inputs import NO_SUCH_PARENT, check_parents
from photomat_sandbox.kie.jobs import TRACKS, created_detail, created_summary
from photomat_sandbox.kie.models import KieRefusal, Output, output_count_of
from photomat_sandbox.kie.records import family_record
from photomat_sandbox.kie.results import boosted_style, persona_object, stem_names, timed_words
from photomat_sandbox.kie.routing import KieReply, KieRouter, base_url_of, body_of, reply
from photomat_sandbox.kie.task_runner import TaskRunner
from photomat_sandbox.kie.tasks import Family, Task, TaskOrder
from photomat_sandbox.kie.world import KieWorld

MUSIC: Final = ("model", "callBackUrl")
SUNO_MUSIC: Final = {
    "generate": ("prompt", "customMode", "instrumental", *MUSIC),
    "generate/extend": ("defaultParamFlag", "audioId", *MUSIC),
    "generate/upload-cover": ("uploadUrl", "prompt", "customMode", "instrumental", *MUSIC),
    "generate/upload-extend": ("uploadUrl", "defaultParamFlag", "continueAt", *MUSIC),
    "generate/add-instrumental": ("uploadUrl", "title", "negativeTags", "tags", "callBackUrl"),
    "generate/add-vocals": ("prompt", "title", "negativeTags", "style", "uploadUrl", "callBackUrl"),
    "generate/mashup": ("uploadUrlList", "style", "title", "customMode", *MUSIC),
    "generate/replace-section": ("prompt", "tags", "title", "infillStartS", "infillEndS", "fullLyrics"),
    "generate/sounds": ("prompt", "model"),
}
SUNO_CREDITS: Final = {"generate/replace-section": 5.0, "generate/sounds": 2.5}
VEO_CREDITS: Final = {"veo3": 250.0, "veo3_fast": 60.0, "veo3_lite": 30.0}
QUERIES: Final[Mapping[str, tuple[Family, str]]] = {
    "veo/record-info": ("veo", ""),
    "runway/record-detail": ("runway", ""),
    "aleph/record-info": ("aleph", ""),
    "gpt4o-image/record-info": ("gpt4o-image", ""),
    "flux/kontext/record-info": ("flux-kontext", ""),
    "generate/record-info": ("suno", "music"),
    "lyrics/record-info": ("suno", "lyrics"),
    "wav/record-info": ("suno", "wav"),
    "vocal-removal/record-info": ("suno", "vocals"),
    "midi/record-info": ("suno", "midi"),
    "mp4/record-info": ("suno", "mp4"),
    "suno/cover/record-info": ("suno", "cover"),
}
UNKNOWN: Final[Mapping[Family, str]] = {"gpt4o-image": "The record does not exist"}
STYLE_CREDITS: Final = 0.4
LYRICS_CREDITS: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateCall:
    """One create call: required fields, output, and price by the model it names."""

    family: Family
    output: Output
    required: tuple[str, ...]
    credits: float
    credits_by_model: Mapping[str, float] | None = None
    shape: str = "resultUrls"
    parent: bool = False
    """It is made from a task: the body's taskId must be one that ended well."""


CREATES: Final[Mapping[str, CreateCall]] = {
    "veo/generate": CreateCall(
        family="veo", output="video", required=("prompt",), credits=60, credits_by_model=VEO_CREDITS
    ),
    "veo/extend": CreateCall(family="veo", output="video", required=("taskId", "prompt"), credits=60, parent=True),
    "veo/get-4k-video": CreateCall(
        family="veo", output="video", required=("taskId",), credits=120, shape="4k", parent=True
    ),
    "runway/generate": CreateCall(
        family="runway", output="video", required=("prompt", "duration", "quality"), credits=12
    ),
    "runway/extend": CreateCall(
        family="runway", output="video", required=("taskId", "prompt", "quality"), credits=12, parent=True
    ),
    "aleph/generate": CreateCall(family="aleph", output="video", required=("prompt", "videoUrl"), credits=110),
    "gpt4o-image/generate": CreateCall(family="gpt4o-image", output="image", required=("size",), credits=6),
    "flux/kontext/generate": CreateCall(
        family="flux-kontext",
        output="image",
        required=("prompt",),
        credits=5,
        credits_by_model={"flux-kontext-max": 10.0},
    ),
    **{
        path: CreateCall(
            family="suno", output="audio", required=required, credits=SUNO_CREDITS.get(path, 12.0), shape="music"
        )
        for path, required in SUNO_MUSIC.items()
    },
    "lyrics": CreateCall(family="suno", output="json", required=("prompt", "callBackUrl"), credits=0.4, shape="lyrics"),
    "wav/generate": CreateCall(
        family="suno",
        output="audio",
        required=("taskId", "audioId", "callBackUrl"),
        credits=0.4,
        shape="wav",
        parent=True,
    ),
    "vocal-removal/generate": CreateCall(
        family="suno",
        output="audio",
        required=("callBackUrl",),
        credits=10,
        shape="vocals",
    ),
    "midi/generate": CreateCall(
        family="suno", output="json", required=("taskId", "callBackUrl"), credits=0, shape="midi", parent=True
    ),
    "mp4/generate": CreateCall(
        family="suno",
        output="video",
        required=("taskId", "audioId", "callBackUrl"),
        credits=2,
        shape="mp4",
        parent=True,
    ),
    "suno/cover/generate": CreateCall(
        family="suno", output="image", required=("taskId",), credits=0, shape="cover", parent=True
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyRoutes:
    """The handlers of the old endpoints; faults and the transcript name them by their path below /api/v1/."""

    world: KieWorld
    runner: TaskRunner

    def add_routes(self, app: web.Application, router: KieRouter) -> None:
        for path, create in CREATES.items():
            handler = router.route(path, self._creator(path, create), counts="create")
            app.router.add_post(f"/api/v1/{path}", handler)
        for path, (family, shape) in QUERIES.items():
            app.router.add_get(f"/api/v1/{path}", router.route(path, self._query(family, shape), counts="query"))
        app.router.add_get(
            "/api/v1/veo/get-1080p-video", router.route("veo/get-1080p-video", self.full_hd, counts="query")
        )

    async def full_hd(self, request: web.Request) -> KieReply:
        """Return the larger video of a Veo task; "not ready" is a normal refusal."""
        self.runner.advance()
        task = self.world.tasks.get(request.query.get("taskId", ""))
        if task is None or task.order.family != "veo":
            raise KieRefusal(422, NO_SUCH_PARENT)
        if task.state != "success" or not task.results:
            raise KieRefusal(400, "The 1080p video is not ready yet. Please try again in 20 to 30 seconds.")
        return reply(f"1080p film of {task.task_id[:8]}…", {"resultUrl": task.results[0]}, task_id=task.task_id)

    def _creator(self, path: str, create: CreateCall) -> Callable[[web.Request], Awaitable[KieReply]]:
        async def accept(request: web.Request) -> KieReply:
            sent = await body_of(request)
            self._check(path, create, sent)
            task = self.runner.accept(_order(path, create, sent, base_url_of(request, self.world)))
            return reply(created_summary(task), {"taskId": task.task_id}, **created_detail(task))

        return accept

    def _check(self, path: str, create: CreateCall, sent: Mapping[str, Any]) -> None:
        if "callBackUrl" in create.required and not sent.get("callBackUrl"):
            raise KieRefusal(422, "Please enter callBackUrl.")
        for name in create.required:
            if sent.get(name) in (None, "", []):
                raise KieRefusal(500, f"{name} is required")
        if create.parent or sent.get("taskId"):
            self.runner.advance()
            check_parents(self.world, sent)
        if create.shape == "vocals" and not (sent.get("audioUrl") or (sent.get("taskId") and sent.get("audioId"))):
            raise KieRefusal(500, "taskId is required")
        if path == "runway/generate" and (str(sent["duration"]), sent["quality"]) == ("10", "1080p"):
            raise KieRefusal(422, "10-second videos are not available in 1080p")

    def _query(self, family: Family, shape: str) -> Callable[[web.Request], Awaitable[KieReply]]:
        async def show(request: web.Request) -> KieReply:
            self.runner.advance()
            task = self.world.tasks.get(request.query.get("taskId", ""))
            if task is None or task.order.family != family or (shape and task.order.shape != shape):
                if shape == "music":
                    return reply("query of an unknown music task → null", None)
                raise KieRefusal(422, UNKNOWN.get(family, "recordInfo is null"))
            return self._shown(task)

        return show

    def _shown(self, task: Task) -> KieReply:
        data = family_record(task, self.world.settings, now=self.world.clock())
        return reply(f"query of {task.task_id[:8]}… → {task.state}", data, task_id=task.task_id, state=task.state)


def _order(path: str, create: CreateCall, sent: Mapping[str, Any], base_url: str) -> TaskOrder:
    model = str(sent.get("model") or path)
    return TaskOrder(
        family=create.family,
        model=f"{create.family}/{model}" if create.family == "suno" else model,
        output=create.output,
        shape=create.shape,
        sent=sent,
        given=sent,
        credits=(create.credits_by_model or {}).get(model, create.credits),
        base_url=base_url,
        count=_count(create.shape, sent),
        operation=path,
    )


def _count(shape: str, sent: Mapping[str, Any]) -> int:
    match shape:
        case "music" | "cover":
            return TRACKS
        case "vocals":
            return len(stem_names(sent))
        case _:
            return output_count_of(sent)


@dataclass(frozen=True, slots=True, kw_only=True)
class SunoToolRoutes:
    world: KieWorld
    runner: TaskRunner

    def add_routes(self, app: web.Application, router: KieRouter) -> None:
        for path, act in (
            ("generate/generate-persona", self.persona),
            ("generate/get-timestamped-lyrics", self.timed_lyrics),
            ("style/generate", self.style),
        ):
            app.router.add_post(f"/api/v1/{path}", router.route(path, act, counts="create"))

    async def persona(self, request: web.Request) -> KieReply:
        sent = await _needed(request, "taskId", "audioId", "name", "description")
        song = self._song(sent)
        return reply(f"persona of {song.task_id[:8]}…", persona_object(song.task_id, sent))

    async def timed_lyrics(self, request: web.Request) -> KieReply:
        song = self._song(await _needed(request, "taskId", "audioId"))
        self.world.take_credits(LYRICS_CREDITS)
        return reply(f"timed lyrics of {song.task_id[:8]}…", timed_words(song.order.prompt))

    async def style(self, request: web.Request) -> KieReply:
        content = str((await _needed(request, "content"))["content"])
        self.world.take_credits(STYLE_CREDITS)
        data = {
            "taskId": None,
            "param": content,
            "result": boosted_style(content),
            "creditsConsumed": STYLE_CREDITS,
            "creditsRemaining": self.world.credits,
            "successFlag": "成功",
            "errorCode": None,
            "errorMessage": "",
        }
        return reply("style boost", data)

    def _song(self, sent: dict[str, Any]) -> Task:
        self.runner.advance()
        check_parents(self.world, sent)
        song = self.world.tasks[str(sent["taskId"])]
        if not song.has_tracks:
            raise KieRefusal(422, NO_SUCH_PARENT)
        return song


async def _needed(request: web.Request, *names: str) -> dict[str, Any]:
    """Read the body; refuse it when one of these fields is missing."""
    sent = await body_of(request)
    for name in names:
        if sent.get(name) in (None, ""):
            raise KieRefusal(500, f"{name} is required")
    return sent
