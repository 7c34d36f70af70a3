"""Every answer Kie documents for a finished task: each URL and each text in it is an output, a cover, or reviewed as neither.

The table is our own digest of the vendor's pages, in the shapes of records and of callbacks. It is checked by collecting every
URL of the payload, whatever its field is called, so a field that is added here and forgotten in the parser fails.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from photomat.delivery.caption import readable
from photomat.kie.results import BESIDE_OUTPUTS, NEVER_OUTPUTS, STEM_FILES, STEMS
from photomat.kie.state_parser import KieState, Reading, parse_kie_state
from photomat.kie.unread_fields import MAX_OUTPUTS
from photomat.texts.load import load_texts

NOT_OUTPUTS = {**NEVER_OUTPUTS, **BESIDE_OUTPUTS}
SAY = load_texts().speaker("en")
HOST = "https://r.example"
SOUND = {"title": "T", "tags": "lo-fi", "duration": 198.4, "prompt": "la", "createTime": 1776323915587}
ORDER = json.dumps({"input": json.dumps({"image_urls": [f"{HOST}/mine.png"]}), "callBackUrl": f"{HOST}/kie/callback/x"})


def url(name: str) -> str:
    return f"{HOST}/{name}"


def track(number: int) -> dict[str, Any]:
    snake = {key: url(f"{key}-{number}") for key in ("audio_url", "stream_audio_url", "image_url")}
    return {"id": f"t{number}", **SOUND, **snake}


def told_track(number: int) -> dict[str, Any]:
    camel = {key: url(f"{key}-{number}") for key in ("audioUrl", "streamAudioUrl", "imageUrl")}
    return {"id": f"t{number}", **SOUND, **camel}


def part(number: int, name: str) -> dict[str, Any]:
    return {"id": f"p{number}", "audio_url": url(f"part-{number}.mp3"), "stem_type_group_name": name, "duration": 9.5}


WORDS = [{"text": "Verse one", "title": "Song", "status": "complete", "errorMessage": ""}, {"text": "Verse two"}]
SONGS = [track(1), track(2)]
CAMEL_STEMS = {key: url(f"{stem}.mp3") for key, stem in zip([*STEM_FILES][1::2], STEMS, strict=True)}
SNAKE_STEMS = {f"{stem}_url": url(f"{stem}.mp3") for stem in STEMS}
PARTS = [part(number, name) for number, name in enumerate(("Vocals", "Drum Kit", "Piano", *map(str, range(17))))]
SEGMENTS = {
    "segments_count": 2,
    "segments": [{"maskUrl": url(f"m{n}.png"), "name": f"n{n}", "index": n} for n in (0, 1)],
}
SPEECH = {"language_code": "en", "language_probability": 1, "text": "heard", "words": [{"text": "heard", "start": 0}]}
TIMES = {"timestamps": [{"word": "said", "start": 0, "end": 1}]}
NOTES = {"state": "complete", "instruments": [{"name": "Piano", "notes": [{"pitch": 60, "start": 0, "end": 1}]}]}


def job(**result: Any) -> dict[str, Any]:
    return {"state": "success", "param": ORDER, "resultJson": json.dumps(result), "model": "m"}


def flagged(**data: Any) -> dict[str, Any]:
    return {"successFlag": 1, "paramJson": ORDER, **data}


def suno(**response: Any) -> dict[str, Any]:
    return {"status": "SUCCESS", "param": ORDER, "response": {"taskId": "t-1", **response}}


ANSWERS: dict[str, dict[str, Any]] = {
    "jobs, one file": job(resultUrls=[url("a.png")]),
    "jobs, twelve files": job(resultUrls=[url(f"{n}.png") for n in range(12)]),
    "jobs, forty files": job(resultUrls=[url(f"{n}.png") for n in range(40)]),
    "jobs, repeated in response": {**job(resultUrls=[url("a.png")]), "response": {"resultUrls": [url("a.png")]}},
    "jobs, with a watermark": job(resultUrls=[url("a.mp4")], resultWaterMarkUrls=[url("w.mp4")]),
    "jobs, with its frames": job(resultUrls=[url("a.mp4")], firstFrameUrl=url("1.png"), lastFrameUrl=url("2.png")),
    "jobs, heard speech": job(resultObject=SPEECH),
    "jobs, segments": job(resultObject=SEGMENTS),
    "jobs, speech with its times": job(resultUrls=[url("a.mp3")], resultObject=TIMES),
    "jobs, music": job(code=200, data=SONGS),
    "jobs, lyrics": job(resultObject={"lyricsData": WORDS}),
    "jobs, stems": job(resultObject=CAMEL_STEMS),
    "jobs, separated tracks": job(resultObject={"originUrl": None, "originData": PARTS}),
    "jobs, notes": job(resultObject=NOTES),
    "jobs, a phrase to read": job(resultObject={"validateInfo": "Read this aloud"}),
    "jobs, a voice": job(resultObject={"voiceId": "v-17"}),
    "jobs, a voice beside the object": job(voiceId="v-17", isAvailable=False),
    "jobs, one video": job(video_url=url("a.mp4")),
    "veo": flagged(response={"resultUrls": [url("a.mp4")], "originUrls": [url("o.mp4")], "resolution": "720p"}),
    "veo, extended": flagged(response={"resultUrls": [url("a.mp4")], "fullResultUrls": [url("whole.mp4")]}),
    "veo callback": {"info": {"resultUrls": [url("a.mp4")], "originUrls": [url("o.mp4")], "resolution": "720p"}},
    "veo 4k callback": {"info": {"resultUrls": [url("a.mp4")], "imageUrls": [url("still.png")]}},
    "veo 4k callback, snake": {
        "info": {"result_urls": [url("a.mp4")], "image_urls": [url("s.png")], "media_ids": ["1"]}
    },
    "veo 1080p": {"resultUrl": url("a.mp4")},
    "suno music": suno(sunoData=[told_track(1), told_track(2)]),
    "suno music callback": {"callbackType": "complete", "data": SONGS},
    "suno wav": suno(audioWavUrl=url("a.wav")),
    "suno wav callback": {"audio_wav_url": url("a.wav")},
    "suno stems": suno(originUrl=url("song.mp3"), **CAMEL_STEMS),
    "suno stems callback": {"vocal_removal_info": {"origin_url": url("song.mp3"), **SNAKE_STEMS}},
    "suno separated tracks": suno(originUrl=None, originData=PARTS, vocalUrl=url("v.mp3"), pianoUrl=url("p.mp3")),
    "suno lyrics": suno(lyricsData=WORDS),
    "suno lyrics in data": suno(data=WORDS),
    "suno lyrics callback": {"callbackType": "complete", "data": WORDS},
    "suno lyrics callback of lyricsData": {"callbackType": "complete", "lyricsData": WORDS},
    "suno midi": {"successFlag": "SUCCESS", "param": ORDER, "midiData": NOTES},
    "suno midi callback": NOTES,
    "suno video": suno(videoUrl=url("a.mp4")),
    "suno video callback": {"video_url": url("a.mp4")},
    "suno covers": suno(images=[url("1.png"), url("2.png")]),
    "suno covers callback": {"images": [url("1.png"), url("2.png")]},
    "runway": {"state": "success", "videoInfo": {"videoId": "1", "videoUrl": url("a.mp4"), "imageUrl": url("s.png")}},
    "runway callback": {"video_id": "1", "video_url": url("a.mp4"), "image_url": url("s.png")},
    "aleph": flagged(response={"resultVideoUrl": url("a.mp4"), "resultImageUrl": url("s.png")}),
    "aleph callback": {"result_video_url": url("a.mp4"), "result_image_url": url("s.png")},
    "4o image": flagged(status="SUCCESS", response={"resultUrls": [url("1.png"), url("2.png")]}),
    "4o image callback": {"info": {"result_urls": [url("1.png"), url("2.png")]}},
    "flux kontext": flagged(response={"originImageUrl": url("mine.png"), "resultImageUrl": url("a.png")}),
    "flux kontext callback": {"info": {"originImageUrl": url("mine.png"), "resultImageUrl": url("a.png")}},
    "midjourney": flagged(resultInfoJson={"resultUrls": [{"resultUrl": url(f"{n}.png")} for n in range(4)]}),
}
TEXTS = ("Verse one", "Verse two", "heard", "said", "Read this aloud", "v-17")


def read(data: dict[str, Any]) -> Reading:
    return parse_kie_state({"code": 200, "msg": "success", "data": {"taskId": "t-1", **data}})


def fields(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a payload with the name of its field, however deep and however encoded."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from fields(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner, key)
    elif isinstance(value, str) and value[:1] in {"{", "["} and key not in NOT_OUTPUTS:
        yield from fields(json.loads(value), key)
    elif isinstance(value, str):
        yield key, value


@pytest.mark.parametrize("data", ANSWERS.values(), ids=ANSWERS)
def test_no_documented_output_is_dropped(data: dict[str, Any]) -> None:
    reading = read(data)
    assert reading.state is KieState.SUCCESS
    assert reading.unread == ()
    covers = {detail.cover_url for detail in reading.details.values()}
    strings = list(fields(data))
    dropped = {
        value
        for key, value in strings
        if value.startswith(HOST) and value not in reading.urls and value not in covers and key not in NOT_OUTPUTS
    }
    assert dropped == set()
    shown = readable(reading.result_object or {}, SAY) if not reading.urls else ""
    shown += json.dumps(reading.result_object) if reading.object_as_file else ""
    assert [text for text in TEXTS if text in dict(strings).values() and text not in shown] == []
    assert reading.urls or shown


def test_what_is_reviewed_as_no_output_is_not_shown() -> None:
    for name, data in ANSWERS.items():
        reviewed = {value for key, value in fields(data) if key in NOT_OUTPUTS and "mageUrl" not in key}
        frames = {"firstFrameUrl", "lastFrameUrl"} & dict(fields(data)).keys()
        assert frames or not reviewed & set(read(data).urls), name


def test_twenty_separated_tracks_keep_their_names_and_ids() -> None:
    reading = read(ANSWERS["suno separated tracks"])
    assert len(reading.urls) == len(PARTS) + 2
    vocals, drums = (reading.details[PARTS[n]["audio_url"]] for n in (0, 1))
    assert (vocals.title, vocals.track_id) == ("stem-vocal", "p0")
    assert (drums.title, drums.track_id) == ("Drum Kit", "p1")


# what no rule reads


@pytest.mark.parametrize(
    ("data", "more", "names"),
    [
        (job(resultUrls=[url("a.png")], alphaUrl=url("b.png")), (url("b.png"),), ("resultJson.alphaUrl",)),
        (suno(organUrl=url("b.mp3"), drumsUrl=url("a.mp3")), (url("b.mp3"),), ("response.organUrl",)),
        (
            suno(pairs=[{"extracted_url": url("a.mp3"), "remaining_url": url("b.mp3")}]),
            (url("a.mp3"), url("b.mp3")),
            ("response.pairs[].extracted_url", "response.pairs[].remaining_url"),
        ),
        (job(resultObject={"scene": {"glb": url("b.glb")}}), (url("b.glb"),), ("resultJson.resultObject.scene.glb",)),
        ({"state": "success", "resultJson": json.dumps([url("a.png")])}, (url("a.png"),), ("resultJson[]",)),
        (job(outer=json.dumps({"inner": url("b.png")})), (url("b.png"),), ("resultJson.outer.inner",)),
    ],
    ids=["an unknown field", "an unknown stem", "pairs", "in an object", "a bare list", "JSON in JSON"],
)
def test_a_url_in_an_unknown_field_is_an_output_and_the_field_is_named(
    data: dict[str, Any], more: tuple[str, ...], names: tuple[str, ...]
) -> None:
    reading = read(data)
    assert reading.state is KieState.SUCCESS
    assert set(more) <= set(reading.urls)
    assert reading.unread == names


def test_an_answer_of_unknown_structure_is_kept_whole_as_a_file() -> None:
    reading = read(job(planets=[{"name": "Mars"}]))
    assert (reading.urls, reading.object_as_file) == ((), True)
    assert reading.result_object == {"planets": [{"name": "Mars"}]}
    assert reading.unread == ("resultJson.planets",)


def test_a_url_that_cannot_be_stored_is_kept_in_the_file() -> None:
    long = url("x" * 3000)
    reading = read(job(resultUrls=[url("a.png"), long]))
    assert reading.urls == (url("a.png"),)
    assert reading.object_as_file
    assert reading.result_object == {"resultUrls": [url("a.png"), long]}
    assert reading.unread == ("resultJson.resultUrls[]",)


def test_ten_thousand_urls_become_a_hundred_outputs_and_one_file_with_all_of_them() -> None:
    every = [url(f"{n}.png") for n in range(10_000)]
    reading = read(job(resultUrls=every))
    assert reading.urls == tuple(every[:MAX_OUTPUTS])
    assert reading.object_as_file
    assert reading.result_object == {"resultUrls": every}
    assert reading.unread == ("too-many-outputs",)


@pytest.mark.parametrize(
    "data",
    [
        job(resultUrls=[]),
        job(),
        job(resultUrls=[], seed=42, code=200, msg="ok"),
        job(code=200, data=[{"id": "1", "audio_url": "", "stream_audio_url": url("s")}]),
        {"state": "success", "resultJson": "{not json", "param": ORDER},
        {"state": "success", "resultJson": "", "param": ORDER, "newField": "x"},
        flagged(response={"originImageUrl": url("mine.png")}),
        flagged(response=None),
    ],
)
def test_an_empty_answer_stays_empty(data: dict[str, Any]) -> None:
    reading = read(data)
    assert (reading.state, reading.urls, reading.result_object, reading.unread) == (KieState.SUCCESS, (), None, ())


def test_names_of_fields_hold_no_words_of_a_customer() -> None:
    reading = read(job(**{"мой секрет <b> https://x": url("b.png")}))
    assert reading.urls == (url("b.png"),)
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyzRJS.?[]-_") for name in reading.unread)
