"""Results and uploads of the made-up Kie.ai: real files, with an end to their lives."""

import base64
import io
import json

import aiohttp
import pytest
from PIL import Image

from support.kie_sim import HandClock, RunningKie, running_kie

DAY_S = 86_400
DOT = b"\x89PNG\r\n\x1a\n dot"


async def first_result(kie: RunningKie, **order: object) -> str:
    record = await kie.ended(await kie.task("кот-космонавт", None, **order))
    return str(json.loads(record["resultJson"])["resultUrls"][0])


async def status_of(url: str, **headers: str) -> int:
    async with aiohttp.ClientSession() as stranger, stranger.get(url, headers=headers) as response:
        return response.status


@pytest.mark.parametrize(
    ("ratio", "size"), [("1:1", (1024, 1024)), ("16:9", (1024, 576)), ("9:16", (576, 1024)), ("4:3", (1024, 768))]
)
async def test_a_picture_is_a_real_png_of_the_ordered_shape(ratio: str, size: tuple[int, int]) -> None:
    async with running_kie() as kie:
        url = await first_result(kie, input={"prompt": "кот", "aspect_ratio": ratio})
        async with kie.client.get(url) as response:
            assert (response.status, response.content_type) == (200, "image/png")
            image = Image.open(io.BytesIO(await response.read()))
    image.load()
    assert (image.format, image.size) == ("PNG", size)


async def test_the_same_words_give_the_same_picture_and_others_another() -> None:
    async with running_kie(picture_side_px=128) as kie:
        drawn = []
        for prompt in ("кот", "кот", "маяк"):
            url = await first_result(kie, input={"prompt": prompt, "aspect_ratio": "1:1"})
            async with kie.client.get(url) as response:
                drawn.append(await response.read())
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


async def test_an_ordered_jpeg_is_a_jpeg() -> None:
    order = {"prompt": "кот", "output_format": "jpeg"}
    async with running_kie(picture_side_px=128) as kie:
        url = await first_result(kie, model="google/nano-banana", input=order)
        async with kie.client.get(url) as response:
            assert response.content_type == "image/jpeg"
            assert Image.open(io.BytesIO(await response.read())).format == "JPEG"


async def test_results_stand_under_the_public_address_where_one_is_set() -> None:
    async with running_kie(public_url="https://kie.example/") as kie:
        assert (await first_result(kie)).startswith("https://kie.example/results/")


async def test_a_result_is_gone_after_its_time() -> None:
    clock = HandClock()
    async with running_kie(clock=clock) as kie:
        url = await first_result(kie)
        clock.now += DAY_S - 1
        assert await status_of(url) == 200
        clock.now += 1
        assert await status_of(url) == 404
        assert await status_of(kie.url + "/results/unknown.png") == 404


async def test_a_stock_python_agent_is_refused_where_the_switch_is_on() -> None:
    async with running_kie(refuse_stock_agents=True) as kie:
        url = await first_result(kie)
        assert await status_of(url) == 403
        assert await status_of(url, **{"User-Agent": "Python-urllib/3.11"}) == 403
        assert await status_of(url, **{"User-Agent": "photomat/1"}) == 200


async def test_a_download_link_works_for_twenty_minutes_and_for_our_results_only() -> None:
    clock = HandClock()
    async with running_kie(clock=clock) as kie:
        path = "/api/v1/common/download-url"
        link = (await kie.post(path, {"url": await first_result(kie)}))["data"]
        assert await status_of(link) == 200
        assert await status_of(link.replace("until=", "until=9")) == 404
        clock.now += 1200
        assert await status_of(link) == 404
        foreign = await kie.post(path, {"url": "https://elsewhere.example/a.png"})
        assert (foreign["code"], foreign["msg"], foreign["data"]) == (422, "url is wrong", None)


