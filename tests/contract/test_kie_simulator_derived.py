"""What the made-up Kie.ai makes from a file that was sent can be recognised: an upscaled cat stays a cat."""

import base64
import io
import json
import wave
from typing import Any

from PIL import Image

from photomat_sandbox.file_formats import measure, sniff
from photomat_sandbox.kie.derived import derive_picture
from photomat_sandbox.kie.results import ResultFile
from support.kie_sim import RunningKie, running_kie

RED, BLUE = (214, 40, 40), (30, 60, 200)


def halves(width: int = 300, height: int = 200) -> bytes:
    """A picture that cannot be mistaken: red on the left, blue on the right."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(BLUE, (width // 2, 0, width, height))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


async def uploaded(kie: RunningKie, content: bytes, name: str) -> str:
    body = {"base64Data": base64.b64encode(content).decode(), "uploadPath": "in", "fileName": name}
    return str((await kie.post("/api/file-base64-upload", body))["data"]["downloadUrl"])


async def made(kie: RunningKie, model: str, **given: Any) -> bytes:
    task_id = await kie.task(model=model, input=given)
    record = await kie.ended(task_id)
    assert record["state"] == "success", record
    found = json.loads(record["resultJson"])
    url = found["resultUrls"][0] if "resultUrls" in found else found["data"][0]["audio_url"]
    async with kie.client.get(url) as response:
        assert response.status == 200
        return await response.read()


def is_halves(image: Image.Image, *, tolerance: int = 90) -> bool:
    shown = image.convert("RGB")
    places = {0.2: RED, 0.8: BLUE}
    found = {across: shown.crop(_around(shown, across)).resize((1, 1)).tobytes() for across in places}
    return all(
        abs(ours - theirs) <= tolerance
        for across, colour in places.items()
        for ours, theirs in zip(found[across], colour, strict=True)
    )


def _around(image: Image.Image, across: float) -> tuple[int, int, int, int]:
    x, y = int(image.width * across), int(image.height * 0.3)
    return (x - 2, y - 2, x + 2, y + 2)


async def test_an_enlarged_picture_is_the_same_and_larger() -> None:
    async with running_kie(picture_side_px=64) as kie:
        url = await uploaded(kie, halves(), "cat.png")
        for factor, size in (("2", (600, 400)), ("4", (1200, 800))):
            image = Image.open(io.BytesIO(await made(kie, "topaz/image-upscale", image_url=url, upscale_factor=factor)))
            assert image.size == size
            assert is_halves(image, tolerance=30)


async def test_a_picture_without_background_keeps_its_middle_and_has_clear_edges() -> None:
    async with running_kie(picture_side_px=300) as kie:
        url = await uploaded(kie, halves(), "cat.png")
        image = Image.open(io.BytesIO(await made(kie, "recraft/remove-background", image=url)))
        assert (image.mode, image.size) == ("RGBA", (300, 200))
        assert is_halves(image, tolerance=30)
        alpha = image.getchannel("A")
        corners = [alpha.getpixel(place) for place in ((0, 0), (299, 0), (0, 199), (299, 199))]
        assert corners == [0] * 4
        assert alpha.getpixel((150, 100)) == 255


async def test_a_plain_background_goes_and_the_figure_stays() -> None:
    async with running_kie(picture_side_px=300) as kie:
        plain = Image.new("RGB", (300, 300), (240, 200, 150))
        plain.paste(RED, (90, 90, 210, 210))
        out = io.BytesIO()
        plain.save(out, "PNG")
        url = await uploaded(kie, out.getvalue(), "cat.png")
        image = Image.open(io.BytesIO(await made(kie, "recraft/remove-background", image=url)))
        alpha = image.getchannel("A")
        assert [alpha.getpixel(place) for place in ((60, 150), (150, 60), (240, 150))] == [0] * 3
        assert image.getpixel((150, 150)) == (*RED, 255)


async def test_a_changed_picture_can_be_recognised_and_differs_by_the_prompt() -> None:
    async with running_kie(picture_side_px=300) as kie:
        url = await uploaded(kie, halves(), "cat.png")
        order = {"image_urls": [url], "output_format": "png"}
        first, second = [
            await made(kie, "google/nano-banana-edit", prompt=prompt, **order) for prompt in ("в шляпе", "на луне")
        ]
        assert first != second
        for content in (first, second):
            image = Image.open(io.BytesIO(content))
            assert image.size == (300, 200), "the order names no ratio, so it keeps that of the picture"
            assert is_halves(image)


async def test_a_result_can_be_made_from_a_result() -> None:
    async with running_kie(picture_side_px=300) as kie:
        url = await uploaded(kie, halves(), "cat.png")
        task_id = await kie.task(
            model="google/nano-banana-edit", input={"prompt": "в шляпе", "image_urls": [url], "output_format": "png"}
        )
        (edited,) = json.loads((await kie.ended(task_id))["resultJson"])["resultUrls"]
        image = Image.open(io.BytesIO(await made(kie, "topaz/image-upscale", image_url=edited, upscale_factor="2")))
        assert image.size == (600, 400)
        assert is_halves(image)


async def test_an_animated_picture_has_its_shape_and_moves() -> None:
    async with running_kie(picture_side_px=160) as kie:
        url = await uploaded(kie, halves(320, 480), "cat.png")
        video = await made(
            kie, "kling-2.6/image-to-video", prompt="кот идёт", image_urls=[url], duration="5", sound=False
        )
        shape = measure(video, sniff(video))
        assert shape.height > shape.width > 0
        still = await made(
            kie, "kling-2.6/image-to-video", prompt="кот идёт", image_urls=[url], duration="5", sound=False
        )
        assert still == video, "the same order gives the same video"


def test_its_frames_differ_and_the_first_is_the_picture() -> None:
    source = Image.open(io.BytesIO(halves())).convert("RGB")
    file = ResultFile(
        name="a.mp4",
        output="video",
        prompt="",
        model="m",
        ratio=(16, 9),
        index=0,
        count=1,
        made_at=0.0,
        ratio_given=False,
        moves=True,
    )
    first, middle = [derive_picture(file, source, side_px=300, moment=moment) for moment in (0.0, 0.4)]
    assert first.tobytes() == source.tobytes()
    assert middle.size == first.size
    assert middle.tobytes() != first.tobytes()


async def test_an_enlarged_video_is_the_video_that_was_sent() -> None:
    async with running_kie(picture_side_px=160) as kie:
        video = await made(kie, "kling-2.6/text-to-video", prompt="кот", duration="5", aspect_ratio="1:1", sound=False)
        url = await uploaded(kie, video, "cat.mp4")
        assert await made(kie, "topaz/video-upscale", video_url=url, upscale_factor="2") == video


async def test_a_cover_is_as_long_as_the_song_that_was_sent() -> None:
    async with running_kie() as kie:
        out = io.BytesIO()
        with wave.open(out, "wb") as song:
            song.setnchannels(1)
            song.setsampwidth(2)
            song.setframerate(8000)
            song.writeframes(bytes(2 * 8000 * 21))
        url = await uploaded(kie, out.getvalue(), "song.wav")
        cover = await made(kie, "elevenlabs/audio-isolation", audio_url=url)
        assert abs(measure(cover, sniff(cover)).duration - 21) <= 1


async def test_a_file_that_is_no_picture_is_drawn_as_if_nothing_was_sent() -> None:
    async with running_kie(picture_side_px=64) as kie:
        url = await uploaded(kie, b"\x89PNG but broken", "cat.png")
        image = Image.open(io.BytesIO(await made(kie, "topaz/image-upscale", image_url=url, upscale_factor="2")))
        assert image.size == (64, 64)
