"""The pictures in the documentation are those of the examples and of its own machines.

To draw them all again: python tests/diagram/test_example_pictures.py
"""

import re
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from fsmkit import Fsm, FsmGroup
from fsmkit.cli.targets import load, load_datasets_or_machine
from fsmkit.diagram import datasets_to_svg, to_svg
from fsmkit.diagram.layout import PURE, program

sys.path.append(str(Path(__file__).parents[2] / "docs"))

from making.svg_content import content  # needs the path

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = ROOT / "docs"
PICTURES: Final = PAGES / "_static" / "diagrams"
OF_PAGES: Final = {
    "nested": ("pictures.md", "guard"),
    "interrupted": ("pictures.md", "knight"),
    "swing": ("events.md", "knight"),
}
"""Picture -> the page with the block that builds the machine, and the machine's name there."""
WITH_OPTIONS: Final[dict[str, tuple[str, str, dict[str, Any] | str]]] = {
    "watchman": ("pictures.md", "watchman", "everything"),
    "watchman_strip": ("pictures.md", "watchman", {"direction": "LR"}),
    "maze": ("pictures.md", "maze", {}),
}
"""Picture -> the page, the machine, and the options: in words, or as the page calls them."""
OF_DATASETS: Final = ("woodcutter", "town")
"""The examples whose list `DATASETS` is drawn."""
EXAMPLES: Final = [
    path
    for path in sorted(ROOT.glob("examples/*.py"))
    if "-> CrowdFsm" not in path.read_text("utf-8")  # these are drawn with their shares, elsewhere
]
NAMES: Final = [*OF_PAGES, *(path.stem for path in EXAMPLES)]
FILES: Final = {
    *(f"{n}{a}{d}.svg" for n in NAMES for a in ("", "_actions") for d in ("", "_dark")),
    *(f"{name}{d}.svg" for name in WITH_OPTIONS for d in ("", "_dark")),
    *(f"{name}_datasets{d}.svg" for name in OF_DATASETS for d in ("", "_dark")),
}


def machine(name: str) -> Fsm[Any] | FsmGroup:
    if name not in OF_PAGES:
        return load(str(ROOT / "examples" / f"{name}.py"))
    page, wanted = OF_PAGES[name]
    drawn: Fsm[Any] = called_on(page, wanted)[wanted]
    return drawn


def called_on(page: str, *wanted: str) -> dict[str, Any]:
    """Return what the blocks of a page define, up to the one that makes the last of `wanted`."""
    namespace: dict[str, Any] = {"print": lambda *_texts, **_options: None}
    for block in re.findall(r"```python\n(.*?)```", (PAGES / page).read_text("utf-8"), re.DOTALL):
        if not namespace.keys() >= {*wanted}:
            exec(block, namespace)
    return namespace


def pictures(name: str) -> dict[str, str]:
    """File name -> SVG."""
    if name in WITH_OPTIONS:
        return pictures_with_options(name)
    drawn = machine(name)
    return {
        f"{name}{'_actions' * actions}{'_dark' * dark}.svg": to_svg(
            drawn, actions=actions, dark=dark
        )
        for actions in (False, True)
        for dark in (False, True)
    }


def pictures_with_options(name: str) -> dict[str, str]:
    page, wanted, options = WITH_OPTIONS[name]
    names = (wanted, options) if isinstance(options, str) else (wanted,)
    namespace = called_on(page, *names)
    chosen = namespace[options] if isinstance(options, str) else options
    return {
        f"{name}{'_dark' * dark}.svg": to_svg(namespace[wanted], dark=dark, **chosen)
        for dark in (False, True)
    }


def pictures_of_datasets(name: str) -> dict[str, str]:
    datasets = load_datasets_or_machine(f"{ROOT / 'examples' / name}.py:DATASETS")
    assert isinstance(datasets, tuple)
    return {
        f"{name}_datasets{'_dark' * dark}.svg": datasets_to_svg(datasets, dark=dark)
        for dark in (False, True)
    }


def has_graphviz_pure() -> bool:
    try:
        return Path(program()).stem == PURE
    except ImportError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not has_graphviz_pure(), reason="the pictures are drawn by graphviz-pure")
@pytest.mark.parametrize("name", [*NAMES, *WITH_OPTIONS])
def test_a_picture_is_up_to_date(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    drawn = {file: content(svg) for file, svg in pictures(name).items()}
    assert drawn == {file: content((PICTURES / file).read_text("utf-8")) for file in drawn}


@pytest.mark.skipif(not has_graphviz_pure(), reason="the pictures are drawn by graphviz-pure")
@pytest.mark.parametrize("name", OF_DATASETS)
def test_a_picture_of_data_sets_is_up_to_date(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    drawn = {file: content(svg) for file, svg in pictures_of_datasets(name).items()}
    assert drawn == {file: content((PICTURES / file).read_text("utf-8")) for file in drawn}


def test_every_example_is_shown_and_there_is_no_picture_of_anything_else() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES.glob("*.md"))
    shown = set(re.findall(r"_static/diagrams/([^\s)]+)", text))
    assert shown <= FILES
    assert {picture.name for picture in PICTURES.iterdir()} == FILES
    seen = {name for name in NAMES if shown & {f"{name}.svg", f"{name}_actions.svg"}}
    assert seen == set(NAMES)


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    drawn_anew = [pictures(each) for each in (*NAMES, *WITH_OPTIONS)]
    for each in (*drawn_anew, *map(pictures_of_datasets, OF_DATASETS)):
        for file_name, picture in each.items():
            (PICTURES / file_name).write_text(picture, "utf-8", newline="\n")
