"""The pages of the documentation, as text: those of this version, in an installed package too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from math import log
from pathlib import Path
from typing import Final

from attrs import frozen

from fsmkit.introspection.data_files import data_files

PACKED: Final = files("fsmkit.cli") / "docs"
"""The pages in an installed package."""

CHECKOUT: Final = Path(__file__).parents[2] / "docs"

NOT_FOR_READING: Final = re.compile(
    r"\A---\n.*?^---$|^<!--.*?-->$|^```\{(?:toctree|include|eval-rst)\}.*?^```$|^</?div.*?>$"
    r"|^ *!\[.*?\]\(.*?\)$",
    re.DOTALL | re.MULTILINE,
)

HEADING: Final = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)

WORD: Final = re.compile(r"\w{2,}")

IN_HEADING: Final = 5
"""How often a word in a heading counts."""

MOST: Final = 4
"""How often a word counts in a section at most."""

DECISIONS: Final = "decisions/"
"""The pages that say why. Their words count half: pages that say what come first."""


@frozen
class Section:
    """A part of a page, from one heading to the next."""

    page: str
    heading: str
    text: str


@cache
def sections() -> tuple[Section, ...]:
    folder = PACKED if PACKED.is_dir() else CHECKOUT
    return tuple(
        section
        for name, file in sorted(data_files(folder).items())
        if name.endswith(".md") and not name.startswith("_build")
        for section in _sections_of(name.removesuffix(".md"), file.read_text("utf-8"))
    )


@cache
def _counted_words() -> tuple[tuple[Section, Counter[str]], ...]:
    return tuple((each, Counter(WORD.findall(each.text.lower()))) for each in sections())


def found_sections(query: str) -> list[Section]:
    """Return the sections that have words of a query, the best first."""
    wanted = {*WORD.findall(query.lower())}
    counts = _counted_words()
    known = {word: sum(word in words for _, words in counts) for word in wanted}
    rarity = {word: log(1 + len(counts) / number) for word, number in known.items() if number}

    def score(section: Section, words: Counter[str]) -> float:
        headings = {*WORD.findall(f"{section.page} {section.heading}".lower())}
        factor = 0.5 if section.page.startswith(DECISIONS) else 1.0
        return factor * sum(
            weight * (min(words[word], MOST) + IN_HEADING * (word in headings))
            for word, weight in rarity.items()
            if word in words
        )

    scored = [(score(section, words), section) for section, words in counts]
    ranked = sorted(scored, key=lambda pair: -pair[0])
    return [section for points, section in ranked if points > 0]


def _sections_of(page: str, markdown: str) -> Iterator[Section]:
    text = NOT_FOR_READING.sub("", markdown)
    places = [*HEADING.finditer(_without_code(text))]
    for index, place in enumerate(places):
        end = places[index + 1].start() if index + 1 < len(places) else len(text)
        body = re.sub(r"\n{3,}", "\n\n", text[place.start() : end]).strip()
        yield Section(page, place[1], body)


def _without_code(text: str) -> str:
    """Return text of the same length, in which code has no lines that look like headings."""
    blocks = re.compile(r"^(`{3,}).*?^\1$", re.DOTALL | re.MULTILINE)
    return blocks.sub(lambda block: re.sub("#", " ", block[0]), text)
