"""The generated parts of a page, between `<!-- made: MAKER ARGUMENTS -->` and `<!-- end -->`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from making import (
    blocks,
    cheat_sheet,
    decisions,
    drawings,
    findings,
    front,
    library,
    listings,
    names,
    recipes,
)
from making.gallery import cards, worths
from making.gallery import easings as easing_curves
from making.places import ROOT

Files: TypeAlias = dict[Path, str]
Maker: TypeAlias = Callable[[Path, str], str | tuple[str, Files]]
"""Called with the page and the text of its arguments.

Returns Markdown, if need be with the pictures that it shows.
"""

MAKERS: Final[dict[str, Maker]] = {
    "actions": library.overview,
    "action-directives": library.directives,
    "cheat-sheet": cheat_sheet.tables,
    "code": blocks.code,
    "curves": worths.table,
    "decisions": decisions.table,
    "docstring": blocks.docstring,
    "drawing": drawings.drawing,
    "easings": easing_curves.table,
    "example": listings.example,
    "file": blocks.file,
    "findings": findings.table,
    "gallery": cards.cards,
    "help": blocks.command_help,
    "names": names.table,
    "readme": front.readme,
    "recipes": recipes.table,
    "timeline": drawings.timeline,
}

PART: Final = re.compile(
    r"^<!-- made: (?P<maker>[\w-]+)(?: (?P<arguments>.*?))? -->\n(?P<old>.*?)^<!-- end -->$",
    re.DOTALL | re.MULTILINE,
)


class PartError(Exception):
    """A part asks for something that cannot be made."""


def filled(page: Path, text: str) -> Files:
    """Return the page with its parts made anew, and the pictures in them. Raises PartError."""
    files: Files = {}

    def made(part: re.Match[str]) -> str:
        markdown, pictures = make(page, part["maker"], part["arguments"] or "")
        files.update(pictures)
        first = part[0].partition("\n")[0]
        return f"{first}\n\n{markdown.strip()}\n\n<!-- end -->"

    files[page] = PART.sub(made, text)
    if files[page].count("<!-- made: ") != len(PART.findall(text)):
        raise PartError(f"{page.relative_to(ROOT)}: a part has no '<!-- end -->' on a line alone.")
    return files


def make(page: Path, name: str, arguments: str) -> tuple[str, Files]:
    """Call the maker of a part. Raises PartError."""
    where = f"{page.relative_to(ROOT)}, '{name} {arguments}'"
    if name not in MAKERS:
        raise PartError(f"{where}: there is no such maker. There are: {', '.join(MAKERS)}.")
    try:
        made = MAKERS[name](page, arguments)
    except Exception as error:
        raise PartError(f"{where}: {error}") from error
    return (made, {}) if isinstance(made, str) else made
