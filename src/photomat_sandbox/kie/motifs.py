"""The friendly figures of a drawn picture. Each is drawn into a square of side `s` around a centre."""

import math
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from PIL import ImageDraw

Colour: TypeAlias = tuple[int, int, int]
Draw: TypeAlias = ImageDraw.ImageDraw
Motif: TypeAlias = Callable[[Draw, float, float, float, Colour], None]

WHITE: Final = (246, 248, 252)
SHADE: Final = (196, 204, 220)
DARK: Final = (34, 38, 58)
GLASS: Final = (58, 84, 132)
ORANGE: Final = (240, 158, 86)
PINK: Final = (246, 170, 170)


def cat_astronaut(draw: Draw, x: float, y: float, s: float, accent: Colour) -> None:
    disc(draw, x, y + s * 0.78, s * 0.42, WHITE)
    draw.rounded_rectangle(box(x, y + s * 0.62, s * 0.20, s * 0.09), s * 0.04, fill=accent)
    disc(draw, x, y, s * 0.50, SHADE)
    disc(draw, x, y, s * 0.47, WHITE)
    disc(draw, x, y, s * 0.40, GLASS)
    for side in (-1, 1):
        ear = [
            (x + side * s * 0.24, y - s * 0.02),
            (x + side * s * 0.23, y - s * 0.31),
            (x + side * s * 0.03, y - s * 0.17),
        ]
        draw.polygon(ear, fill=ORANGE)
        disc(draw, x + side * s * 0.52, y, s * 0.07, accent)
    draw.ellipse(box(x, y + s * 0.06, s * 0.27, s * 0.23), fill=ORANGE)
    for side in (-1, 1):
        draw.ellipse(box(x + side * s * 0.11, y + s * 0.01, s * 0.045, s * 0.06), fill=DARK)
        disc(draw, x + side * s * 0.11 + s * 0.015, y - s * 0.015, s * 0.017, WHITE)
        for tilt in (-0.03, 0.03):
            start = (x + side * s * 0.11, y + s * 0.13 + tilt * s * 0.4)
            draw.line(
                [start, (x + side * s * 0.30, y + s * 0.12 + tilt * s)], fill=WHITE, width=max(1, round(s * 0.008))
            )
    draw.polygon([(x - s * 0.03, y + s * 0.10), (x + s * 0.03, y + s * 0.10), (x, y + s * 0.135)], fill=PINK)
    width = max(1, round(s * 0.012))
    draw.arc(box(x - s * 0.035, y + s * 0.14, s * 0.035, s * 0.03), 0, 180, fill=DARK, width=width)
    draw.arc(box(x + s * 0.035, y + s * 0.14, s * 0.035, s * 0.03), 0, 180, fill=DARK, width=width)
    draw.arc(box(x, y, s * 0.34, s * 0.34), 200, 250, fill=WHITE, width=max(1, round(s * 0.03)))


def rocket(draw: Draw, x: float, y: float, s: float, accent: Colour) -> None:
    for reach, colour in ((0.42, (255, 176, 66)), (0.26, (255, 236, 160))):
        draw.polygon(
            [(x - s * 0.12, y + s * 0.38), (x + s * 0.12, y + s * 0.38), (x, y + s * (0.38 + reach))], fill=colour
        )
    for side in (-1, 1):
        fin = [
            (x + side * s * 0.14, y + s * 0.08),
            (x + side * s * 0.36, y + s * 0.40),
            (x + side * s * 0.12, y + s * 0.36),
        ]
        draw.polygon(fin, fill=accent)
    draw.ellipse(box(x, y, s * 0.20, s * 0.50), fill=WHITE)
    draw.rectangle([x - s * 0.17, y + s * 0.28, x + s * 0.17, y + s * 0.38], fill=SHADE)
    draw.polygon([(x - s * 0.135, y - s * 0.37), (x + s * 0.135, y - s * 0.37), (x, y - s * 0.62)], fill=accent)
    disc(draw, x, y - s * 0.10, s * 0.11, accent)
    disc(draw, x, y - s * 0.10, s * 0.08, GLASS)
    draw.arc(box(x, y - s * 0.10, s * 0.06, s * 0.06), 190, 260, fill=WHITE, width=max(1, round(s * 0.015)))


