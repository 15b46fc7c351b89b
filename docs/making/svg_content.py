"""What a picture shows, whichever Graphviz has laid it out."""

from __future__ import annotations

from typing import Final
from xml.etree import ElementTree

LAYOUT: Final = {"d", "points", "x", "y", "cx", "cy", "rx", "ry", "width", "height", "viewBox"}
"""Attributes that Graphviz decides, each version as it likes; `transform` as well."""


def content(svg: str) -> list[tuple[str, str | None, dict[str, str]]]:
    """Return the content of a picture and its look, without the positions."""
    return [
        (part.tag, part.text, {
            name: value
            for name, value in part.attrib.items()
            if name not in {*LAYOUT, "transform"}
        })
        for part in ElementTree.fromstring(svg).iter()
    ]  # fmt: skip
