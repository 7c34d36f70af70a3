"""Every kind of result of the made-up Kie.ai is a real file or an object with what the vendor puts into it."""

import io
import itertools
import json
import wave
from typing import Any, Final

import pytest
from PIL import Image

from photomat_sandbox.kie.models import KieModel, output_count, table
from support.kie_sim import RunningKie, running_kie

SONG: Final = {"prompt": "песня о море", "custom_mode": False, "instrumental": False, "model": "V5"}
PICTURE: Final = "https://files.example/a.png"
FIRST_BYTES: Final = {"png": b"\x89PNG", "jpeg": b"\xff\xd8\xff", "webp": b"RIFF", "mp3": b"\xff\xfb", "wav": b"RIFF"}
OBJECTS: Final[dict[str, tuple[dict[str, Any], set[str]]]] = {
    "elevenlabs/speech-to-text": ({"audio_url": "https://files.example/a.mp3"}, {"text", "words", "language_code"}),
    "grok-imagine-image-2-0/segment-map": ({"image_url": PICTURE}, {"segments_count", "segments"}),
    "omnihuman-1-5/human-identification": ({"image_url": PICTURE}, {"has_human", "humans_count"}),
    "ai-music-api/generate-lyrics": ({"prompt": "о море"}, {"lyricsData"}),
    "ai-music-api/boost-music-style": ({"content": "lo-fi"}, {"result"}),
    "ai-music-api/generate-persona": ({"name": "Анна", "description": "голос"}, {"personaId", "name"}),
    "ai-music-api/timeStamped-lyrics": ({}, {"alignedWords"}),
    "ai-music-api/generate-midi-from-audio": ({}, {"instruments"}),
}


async def result_of(kie: RunningKie, model: str, **order: Any) -> dict[str, Any]:
    record = await kie.ended(await kie.task(model=model, input=order))
    assert record["state"] == "success", record
    return dict(json.loads(record["resultJson"]))


async def song(kie: RunningKie) -> tuple[str, list[dict[str, Any]]]:
    task = await kie.task(model="ai-music-api/generate", input=SONG)
    return task, list(json.loads((await kie.ended(task))["resultJson"])["data"])


async def fetched(kie: RunningKie, url: str) -> tuple[str, bytes]:
    async with kie.client.get(url) as response:
        assert response.status == 200, url
        return response.content_type, await response.read()


async def test_a_song_is_two_different_tracks_with_names_and_jpeg_covers() -> None:
    async with running_kie(picture_side_px=64) as kie:
        _, tracks = await song(kie)
        assert len({track["id"] for track in tracks}) == len(tracks) == 2
        sounds = [await fetched(kie, track["audio_url"]) for track in tracks]
        covers = [await fetched(kie, track["image_url"]) for track in tracks]
    assert [mime for mime, _ in sounds + covers] == ["audio/mpeg"] * 2 + ["image/jpeg"] * 2
    assert len({content for _, content in sounds + covers}) == 4
    assert [Image.open(io.BytesIO(content)).format for _, content in covers] == ["JPEG", "JPEG"]
    frame_s, frame_bytes = 1152 / 32_000, 144
    assert [len(content) / frame_bytes * frame_s for _, content in sounds] == pytest.approx(
        [track["duration"] for track in tracks]
    )


@pytest.mark.parametrize("model", OBJECTS)
async def test_what_is_to_be_read_is_an_object_with_its_own_fields(model: str) -> None:
    order, fields = OBJECTS[model]
    async with running_kie() as kie:
        task, tracks = await song(kie)
        needed = {"task_id": task, "audio_id": tracks[0]["id"]}
        known = {item.name for item in table()[model].inputs}
        given = order | {name: value for name, value in needed.items() if name in known and "image_url" not in order}
        told = (await result_of(kie, model, **given))["resultObject"]
    assert fields <= told.keys()
    assert all(told[name] for name in fields)


async def test_the_parts_of_a_picture_have_masks_that_show_different_places() -> None:
    async with running_kie(picture_side_px=96) as kie:
        told = (await result_of(kie, "grok-imagine-image-2-0/segment-map", image_url=PICTURE))["resultObject"]
        masks = [Image.open(io.BytesIO((await fetched(kie, part["maskUrl"]))[1])) for part in told["segments"]]
    assert told["segments_count"] == len(masks) == 3
    assert {mask.mode for mask in masks} == {"L"}
    boxes = [mask.getbbox() for mask in masks]
    assert all(left and right and left[2] < right[0] for left, right in itertools.pairwise(boxes))