def lighthouse(draw: Draw, x: float, y: float, s: float, accent: Colour) -> None:
    for side in (-1, 1):
        beam = [(x, y - s * 0.38), (x + side * s * 1.1, y - s * 0.62), (x + side * s * 1.1, y - s * 0.26)]
        draw.polygon(beam, fill=(255, 240, 180, 70))
    tower = 5
    for n in range(tower):
        top, bottom = n / tower, (n + 1) / tower
        wide, wider = 0.12 + 0.10 * top, 0.12 + 0.10 * bottom
        corners = [(-wide, top), (wide, top), (wider, bottom), (-wider, bottom)]
        points = [(x + s * dx, y - s * 0.28 + s * 0.9 * dy) for dx, dy in corners]
        draw.polygon(points, fill=accent if n % 2 else WHITE)
    draw.rectangle([x - s * 0.17, y - s * 0.31, x + s * 0.17, y - s * 0.27], fill=DARK)
    draw.rectangle([x - s * 0.10, y - s * 0.46, x + s * 0.10, y - s * 0.31], fill=(255, 232, 150))
    draw.polygon([(x - s * 0.14, y - s * 0.46), (x + s * 0.14, y - s * 0.46), (x, y - s * 0.62)], fill=accent)


def balloon(draw: Draw, x: float, y: float, s: float, accent: Colour) -> None:
    for dx in (-0.16, 0.16):
        line = [(x + s * dx * 1.6, y + s * 0.22), (x + s * dx * 0.7, y + s * 0.56)]
        draw.line(line, fill=DARK, width=max(1, round(s * 0.012)))
    draw.polygon(
        [
            (x - s * 0.38, y + s * 0.08),
            (x + s * 0.38, y + s * 0.08),
            (x + s * 0.1, y + s * 0.44),
            (x - s * 0.1, y + s * 0.44),
        ],
        fill=accent,
    )
    disc(draw, x, y - s * 0.10, s * 0.44, accent)
    for part, colour in ((0.30, WHITE), (0.17, accent), (0.06, WHITE)):
        draw.ellipse(box(x, y - s * 0.10, s * part, s * 0.44), fill=colour)
    draw.rounded_rectangle(box(x, y + s * 0.63, s * 0.12, s * 0.08), s * 0.03, fill=(150, 98, 60))


def flower(draw: Draw, x: float, y: float, s: float, accent: Colour) -> None:
    draw.line([(x, y), (x, y + s * 0.85)], fill=(70, 150, 92), width=max(1, round(s * 0.05)))
    for side in (-1, 1):
        draw.ellipse(box(x + side * s * 0.17, y + s * 0.62, s * 0.16, s * 0.06), fill=(86, 172, 106))
    petals = 10
    for n in range(petals):
        turn = 2 * math.pi * n / petals
        disc(draw, x + s * 0.34 * math.cos(turn), y + s * 0.34 * math.sin(turn), s * 0.15, accent if n % 2 else WHITE)
    disc(draw, x, y, s * 0.25, (255, 214, 102))
    for side in (-1, 1):
        disc(draw, x + side * s * 0.09, y - s * 0.05, s * 0.03, DARK)
    draw.arc(box(x, y + s * 0.02, s * 0.12, s * 0.10), 20, 160, fill=DARK, width=max(1, round(s * 0.02)))


MOTIFS: Final[Mapping[str, Motif]] = {
    "cat": cat_astronaut,
    "rocket": rocket,
    "lighthouse": lighthouse,
    "balloon": balloon,
    "flower": flower,
}
WORDS: Final[Mapping[str, str]] = {
    "кот": "cat",
    "кош": "cat",
    "cat": "cat",
    "космонавт": "cat",
    "astronaut": "cat",
    "ракет": "rocket",
    "rocket": "rocket",
    "маяк": "lighthouse",
    "lighthouse": "lighthouse",
    "море": "lighthouse",
    "шар": "balloon",
    "balloon": "balloon",
    "цвет": "flower",
    "flower": "flower",
}


def motif_for(prompt: str, seed: int) -> Motif:
    """Choose the figure a prompt mentions; without one, any, but always the same for the same seed."""
    words = prompt.lower()
    for stem, name in WORDS.items():
        if stem in words:
            return MOTIFS[name]
    return list(MOTIFS.values())[seed % len(MOTIFS)]


def disc(draw: Draw, x: float, y: float, radius: float, colour: Colour) -> None:
    draw.ellipse(box(x, y, radius, radius), fill=colour)


def box(x: float, y: float, half_width: float, half_height: float) -> tuple[float, float, float, float]:
    """Return the corners of a rectangle around a centre."""
    return (x - half_width, y - half_height, x + half_width, y + half_height)
