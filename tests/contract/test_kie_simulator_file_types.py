"""The simulated Kie takes files of the types the vendor documents for a model, and refuses orders with others."""

import aiohttp
import pytest

from support import media_bytes as made
from support.kie_sim import RunningKie, running_kie
from support.real_media import PHOTO, REAL_FILES

JPEG = made.image("JPEG")
VOICE = REAL_FILES["voice-note.ogg"].content


async def uploaded(kie: RunningKie, content: bytes) -> str:
    form = aiohttp.FormData({"uploadPath": "tests", "fileName": "a.jpg"})
    form.add_field("file", content, filename="a.jpg", content_type="image/jpeg")
    async with kie.client.post(kie.url + "/api/file-stream-upload", data=form) as answer:
        return str((await answer.json())["data"]["downloadUrl"])


@pytest.mark.parametrize(
    ("model", "field", "content", "code"),
    [
        ("google/nano-banana-edit", "image_urls", JPEG, 200),
        ("google/nano-banana-edit", "image_urls", PHOTO.read_bytes(), 422),
        ("minimax-h3/reference-to-video", "reference_image_urls", PHOTO.read_bytes(), 200),
        ("bytedance/seedance-2", "reference_audio_urls", VOICE, 422),
        ("bytedance/seedance-2", "reference_audio_urls", made.mp3(tag=False), 200),
    ],
)
async def test_a_file_is_taken_by_its_content(model: str, field: str, content: bytes, code: int) -> None:
    async with running_kie() as kie:
        url = await uploaded(kie, content)
        order = {"model": model, "input": {"prompt": "a cat", "duration": 5, field: [url]}}
        answer = await kie.post("/api/v1/jobs/createTask", order)
        assert answer["code"] == code, answer
