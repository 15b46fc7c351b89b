"""The filter above the cards of the gallery, in a browser, on the cards as the page has them."""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any, Final

import pytest

import actions

ALL: Final = f"{len(actions.__all__)} actions"
DOCS: Final = Path(__file__).parents[2] / "docs"

pytestmark = pytest.mark.slow


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    page = browser.new_page()
    page.set_content(html())
    yield page
    page.close()


def html() -> str:
    """The page of the gallery, as Sphinx nests its sections, without what it is dressed in."""
    _title, *groups = (DOCS / "gallery.md").read_text("utf-8").split("\n## ")
    script = (DOCS / "_static" / "gallery.js").read_text("utf-8")
    sections = "".join(f"<section><h2>{section(group, 3)}</section>" for group in groups)
    # Set like this the page is loaded before the script asks to be notified.
    script = script.replace('document.addEventListener("DOMContentLoaded", ', "queueMicrotask(")
    return f'<section id="action-gallery">{sections}</section><script>{script}</script>'


def section(text: str, level: int) -> str:
    """A heading and what is below it; cards are sections of their own."""
    heading, _, rest = text.partition("\n")
    rest = re.sub(r"!\[[^]]*\]\([^)]*\)", "picture", rest)
    body, *cards = rest.split(f"\n{'#' * level} ")
    linked = re.sub(r"\[([^][]*)\]\(([^)]*)\)", r'<a href="\2">\1</a>', escape(body, quote=False))
    name = heading.strip("`")
    inner = "".join(
        f'<section id="{card.split("`")[1].lower()}"><h3>{section(card, 4)}</section>'
        for card in cards
    )
    return f"{name}</h{level - 1}>{linked}{inner}"


def shown(page: Any, words: str) -> list[str]:
    page.fill("#gallery-filter", words)
    found: list[str] = page.locator("h3:visible").all_text_contents()
    return found


def test_all_cards_are_there_before_a_word_is_written(page: Any) -> None:
    assert sorted(shown(page, "")) == sorted(actions.__all__)
    assert page.text_content("output") == ALL


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("MoveTow", ["MoveTowards"]),
        ("move towards", ["MoveTowards"]),  # by the parts of its name
        ("parabola", ["Jump"]),  # by its purpose
        ("smooth look", ["RotateTowards"]),  # by its name in Playmaker
        ("set bool", ["SetValue"]),
        ("iTween Move To", ["Move"]),
        ("blocked_event", ["FollowPath", "FollowField"]),  # by its event
        ("majority", []),
    ],
)
def test_a_card_is_found_by_how_its_words_begin(page: Any, words: str, names: list[str]) -> None:
    assert shown(page, words) == names
    assert page.text_content("output") == f"{len(names)} of {len(actions.__all__)}"


def test_a_group_without_a_card_is_hidden(page: Any) -> None:
    shown(page, "parabola")
    assert page.locator("h2:visible").all_text_contents() == [
        "How to read the pictures",
        "Motion",
        "See also",
    ]


@pytest.mark.slow
def test_the_keyboard_leads_to_the_first_card_and_back_to_all(page: Any) -> None:
    shown(page, "parabola")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "gallery/motion.md#jump"
    page.focus("#gallery-filter")
    page.keyboard.press("Escape")
    assert page.text_content("output") == ALL


@pytest.mark.slow
def test_whoever_follows_a_link_to_a_hidden_card_sees_it(page: Any) -> None:
    shown(page, "parabola")
    page.evaluate("location.hash = '#wander'")
    page.wait_for_function(f"document.querySelector('output').textContent === '{ALL}'")