@pytest.mark.parametrize(("kind", "count"), [("separate_vocal", 2), ("split_stem", 13), ("split_stem_advanced", 2)])
async def test_a_song_is_taken_apart_into_files(kind: str, count: int) -> None:
    async with running_kie() as kie:
        task, tracks = await song(kie)
        order = {"task_id": task, "audio_id": tracks[0]["id"], "type": kind, "stem_name": "Piano"}
        told = (await result_of(kie, "ai-music-api/separate-vocals", **order))["resultObject"]
        listed = [part["audio_url"] for part in told["originData"]]
        parts = [(await fetched(kie, url))[1] for url in listed]
    assert len(set(parts)) == len(listed) == count
    fields = {name: url for name, url in told.items() if name.endswith("Url") and url}
    assert sorted(fields.values()) == ([] if kind == "split_stem_advanced" else sorted(listed))
    assert ("pianoUrl" in fields) is (kind == "split_stem")


@pytest.mark.parametrize(("wanted", "suffix"), [("webp", "webp"), ("png", "png"), ("jpeg", "jpeg")])
async def test_a_picture_has_the_format_that_was_ordered(wanted: str, suffix: str) -> None:
    order = {"image_urls": [PICTURE], "prompt": "кот", "output_format": wanted}
    async with running_kie(picture_side_px=64) as kie:
        (url,) = (await result_of(kie, "qwen2-1/image-to-image", **order))["resultUrls"]
        mime, content = await fetched(kie, url)
    assert (mime, content[:4].startswith(FIRST_BYTES[suffix])) == (f"image/{suffix}", True)


async def test_a_wav_is_a_wav_and_a_mov_is_a_quicktime_film() -> None:
    async with running_kie(picture_side_px=64) as kie:
        task, tracks = await song(kie)
        order = {"task_id": task, "audio_id": tracks[1]["id"]}
        (url,) = (await result_of(kie, "ai-music-api/convert-to-wav-format", **order))["resultUrls"]
        with wave.open(io.BytesIO((await fetched(kie, url))[1])) as sound:
            assert sound.getnframes() / sound.getframerate() == pytest.approx(tracks[1]["duration"])
        model = next(each for each in table().values() if _makes_mov(each))
        film = {item.name: "https://files.example/a.mp4" for item in model.inputs if item.required}
        (url,) = (await result_of(kie, model.id, **film, output_format="mov"))["resultUrls"]
        mime, content = await fetched(kie, url)
    assert (mime, content[4:12]) == ("video/quicktime", b"ftypqt  ")


@pytest.mark.parametrize("model", [each for each in table().values() if each.outputs > 1], ids=lambda model: model.id)
def test_a_model_that_always_gives_several_says_so(model: KieModel) -> None:
    assert output_count(model, {}) == model.outputs


def _makes_mov(model: KieModel) -> bool:
    return any(item.name == "output_format" and "mov" in (item.enum or ()) for item in model.inputs)


async def test_a_picture_without_its_background_has_nothing_behind_the_figure() -> None:
    async with running_kie(picture_side_px=64) as kie:
        removed = await result_of(kie, "recraft/remove-background", image=PICTURE)
        asked = await result_of(kie, "qwen2-1/text-to-image", prompt="кот", background="transparent")
        kept = await result_of(kie, "qwen2-1/text-to-image", prompt="кот", background="opaque")
        files = [await fetched(kie, found["resultUrls"][0]) for found in (removed, asked, kept)]
    assert [mime for mime, _ in files] == ["image/png"] * 3
    pictures = [Image.open(io.BytesIO(content)).convert("RGBA") for _, content in files]
    assert [image.getpixel((0, 0))[3] for image in pictures] == [0, 0, 255]  # type: ignore[index]  # four colours
    centres = [image.getpixel((image.width // 2, image.height // 3)) for image in pictures]
    assert [centre[3] for centre in centres] == [255] * 3  # type: ignore[index]  # likewise


async def test_a_jpeg_keeps_its_background_whatever_was_asked_for() -> None:
    async with running_kie(picture_side_px=64) as kie:
        order = {"prompt": "кот", "background": "transparent", "output_format": "jpeg"}
        found = await result_of(kie, "qwen2-1/text-to-image", **order)
        mime, content = await fetched(kie, found["resultUrls"][0])
    assert (mime, Image.open(io.BytesIO(content)).mode) == ("image/jpeg", "RGB")
