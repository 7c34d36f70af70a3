"""Inputs have roles, however Kie calls them, and values that mean the same for every model."""

import re
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from photomat.catalog.answers import Refused, check_answer
from photomat.catalog.input import Input, Role
from photomat.catalog.load import load_catalog
from photomat.catalog.roles import RULES, Common, common_value, own_value
from photomat.catalog.words import snake_case
from photomat.kernel.errors import Startup
from support.catalogue import counted, written

CATALOG = load_catalog()
INPUTS = [(model, each) for model in CATALOG.models.values() for each in model.inputs]
OBVIOUS = re.compile(
    r"prompt|text|lyrics|aspect_ratio|ratio|\w*image_size|\w*resolution|duration\w*|seeds?|num_images|max_images|voice|language\w*|"
    r"negative_\w+|output_format|task_id|audio_id|mask_\w*url\w*|(?:first|last)_frame\w*|reference_(?:image|video|audio)\w*|"
    r"(?:image|video|audio|upload|file|files|input)_urls?(?:_list)?"
)
"""Names that say what an input is for."""

SECOND_SOURCES = {
    ("google/gemini-omni-flash-1-1", "first_frame_url"),
    ("ideogram/character-remix", "image_urls"),
    ("mj/generate", "fileUrls"),
}
"""Further pictures of models that have a source image already."""


def asked_for(model_id: str, role: Role) -> Input:
    found = CATALOG.get(model_id).input_for(role)
    assert found is not None
    return found


def test_so_many_models_have_an_input_of_each_role() -> None:
    found = Counter(each.role for _, each in INPUTS if each.role is not None)
    assert dict(found) == {
        "prompt": 177,
        "format": 108,
        "source_image": 103,
        "resolution": 95,
        "duration": 78,
        "seed": 58,
        "negative_prompt": 40,
        "source_task": 33,
        "source_audio": 27,
        "file_type": 26,
        "sound": 21,
        "source_video": 20,
        "reference_image": 18,
        "source_track": 16,
        "last_frame": 15,
        "count": 10,
        "quality": 10,
        "reference_audio": 8,
        "reference_video": 8,
        "mask": 5,
        "language": 5,
        "lyrics": 3,
        "voice": 2,
    }
    assert set(RULES) == set(get_args(Role)) == set(found)


def test_an_input_whose_name_says_what_it_is_for_has_a_role() -> None:
    lacking = {
        (model.id, each.name)
        for model, each in INPUTS
        if each.role is None and OBVIOUS.fullmatch(snake_case(each.name))
    }
    assert lacking == SECOND_SOURCES


def test_a_model_has_one_input_of_each_role() -> None:
    for model in CATALOG.models.values():
        roles = [each.role for each in model.inputs if each.role is not None]
        assert len(roles) == len(set(roles)), model.id
        assert all(model.input_for(role) is not None for role in roles)


@pytest.mark.parametrize(
    ("model_id", "role", "name"),
    [
        ("z-image", "format", "aspect_ratio"),
        ("gpt4o-image", "format", "size"),
        ("qwen/text-to-image", "format", "image_size"),
        ("kling-3.0/video", "resolution", "mode"),
        ("pixverse-v6/text-to-video", "resolution", "quality"),
        ("seedream/5-pro-layer-decomposition", "resolution", "size"),
        ("sora-2-text-to-video", "duration", "n_frames"),
        ("sora-2-pro-text-to-video", "quality", "size"),
        ("elevenlabs/text-to-speech-turbo-2-5", "prompt", "text"),
        ("suno/style-boost", "prompt", "content"),
        ("elevenlabs/text-to-speech-turbo-2-5", "voice", "voice"),
        ("suno/extend", "source_track", "audioId"),
    ],
)
def test_an_input_is_found_by_its_role(model_id: str, role: Role, name: str) -> None:
    assert asked_for(model_id, role).name == name


@pytest.mark.parametrize(
    ("model_id", "role", "own", "common"),
    [
        ("z-image", "format", "16:9", "16:9"),
        ("qwen/text-to-image", "format", "landscape_16_9", "16:9"),
        ("qwen/text-to-image", "format", "portrait_4_3", "3:4"),
        ("sora-2-text-to-video", "format", "portrait", "9:16"),
        ("bytedance/seedance-2", "format", "adaptive", "auto"),
        ("veo3", "format", "Auto", "auto"),
        ("veo3", "resolution", "4k", "4K"),
        ("nano-banana-pro", "resolution", "2K", "2K"),
        ("hailuo/2-3-image-to-video-pro", "resolution", "1080P", "1080p"),
        ("kling-3.0/video", "resolution", "std", "720p"),
        ("kling-2.6/text-to-video", "duration", "10", 10),
        ("bytedance/seedance-2", "duration", "8", 8),
        ("qwen/image-edit", "count", "4", 4),
    ],
)
def test_a_value_is_read_and_written_in_one_spelling(model_id: str, role: Role, own: str, common: Common) -> None:
    asked = asked_for(model_id, role)
    assert common_value(asked, own) == common
    assert own_value(asked, common) == own


def test_a_value_the_model_does_not_have_is_none() -> None:
    assert own_value(asked_for("z-image", "format"), "21:9") is None
    assert own_value(asked_for("kling-2.6/text-to-video", "duration"), 7) is None
    assert own_value(asked_for("bytedance/seedance-2", "duration"), 3600) is None


def test_of_two_options_that_mean_the_same_the_default_is_written() -> None:
    asked = asked_for("qwen/text-to-image", "format")
    assert {common_value(asked, option) for option in ("square", "square_hd")} == {"1:1"}
    assert own_value(asked, "1:1") == (asked.default if asked.default in {"square", "square_hd"} else "square")


def test_every_option_of_a_role_can_be_read_and_written() -> None:
    for model, each in INPUTS:
        for option in each.options if each.role is not None else ():
            common = common_value(each, option)
            assert common is not None, (model.id, each.name, option)
            written_back = own_value(each, common)
            assert written_back is not None
            assert common_value(each, written_back) == common
            assert not isinstance(check_answer(each, written_back), Refused)


def test_pixels_are_a_format(tmp_path: Path) -> None:
    options = 'options = ["1280*720", "720*1280", "1024*1024"], plain = true, default = "1280*720"'
    body = f'input = [{{ name = "size", type = "choice", required = true, {options} }}]\nprice = [{{ credits = "1" }}]'
    asked = load_catalog(written(tmp_path, counted("m", body))).get("m").input_for("format")
    assert asked is not None
    assert [common_value(asked, option) for option in asked.options] == ["16:9", "9:16", "1:1"]
    assert own_value(asked, "9:16") == "720*1280"


@pytest.mark.parametrize(
    ("role", "complaint"),
    [
        ("seed", "image.toml:12: m: title: role: seed is not what this type or these options can be"),
        ("negative_prompt", "image.toml:12: m: title: role: negative_prompt is another input already"),
        ("smell", "image.toml:12: m: title: role: is one of prompt, lyrics"),
    ],
)
def test_a_role_that_makes_no_sense_is_refused(tmp_path: Path, role: str, complaint: str) -> None:
    body = f"""
input = [{{ name = "negative_prompt", role = "negative_prompt", type = "text", required = false }},
{{ name = "title", role = "{role}", type = "text", required = false }}]
price = [{{ credits = "1" }}]"""
    with pytest.raises(Startup) as refusal:
        load_catalog(written(tmp_path, counted("m", body)))
    assert str(refusal.value).startswith(complaint)
