"""The pages of the documentation as `fsmkit mcp` searches them, and the command without its SDK."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fsmkit.cli.pages import found_sections, sections

Command = Callable[..., tuple[int, list[str], list[str]]]

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
def test_every_page_is_there_without_its_marks() -> None:
    pages = {
        page.relative_to(DOCS).with_suffix("").as_posix()
        for page in DOCS.rglob("*.md")
        if "_build" not in page.parts and "{include}" not in page.read_text("utf-8")
    }
    assert {each.page for each in sections()} == pages - {"benchmarks_table"}
    for each in sections():
        assert "<!-- made:" not in each.text
        assert "```{toctree}" not in each.text


@pytest.mark.slow
def test_a_comment_in_code_is_no_heading() -> None:
    code = False
    expected: list[str] = []
    for line in (DOCS / "upgrading.md").read_text("utf-8").splitlines():
        code ^= line.startswith("```")
        if line.startswith("#") and not code:
            expected.append(line.lstrip("#").strip())
    assert [each.heading for each in sections() if each.page == "upgrading"] == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("shadowed-transition", "shadowed-transition"),
        ("TimedWait", "`TimedWait`"),
        ("suspension", "18. Suspension"),
        ("install extras", "Extras"),
    ],
)
def test_the_best_section_comes_first(query: str, heading: str) -> None:
    assert found_sections(query)[0].heading == heading


@pytest.mark.slow
def test_unknown_words_find_nothing() -> None:
    assert found_sections("xyzzy") == []
    assert found_sections("") == []


def test_without_the_extra_the_command_says_what_to_install(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    code, printed, (error,) = command("mcp")
    assert (code, printed) == (2, [])
    assert error.startswith("fsmkit: The server needs mcp: pip install 'fsmkit[mcp]'.")
