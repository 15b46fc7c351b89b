"""The pictures of maps in the documentation are those that its blocks draw.

To draw them again: python tests/pathfinding/test_pictures_in_docs.py
"""

import re
from pathlib import Path
from typing import Any

import pytest

from fsmkit.pathfinding import Grid

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = DOCS / "_static" / "maps"
DRAWN = re.compile(r"^picture = village\.to_svg\((.*)\)$", re.MULTILINE)
NAMES = ("village", "wells")
"""The pictures, in the order in which the page draws them."""

OF_EXAMPLES = {"hexagons.svg", "town.svg", "town_dark.svg"}
"""Drawn by examples, and tried with them."""


def pictures() -> dict[str, str]:
    """File name -> SVG."""
    page = (DOCS / "pathfinding.md").read_text("utf-8")
    section = page.partition("## Pictures of maps")[2].partition("\n## ")[0]
    namespace: dict[str, Any] = {"Grid": Grid, "print": lambda *_texts: None}
    drawn: dict[str, str] = {}
    names = iter(NAMES)
    for block in re.findall(r"```python\n(.*?)```", section, re.DOTALL):
        exec(block, namespace)
        for options in DRAWN.findall(block):
            name = next(names)
            drawn[f"{name}.svg"] = namespace["picture"]
            drawn[f"{name}_dark.svg"] = eval(f"village.to_svg({options}, dark=True)", namespace)
    return drawn


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return pictures()


@pytest.mark.parametrize("name", [f"{n}{dark}.svg" for n in NAMES for dark in ("", "_dark")])
def test_a_picture_of_a_map_is_up_to_date(name: str, drawn: dict[str, str]) -> None:
    assert (PICTURES / name).read_text("utf-8") == drawn[name]


def test_there_is_no_picture_of_another_map(drawn: dict[str, str]) -> None:
    pages = "".join((DOCS / page).read_text("utf-8") for page in ("pathfinding.md", "planning.md"))
    assert {file.name for file in PICTURES.iterdir()} == {*drawn, *OF_EXAMPLES}
    shown = {*re.findall(r"_static/maps/([\w.]+)", pages)}
    assert shown == {name for name in (*drawn, *OF_EXAMPLES) if not name.endswith("_dark.svg")}


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    for file_name, picture in pictures().items():
        (PICTURES / file_name).write_text(picture, "utf-8", newline="\n")
