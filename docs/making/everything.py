"""All that is generated into the repository: pages, parts of pages, and the pictures they show."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Final

from making import llms
from making.parts import filled
from making.places import DOCS, ROOT
from making.recipes import recipe_pages
from making.svg_content import content

DRAWN: Final = (
    "_static/pages", "_static/cookbook", "_static/gallery", "_static/easings", "_static/curves",
)  # fmt: skip
"""Folders that hold nothing but pictures made here."""


def pages() -> list[Path]:
    """Return the pages of the repository that may have generated parts."""
    built = DOCS / "_build"
    return [
        *ROOT.glob("*.md"),
        *(page for page in sorted(DOCS.rglob("*.md")) if built not in page.parents),
    ]


def every_file() -> dict[Path, str]:
    """Return each generated file as it should be."""
    made = recipe_pages()
    for page in pages():
        text = page.read_text("utf-8")
        if "<!-- made: " in text and page not in made:
            made |= filled(page, text)
    made[llms.FILE] = llms.index()
    return made


def outdated(files: Mapping[Path, str]) -> list[Path]:
    """Return those that differ from what is in the repository, or are not there."""
    return [path for path, text in files.items() if not (path.exists() and same(path, text))]


def same(path: Path, text: str) -> bool:
    """Whether a file holds this text, or this picture however it is laid out."""
    there = path.read_text("utf-8")
    if path.suffix != ".svg" or there == text:
        return there == text
    return content(there) == content(text)


def leftovers(files: Mapping[Path, str]) -> list[Path]:
    """Return the pictures in our folders that nothing makes any more, and pages of lost recipes."""
    kept = chain.from_iterable((DOCS / folder).glob("*.svg") for folder in DRAWN)
    recipes = (DOCS / "cookbook").glob("*.md")
    return [path for path in (*kept, *recipes) if path not in files]