async def test_a_streamed_file_comes_back_byte_for_byte() -> None:
    async with running_kie() as kie:
        form = aiohttp.FormData({"uploadPath": "images/in", "fileName": "кот.png"})
        form.add_field("file", DOT, filename="other.png", content_type="image/png")
        async with kie.client.post(kie.url + "/api/file-stream-upload", data=form) as response:
            reply = await response.json()
        data = reply["data"]
        assert (reply["success"], reply["code"], reply["msg"]) == (True, 200, "File uploaded successfully")
        assert data["filePath"] == "kieai/1001/images/in/кот.png"
        assert (data["fileName"], data["fileSize"], data["mimeType"]) == ("кот.png", len(DOT), "image/png")
        assert data["uploadedAt"].endswith("Z")
        async with kie.client.get(data["downloadUrl"]) as download:
            assert (download.content_type, await download.read()) == ("image/png", DOT)


@pytest.mark.parametrize("prefix", ["", "data:image/png;base64,"])
async def test_base64_is_taken_bare_and_as_a_data_url(prefix: str) -> None:
    body = {"base64Data": prefix + base64.b64encode(DOT).decode(), "uploadPath": "in"}
    async with running_kie() as kie:
        data = (await kie.post("/api/file-base64-upload", body))["data"]
        assert (data["mimeType"], data["fileName"].endswith(".png")) == ("image/png", True)
        async with kie.client.get(data["downloadUrl"]) as download:
            assert await download.read() == DOT


async def test_a_file_is_fetched_from_its_address() -> None:
    async with running_kie(picture_side_px=128) as kie:
        source = await first_result(kie)
        body = {"fileUrl": source, "uploadPath": "in", "fileName": "copy.png"}
        data = (await kie.post("/api/file-url-upload", body))["data"]
        async with kie.client.get(source) as one, kie.client.get(data["downloadUrl"]) as other:
            assert await one.read() == await other.read()


async def test_an_equal_name_overwrites_and_an_upload_ends_after_three_days() -> None:
    clock = HandClock()
    async with running_kie(clock=clock) as kie:
        urls = []
        for content in (b"old", b"new"):
            body = {"base64Data": base64.b64encode(content).decode(), "uploadPath": "in", "fileName": "a.txt"}
            urls.append((await kie.post("/api/file-base64-upload", body))["data"]["downloadUrl"])
        assert urls[0] == urls[1]
        async with kie.client.get(urls[0]) as download:
            assert await download.read() == b"new"
        clock.now += 3 * DAY_S
        assert await status_of(urls[0]) == 404


@pytest.mark.parametrize(
    ("path", "body", "text"),
    [
        ("base64", {"base64Data": "QUJD"}, "uploadPath is required"),
        ("base64", {"base64Data": "***", "uploadPath": "in"}, "not valid base64"),
        ("base64", {"uploadPath": "in"}, "base64Data is required"),
        ("url", {"fileUrl": "http://127.0.0.1:9/a.png", "uploadPath": "in"}, "could not be fetched"),
        ("url", {"uploadPath": "in"}, "fileUrl is required"),
        ("stream", {}, "multipart"),
    ],
)
async def test_a_wrong_upload_is_refused_in_the_body(path: str, body: dict[str, str], text: str) -> None:
    async with running_kie() as kie:
        reply = await kie.post(f"/api/file-{path}-upload", body)
        assert reply["code"] == 400
        assert text in reply["msg"]
        assert kie.world.uploads == {}


async def test_a_task_with_an_upload_succeeds_and_with_a_lost_one_fails_later() -> None:
    body = {"base64Data": base64.b64encode(DOT).decode(), "uploadPath": "in", "fileName": "кот.png"}
    async with running_kie() as kie:
        url = (await kie.post("/api/file-base64-upload", body))["data"]["downloadUrl"]
        for image, state in ((url, "success"), (url + "x", "fail")):
            order = {"prompt": "кот", "image_urls": [image]}
            record = await kie.ended(await kie.task(model="google/nano-banana-edit", input=order))
            assert record["state"] == state


async def test_a_strange_callback_address_or_shape_does_not_break_the_simulator() -> None:
    async with running_kie(callback_retries=0, picture_side_px=64) as kie:
        for callback in ("http://[", "no address", "ftp://a.example/x", "http://127.0.0.1:99999/"):
            await kie.ended(await kie.task("²", callback, model="google/nano-banana"))
        assert await status_of(await first_result(kie)) == 200
