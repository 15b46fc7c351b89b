"""The pages of the documentation keep up with the code. Their code blocks: see /conftest.py."""

import re
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import actions

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/decisions/*.md")])
LINK = re.compile(r"\]\((?!\w+:)([^)#]*)(?:#([\w-]+))?\)")


def catalogue() -> ModuleType:
    pytest.importorskip("sphinx")
    return script("catalogue")


def script(name: str) -> ModuleType:
    """A file in the folder of the documentation, as a module."""
    spec = spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_action_is_in_one_group_of_the_documentation() -> None:
    assert catalogue().faults(actions.__all__) == []


def test_the_catalogue_shows_every_action() -> None:
    text = catalogue().every_action()
    assert [name for name in actions.__all__ if f":: actions.{name}\n" not in text] == []


def test_the_reference_lists_every_name_of_crowds() -> None:
    pytest.importorskip("numba")
    reference = (ROOT / "docs/reference.md").read_text("utf-8")
    pages = "".join(page.read_text("utf-8") for page in ROOT.glob("docs/crowd*.md"))
    for module in ("fsmkit.crowd", "fsmkit.crowd.library", "fsmkit.crowd.shards"):
        names = [f"{module}.{name}" for name in import_module(module).__all__]
        assert [name for name in names if f"`~{name}`" not in reference] == []
        assert [name for name in names if f":: {name}\n" not in pages] == []


def test_the_courses_that_are_shown_are_those_of_the_actions() -> None:
    module = script("motion_pictures")
    shown, drawn = module.FILE.read_text("utf-8"), module.picture()
    number = re.compile(r"-?\d+\.\d")
    assert number.sub("", shown) == number.sub("", drawn)
    # Within what the mathematics of another processor may round to.
    numbers = (map(float, number.findall(text)) for text in (shown, drawn))
    assert all(abs(a - b) < 0.25 for a, b in zip(*numbers, strict=True))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_that_exist(page: Path) -> None:
    targets = [
        page.parent / target for target, _ in LINK.findall(page.read_text("utf-8")) if target
    ]
    assert [str(target) for target in targets if not target.exists()] == []
