"""A browser plays the films of the made-up Kie.ai: they are videos, not files that are only called so."""

import json

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


async def test_a_browser_decodes_a_film_and_sees_a_picture_in_it() -> None:
    order = {"prompt": "кот летит", "aspect_ratio": "16:9", "duration": "5", "sound": False}
    async with running_kie() as kie, chromium() as browser:
        record = await kie.ended(await kie.task(model="kling-2.6/text-to-video", input=order))
        (url,) = json.loads(record["resultJson"])["resultUrls"]
        page = await browser.new_page()
        await page.goto(f"{kie.url}/sandbox/tasks")
        seen = await page.evaluate(PLAY, url)
    assert seen.get("error") is None
    assert (seen["size"], seen["seconds"]) == ([384, 224], 2)
    assert seen["colours"] > 100
