"""The pictures in the documentation are those of the examples and of its own machines.

To draw them all again: python tests/diagram/test_example_pictures.py
"""

import re
import sys
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import pytest

from fsmkit import Fsm, FsmGroup
from fsmkit.cli.targets import load
from fsmkit.diagram import to_svg
from fsmkit.diagram.layout import PURE, program

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = ROOT / "docs"
PICTURES: Final = PAGES / "_static" / "diagrams"
OF_PAGES: Final = {
    "nested": ("pictures.md", "guard"),
    "interrupted": ("pictures.md", "knight"),
    "swing": ("events.md", "knight"),
}
"""Picture -> the page with the block that builds the machine, and the machine's name there."""
EXAMPLES: Final = [
    path
    for path in sorted(ROOT.glob("examples/*.py"))
    if "-> CrowdFsm" not in path.read_text("utf-8")  # these are drawn with their shares, elsewhere
]
NAMES: Final = [*OF_PAGES, *(path.stem for path in EXAMPLES)]

LAYOUT: Final = {"d", "points", "x", "y", "cx", "cy", "rx", "ry", "width", "height", "viewBox"}
"""Attributes that Graphviz decides, each version as it likes; `transform` as well."""


def machine(name: str) -> Fsm[Any] | FsmGroup:
    if name not in OF_PAGES:
        return load(str(ROOT / "examples" / f"{name}.py"))
    page, wanted = OF_PAGES[name]
    namespace: dict[str, Any] = {"print": lambda *_texts, **_options: None}
    for block in re.findall(r"```python\n(.*?)```", (PAGES / page).read_text("utf-8"), re.DOTALL):
        if wanted not in namespace:
            exec(block, namespace)
    drawn: Fsm[Any] = namespace[wanted]
    return drawn


def pictures(name: str) -> dict[str, str]:
    """File name -> SVG."""
    drawn = machine(name)
    return {
        f"{name}{'_actions' * actions}{'_dark' * dark}.svg": to_svg(
            drawn, actions=actions, dark=dark
        )
        for actions in (False, True)
        for dark in (False, True)
    }


def content(svg: str) -> list[tuple[str, str | None, dict[str, str]]]:
    """Return the content of a picture and its look, without the positions."""
    return [
        (part.tag, part.text, {
            name: value for name, value in part.attrib.items() if name not in {*LAYOUT, "transform"}
        })
        for part in ElementTree.fromstring(svg).iter()
    ]  # fmt: skip


def has_graphviz_pure() -> bool:
    try:
        return Path(program()).stem == PURE
    except ImportError:
        return False


@pytest.mark.skipif(not has_graphviz_pure(), reason="the pictures are drawn by graphviz-pure")
@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_up_to_date(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    drawn = {file: content(svg) for file, svg in pictures(name).items()}
    assert drawn == {file: content((PICTURES / file).read_text("utf-8")) for file in drawn}


def test_every_example_is_shown_and_there_is_no_picture_of_anything_else() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES.glob("*.md"))
    shown = set(re.findall(r"_static/diagrams/(\S+)", text))
    drawn = {f"{n}{a}{d}.svg" for n in NAMES for a in ("", "_actions") for d in ("", "_dark")}
    assert shown <= drawn
    assert {picture.name for picture in PICTURES.iterdir()} == drawn
    told = set(re.findall(r"<!-- example (\S+) -->", text))
    seen = {name for name in NAMES if shown & {f"{name}.svg", f"{name}_actions.svg"}}
    assert told | seen == set(NAMES)


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    for each in NAMES:
        for file_name, picture in pictures(each).items():
            (PICTURES / file_name).write_text(picture, "utf-8", newline="\n")
