"""The sizes of pictures, written into the built pages: nothing moves while they are loaded."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import imagesize

PICTURE: Final = re.compile(r'<img (?![^>]*\b(?:width|height|style)=)(?=[^>]*\bsrc="([^":]+)")')
"""A picture of the site that says nothing of its size."""

SHAPE: Final = re.compile(
    r'<svg (?=[^>]*\bviewBox="[\d.-]+ [\d.-]+ (?P<across>[\d.]+) (?P<down>[\d.]+)")'
    r'(?:[^>]*\swidth="(?P<width>\d+)")?'
)
"""An SVG without a height, and perhaps without a width, has only a shape."""


LOGO: Final = 'class="sidebar-logo"'
"""The picture above the tree of pages, which every page has."""


def with_sizes(html: str, folder: Path) -> str:
    """Return a page in a folder with the sizes of its pictures.

    Styles may make it narrower: the height follows, since a browser keeps the ratio. A picture
    after the first one of the text is loaded when it comes near: its place is known by then.
    """
    loading = ""

    def sized(found: re.Match[str]) -> str:
        nonlocal loading
        size = size_of((folder / unquote(found[1])).resolve())
        if not size:
            return found[0]
        tag = f"<img {size} {loading}"
        if LOGO not in html[found.start() : html.index(">", found.start())]:
            loading = 'loading="lazy" '
        return tag

    return PICTURE.sub(sized, html)


@cache
def size_of(path: Path) -> str:
    """Return the attributes for the size of a picture; nothing if it is not known.

    An SVG without a width is as wide as the text.
    """
    if not path.is_file():
        return ""
    width, height = imagesize.get(path)
    if min(width, height) > 0:
        return f'width="{round(width)}" height="{round(height)}"'
    shape = SHAPE.search(path.read_text("utf-8")) if path.suffix == ".svg" else None
    if shape is None:
        return ""
    width = shape["width"] or "100%"
    return f'width="{width}" style="aspect-ratio: {shape["across"]} / {shape["down"]}"'
