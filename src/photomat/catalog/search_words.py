"""Words people look for beside those the catalogue says of its models, in both languages. Data, and nothing else."""

from collections.abc import Mapping
from typing import Final

from photomat.catalog.model import Category, Tag
from photomat.catalog.words import LocalizedText

CATEGORY_WORDS: Final[Mapping[Category, LocalizedText]] = {
    "text-to-image": LocalizedText(
        ru="картинка изображение рисунок нарисовать нарисуй создать генерация стикер арт иллюстрация логотип постер фото",
        en="picture image draw art illustration logo poster create generate",
    ),
    "image-to-image": LocalizedText(
        ru="изменить фото фотка фотография переделать стиль ремикс",
        en="picture photo image change restyle remix",
    ),
    "image-edit": LocalizedText(
        ru="изменить правка редактор редактировать фото фотка фотошоп реставрация восстановить",
        en="photo restore edit editor retouch inpaint change",
    ),
    "background-removal": LocalizedText(
        ru="убрать удалить вырезать фон прозрачный",
        en="remove delete cut background transparent png",
    ),
    "upscale": LocalizedText(
        ru="улучшить увеличить качество чёткость разрешение апскейл фото видео",
        en="photo video enhance upscale sharpen resolution quality hd 4k",
    ),
    "image-analysis": LocalizedText(
        ru="разбор разметка найти распознать анализ картинки фото",
        en="analyse analysis detect segment read image",
    ),
    "text-to-video": LocalizedText(
        ru="видео ролик клип фильм анимация снять",
        en="video clip film movie animation create",
    ),
    "image-to-video": LocalizedText(
        ru="оживить оживление фото фотка фотография картинка видео анимация двигается",
        en="animate photo picture image video bring alive",
    ),
    "reference-to-video": LocalizedText(
        ru="видео образцам персонаж референс",
        en="reference character consistent video",
    ),
    "video-to-video": LocalizedText(
        ru="изменить видео правка монтаж продлить стиль движение",
        en="video edit change extend restyle motion",
    ),
    "avatar": LocalizedText(
        ru="аватар говорящее фото голова губы липсинк дубляж диктор",
        en="avatar talking photo head lip sync lipsync dub presenter",
    ),
    "music": LocalizedText(
        ru="музыка песня трек мелодия бит кавер ремикс",
        en="music song track melody beat cover",
    ),
    "music-tool": LocalizedText(
        ru="музыка песня инструменты текст песни слова минусовка вокал дорожки",
        en="music song tool lyrics stems vocals instrumental",
    ),
    "sound-effects": LocalizedText(
        ru="звук звуки шум эффекты",
        en="sound effects sfx noise",
    ),
    "text-to-speech": LocalizedText(
        ru="озвучка озвучить голос речь диктор читать текст",
        en="tts text voice speech speak read aloud narrator voiceover",
    ),
    "speech-to-text": LocalizedText(
        ru="расшифровка текст речи распознать речь субтитры транскрипция",
        en="transcribe transcript speech text stt subtitles",
    ),
    "audio-isolation": LocalizedText(
        ru="чистый голос убрать шум очистить звук шумоподавление",
        en="clean voice remove noise isolate denoise",
    ),
}

TAG_WORDS: Final[Mapping[Tag, LocalizedText]] = {
    "best": LocalizedText(ru="лучшее лучшие топ", en="best top"),
    "new": LocalizedText(ru="новое новые новинки", en="new latest"),
    "cheap": LocalizedText(ru="дёшево дешёвые недорого", en="cheap inexpensive budget"),
    "free": LocalizedText(ru="бесплатно бесплатные даром", en="free"),
    "fast": LocalizedText(ru="быстро быстрые", en="fast quick turbo"),
}

MAKERS: Final[Mapping[str, str]] = {
    "nano-banana": "google gemini",
    "veo": "google",
    "google": "gemini",
    "gemini": "google",
    "gpt-image": "openai chatgpt dalle",
    "4o-image": "openai chatgpt",
    "sora": "openai chatgpt",
    "grok": "xai",
    "kling": "kuaishou",
    "bytedance": "bytedance seedance seedream",
    "seedream": "bytedance",
    "omnihuman": "bytedance",
    "volcengine": "bytedance",
    "wan": "alibaba",
    "qwen": "alibaba",
    "z-image": "alibaba tongyi",
    "happyhorse": "alibaba",
    "hailuo": "minimax",
    "minimax": "hailuo",
    "flux": "blackforest",
    "mj": "midjourney",
    "ai-music-api": "suno",
}
"""Whose model it is, by how its id begins."""

SPOKEN: Final[Mapping[str, str]] = {
    "11labs": "elevenlabs",
    "алеф": "aleph",
    "апскейл": "upscale",
    "ван": "wan",
    "вейо": "veo",
    "вио": "veo",
    "вэо": "veo",
    "гемини": "gemini",
    "гпт": "gpt",
    "гугл": "google",
    "джемини": "gemini",
    "джипити": "gpt",
    "дипити": "gpt",
    "жпт": "gpt",
    "з": "z",
    "зет": "z",
    "зэт": "z",
    "илевенлабс": "elevenlabs",
    "имаджен": "imagen",
    "имедж": "image",
    "имейдж": "image",
    "имидж": "image",
    "инфинитолк": "infinitalk",
    "кванг": "qwen",
    "квен": "qwen",
    "контекст": "kontext",
    "кувен": "qwen",
    "куин": "qwen",
    "мидджорни": "midjourney",
    "миджорни": "midjourney",
    "минимакс": "minimax",
    "омнихьюман": "omnihuman",
    "опенай": "openai",
    "пиксверс": "pixverse",
    "ранвей": "runway",
    "рекрафт": "recraft",
    "рунвей": "runway",
    "рэнвей": "runway",
    "сиданс": "seedance",
    "сидрим": "seedream",
    "флакс": "flux",
    "флекс": "flex",
    "флюкс": "flux",
    "хайло": "hailuo",
    "хайлуо": "hailuo",
    "хэппихорс": "happyhorse",
    "чатгпт": "chatgpt",
    "элевен": "elevenlabs",
    "элевенлабс": "elevenlabs",
}
"""Names as Russians write them, where letter by letter would not do (`клинг`, `вео`, `суно` need no entry).

A name written in two words (`элевен лабс`, `mid journey`) is found here without the space.
"""

NO_NAMES: Final = frozenset({"sedans"})
"""Ordinary words that sound almost like a name."""

SILENT: Final = frozenset({
    "а", "без", "бы", "в", "во", "для", "до", "за", "и", "из", "или", "к", "как", "на", "не", "ничего", "но", "о", "об",
    "от", "по", "под", "при", "про", "с", "со", "так", "то", "у", "через", "что", "чтобы", "это", "дела", "делает",
    "делать", "сделать", "сделай", "сгенерировать", "мне", "мой", "мое", "можно", "надо", "нужно", "нужна", "нужен",
    "хочу", "какая", "какой", "какую", "есть", "модель", "модели", "нейросеть", "нейросети", "ии", "бот", "пожалуйста",
    "a", "an", "and", "any", "are", "can", "for", "from", "i", "in", "into", "is", "it", "make", "me", "my", "of", "on",
    "or", "please", "the", "this", "to", "want", "with", "model", "models", "ai", "bot",
})  # fmt: skip
"""Words that say nothing about what is looked for."""
