"""Every kind of question in English: what is asked, counted, refused and shown on the card."""

from support.forms import PHOTO, form, labels, made_before, opens, order
from support.media_bytes import film


async def test_files_in_english(database: str) -> None:
    async with form(database, "grok-imagine-image-2-0/image-edit", language="en") as chat:
        assert "Send your photos." in chat.newest
        assert "Up to 5 files, an album is fine." in chat.newest
        assert "A picture is needed here (jpg, png, webp, heic)." in await chat.says("my photo")
        assert "A picture is needed here" in await chat.sends(film(seconds=4), kind="video", name="a.mp4")
        assert "Photos: 1 of 5 received." in await chat.sends(PHOTO)
        assert {"✅ Done", "🗂 From my results", "◀️ Back", "✖️ Cancel"} <= set(labels(chat))
        await chat.taps("✅ Done")
        card = await chat.taps("⏭ Skip")
        assert "Photos: 1 picture" in card
        assert "Format: " in card


async def test_lines_in_english(database: str) -> None:
    async with form(database, "elevenlabs/text-to-dialogue-v3", language="en") as chat:
        assert "Up to 5000 characters in all." in chat.newest
        await chat.says("Hello!\nXavier: Good morning")
        assert "2. Good morning · Xavier" in chat.newest
        assert {"✅ Done", "🎛 Set up each line", "🗑 Remove the last one"} <= set(labels(chat))
        await chat.taps("🎛 Set up each line")
        assert "no. 1" in chat.newest
        await chat.taps("◀️ Back")
        assert "Price" in await chat.taps("✅ Done")
        assert len((await order(chat))["dialogue"]) == 2


async def test_earlier_results_in_english(database: str) -> None:
    async with form(database, "grok-imagine/upscale", language="en") as chat:
        assert "You have no result yet that fits" in chat.newest
        assert "Grok Imagine Video" in labels(chat)
        job_id = await made_before(chat, "grok-imagine/text-to-video", prompt="a puppy runs")
        await opens(chat, "grok-imagine/upscale")
        card = await chat.taps(next(label for label in labels(chat) if "a puppy runs" in label))
        assert f"Earlier result: order no. {job_id}" in card
        assert await order(chat) == {"task_id": {"job": job_id}}


async def test_changes_in_english(database: str) -> None:
    async with form(database, "wan/2-7-image", language="en") as chat:
        await chat.says("a cat")
        await chat.taps("✏️ Change")
        await chat.taps("✏️ How many pictures")
        assert "From 1 to 12." in chat.newest
        await chat.taps("9")
        assert chat.answers[-1] == (
            "That cannot be done: more than 4 pictures come as a series only; turn on “A series of pictures” first."
        )
        await chat.taps("◀️ To the order")
        await chat.taps("✏️ Change")
        await chat.taps("⚙️ More settings")
        await chat.taps("➕ Watermark")
        await chat.taps("Yes")
        await chat.taps("✏️ Change")
        await chat.taps("⚙️ More settings")
        await chat.taps("✏️ Watermark")
        assert "Now: yes" in chat.newest
        await chat.taps("🗑 Remove the value")
        assert await order(chat) == {"prompt": "a cat"}
