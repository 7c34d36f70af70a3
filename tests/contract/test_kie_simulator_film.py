"""A browser plays the films and tunes of the made-up Kie.ai: they are what they are called, and they can be heard."""

import json

import pytest

from support.browser import chromium
from support.kie_sim import running_kie

PLAY = """async (url) => {
    const film = document.createElement("video");
    film.muted = true;
    film.src = url;
    const began = await new Promise((resolve) => {
        film.onseeked = () => resolve(true);
        film.onerror = () => resolve(false);
        film.onloadeddata = () => { film.currentTime = 1; };
    });
    if (!began) return { error: film.error.message };
    const canvas = document.createElement("canvas");
    canvas.width = film.videoWidth;
    canvas.height = film.videoHeight;
    const context = canvas.getContext("2d");
    context.drawImage(film, 0, 0);
    const colours = new Set();
    const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
    for (let at = 0; at < data.length; at += 4) colours.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
    return { size: [film.videoWidth, film.videoHeight], seconds: film.duration, colours: colours.size };
}"""

LISTEN = """async (url) => {
    const bytes = await (await fetch(url)).arrayBuffer();
    const heard = await new OfflineAudioContext(1, 1, 32000).decodeAudioData(bytes);
    const samples = heard.getChannelData(0);
    let loudest = 0, crossings = 0;
    for (let at = 1; at < samples.length; at++) {
        loudest = Math.max(loudest, Math.abs(samples[at]));
        if (samples[at - 1] < 0 && samples[at] >= 0) crossings++;
    }
    return { seconds: heard.duration, loudest, pitch: crossings / heard.duration };
}"""


async def test_a_browser_decodes_a_film_and_sees_a_picture_in_it() -> None:
    order = {"prompt": "кот летит", "aspect_ratio": "16:9", "duration": "5", "sound": False}
    async with running_kie() as kie, chromium() as browser:
        record = await kie.ended(await kie.task(model="kling-2.6/text-to-video", input=order))
        (url,) = json.loads(record["resultJson"])["resultUrls"]
        page = await browser.new_page()
        await page.goto(f"{kie.url}/sandbox/tasks")
        seen = await page.evaluate(PLAY, url)
        heard = await page.evaluate(LISTEN, url)
    assert seen.get("error") is None
    assert (seen["size"], seen["seconds"]) == ([384, 224], 2)
    assert seen["colours"] > 100
    assert_music(heard, seconds=1.77)


@pytest.mark.parametrize("model", ["ai-music-api/generate", "ai-music-api/convert-to-wav-format"])
async def test_a_browser_hears_a_song_as_mp3_and_as_wav(model: str) -> None:
    async with running_kie() as kie, chromium() as browser:
        song = {"prompt": "песня", "custom_mode": False, "instrumental": True, "model": "V5"}
        record = await kie.ended(task := await kie.task(model="ai-music-api/generate", input=song))
        track = json.loads(record["resultJson"])["data"][0]
        url = track["audio_url"]
        if model != "ai-music-api/generate":
            tool = await kie.task(model=model, input={"task_id": task, "audio_id": track["id"]})
            (url,) = json.loads((await kie.ended(tool))["resultJson"])["resultUrls"]
        page = await browser.new_page()
        await page.goto(f"{kie.url}/sandbox/tasks")
        assert_music(await page.evaluate(LISTEN, url), seconds=track["duration"])


def assert_music(heard: dict[str, float], *, seconds: float) -> None:
    """Somebody would hear a tune of this length, neither a whisper nor a crackle; its pitch is that of our notes."""
    assert heard["seconds"] == pytest.approx(seconds, abs=0.1)
    assert 0.05 < heard["loudest"] < 1
    assert 200 < heard["pitch"] < 1100
