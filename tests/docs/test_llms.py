"""docs/llms.txt, which tells language models what there is to read."""

import re

import pytest
from making import llms
from making.places import DOCS

NOT_LISTED = {
    "index.md", "benchmarks_library.md", "benchmarks_table.md", "making/release.md",
}  # fmt: skip


def test_every_page_is_listed_once() -> None:
    text = llms.FILE.read_text("utf-8")
    listed = re.findall(r"^- \[.+?\]\((\S+)\.html\): \S.*$", text, re.MULTILINE)
    there = {
        page.relative_to(DOCS).with_suffix("").as_posix()
        for page in DOCS.rglob("*.md")
        if "_build" not in page.parts and page.relative_to(DOCS).as_posix() not in NOT_LISTED
    }
    assert set(listed) ^ there == set()
    assert len(listed) == len(there)


@pytest.mark.slow
def test_it_begins_as_the_format_asks() -> None:
    assert re.match(r"# fsmkit\n\n> \S.*\n\n", llms.index())


def test_the_text_of_all_pages_has_no_marks_of_ours() -> None:
    text = llms.full()
    assert "<!-- made:" not in text
    assert "```{toctree}" not in text
    assert "# Tutorial: a guard from scratch" in text
