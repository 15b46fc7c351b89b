"""The pictures of maps in the documentation are those that its blocks draw.

To draw them again: python tests/pathfinding/test_pictures_in_docs.py
"""

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = DOCS / "_static" / "maps"
NAMES = {
    "village": {"path": "[to_market, to_treasure]", "goal": "(13, 6)", "title": "title"},
}
"""Grid on the page -> the options of its picture there."""


def pictures(name: str) -> dict[str, str]:
    """File name -> SVG."""
    page = (DOCS / "pathfinding.md").read_text("utf-8")
    (block,) = re.findall(rf"```python\n({name} = Grid\(.*?)```", page, re.DOTALL)
    namespace: dict[str, Any] = {"print": lambda *_texts: None}
    exec(f"from fsmkit.pathfinding import Grid\n{block}", namespace)
    options = {option: eval(text, namespace) for option, text in NAMES[name].items()}
    assert namespace["picture"] == namespace[name].to_svg(**options)
    return {
        f"{name}{'_dark' * dark}.svg": namespace[name].to_svg(**options, dark=dark)
        for dark in (False, True)
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_of_a_map_is_up_to_date(name: str) -> None:
    for file, svg in pictures(name).items():
        assert (PICTURES / file).read_text("utf-8") == svg


def test_there_is_no_picture_of_another_map() -> None:
    assert {file.name for file in PICTURES.iterdir()} == {
        f"{name}{dark}.svg" for name in NAMES for dark in ("", "_dark")
    }


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    for each in NAMES:
        for file_name, picture in pictures(each).items():
            (PICTURES / file_name).write_text(picture, "utf-8", newline="\n")
