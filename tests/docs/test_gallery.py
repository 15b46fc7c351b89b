"""The gallery has a card for every action, drawn from a run of it."""

import inspect
import re
from pathlib import Path

import pytest
from making.gallery import cards, easings
from making.gallery.table import TABLE
from making.library import GROUPS

import actions
from fsmkit import FsmAction
from fsmkit.editing.action_forms import easing_functions
from fsmkit.introspection.action_facts import is_number, unit

CLASSES = [
    name
    for name in actions.__all__
    if isinstance(getattr(actions, name), type) and issubclass(getattr(actions, name), FsmAction)
]
NUMBER = re.compile(r"-?\d+\.\d|(?<=[ \"])-?\d+(?=[,\"])")


def test_every_action_has_an_entry() -> None:
    assert sorted(TABLE) == sorted(actions.__all__)


@pytest.mark.parametrize("name", TABLE)
def test_the_pictures_show_what_the_action_does(name: str) -> None:
    for path, drawn in cards.pictures(name).items():
        check_drawn(path, drawn)


def test_the_curves_show_the_easings() -> None:
    for name, function in easing_functions().items():
        for path, drawn in easings.pictures(name, function).items():
            check_drawn(path, drawn)


def check_drawn(path: Path, drawn: str) -> None:
    """Fail unless a picture is there, within what another processor may round to."""
    shown = path.read_text("utf-8")
    assert NUMBER.sub("", shown) == NUMBER.sub("", drawn)
    numbers = (map(float, NUMBER.findall(text)) for text in (shown, drawn))
    assert all(abs(a - b) < 0.25 for a, b in zip(*numbers, strict=True))


@pytest.mark.parametrize("name", TABLE)
def test_an_example_fits_on_a_page_and_uses_the_action(name: str) -> None:
    code = cards.example(name)
    assert [line for line in code.splitlines() if len(line) > 80] == []
    assert re.search(rf"\b{name}\b.*\b{name}\b", code, re.DOTALL)


@pytest.mark.parametrize("name", [*CLASSES, "Sees", "InRange"])
def test_the_docstring_says_what_a_number_is_in(name: str) -> None:
    kind = getattr(actions, name)
    numbers = [
        parameter.name
        for parameter in inspect.signature(kind.__init__).parameters.values()
        if is_number(str(parameter.annotation))
    ]
    assert [number for number in numbers if unit(number, kind) is None] == []


def test_a_card_says_when_an_action_finishes_and_what_it_sends_and_takes() -> None:
    assert "- **Finishes** on enter; with `delay=2.0` after some time." in card("SendEvent")
    assert "- **Finishes** never by itself; with `mode=PathMode.ONCE`" in card("FollowWaypoints")
    assert "- **Sends** `less`, `equal` and `greater`." in card("Compare")
    assert "- **Sends** `blocked_event` and `finish_event`." in card("FollowPath")
    assert "- **Takes** `events`." in card("Defer")
    assert "- **Takes** what the machines inside know." in card("RunFsm")
    assert "| `duration` | `float` or a function, in seconds |" in card("TimedWait")


def test_the_pages_have_a_card_for_every_action() -> None:
    short = (cards.DOCS / "gallery.md").read_text("utf-8")
    assert [name for name in actions.__all__ if f"### `{name}`\n" not in short] == []
    for title, (_, names) in GROUPS.items():
        page = (cards.PAGES / f"{cards.slug(title)}.md").read_text("utf-8")
        assert [name for name in names if f"## `{name}`\n" not in page] == []


def card(name: str) -> str:
    return cards.card(cards.PAGES / "time.md", name)
