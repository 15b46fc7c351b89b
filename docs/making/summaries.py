"""What a page is about, in a sentence or two: the title and the first paragraph of its Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

NOT_PROSE: Final = re.compile(
    r"\A---\n.*?^---$"  # front matter
    r"|^<!--.*?-->$"
    r"|^(`{3,}).*?^\1$"
    r"|^</?div.*?>$"
    r"|^(?:#+ |\|).*?$"
    r"|^ *!\[.*?\]\(.*?\)$",
    re.DOTALL | re.MULTILINE,
)
INCLUDED: Final = re.compile(r"^```\{include\} (\S+)", re.MULTILINE)
LINK: Final = re.compile(r"!?\[([^]]*)\]\([^)]*\)")
IN_DETAIL: Final = "{}: every name with its parameters, what it raises, and examples."
"""For a page of the reference, whose text is in the docstrings."""


def markdown_of(page: Path) -> str:
    """Return the text of a page, or of the file that it consists of."""
    text = page.read_text("utf-8")
    included = INCLUDED.search(text)
    return (page.parent / included[1]).read_text("utf-8") if included else text


def title(page: Path) -> str:
    """Return the heading of a page as plain text."""
    return plain(heading(page))


def heading(page: Path) -> str:
    """Return the heading of a page as it is written."""
    found = re.search(r"^# (.+)$", markdown_of(page), re.MULTILINE)
    return found[1] if found else page.stem


def summary(page: Path) -> str:
    """Return the first paragraph of a page as plain text."""
    return plain(first_paragraph(page))


def first_paragraph(page: Path) -> str:
    """Return the first paragraph of a page as Markdown on one line, without links."""
    prose = NOT_PROSE.sub("\n", markdown_of(page))
    for paragraph in re.split(r"\n\s*\n", prose):
        text = without_links(paragraph).removeprefix("**What.** ")
        if text and not text.startswith(("Back to ", "For a guide ", "For guides ")):
            return text.removesuffix(":") + "." * text.endswith(":")
    unsaid = IN_DETAIL if page.parent.name == "reference" else "{}: a page about fsmkit."
    return unsaid.format(title(page))


def without_links(markdown: str) -> str:
    """Return Markdown on one line, with links as their texts."""
    return LINK.sub(r"\1", " ".join(markdown.split()))


def plain(markdown: str) -> str:
    """Return Markdown on one line without links, emphasis and escapes."""
    return re.sub(r"\*\*|`|\\(?=\W)", "", without_links(markdown))


def shortened(text: str, most: int = 200) -> str:
    """Return the whole sentences of `text` that fit into `most` characters, at least one."""
    sentences = re.split(r"(?<=[.?]) (?=[A-Z])", text)
    kept = sentences.pop(0)
    while sentences and len(kept) + 1 + len(sentences[0]) <= most:
        kept += " " + sentences.pop(0)
    return kept
