"""The pages for language models: llms.txt, and all pages as one text. See https://llmstxt.org."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from making.places import DOCS
from making.summaries import markdown_of, shortened, summary, title

FILE: Final = DOCS / "llms.txt"
TOCTREE: Final = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MARKS: Final = re.compile(r"^<!--.*?-->\n+|" + TOCTREE.pattern, TOCTREE.flags)
FULL: Final = "llms-full.txt"
"""The file of the site that holds all pages."""
FOR_AGENTS: Final = """\
How a coding agent should use fsmkit: [Coding agents](agents.html). After each change run \
`fsmkit check FILE --explore --format json`, and mend what it finds; `fsmkit draw FILE` shows the \
result, `fsmkit run FILE --event NAME@T --why NAME` why an event does nothing; `fsmkit mcp` serves \
all that as tools."""


def index() -> str:
    """Return llms.txt: a link to each page and what it is about, by the sections of the site."""
    front = DOCS / "index.md"
    parts = [
        f"# {title(front)}\n\n> {summary(front)}",
        f"All pages as one text: [{FULL}]({FULL})",
        FOR_AGENTS,
    ]
    for heading, pages in sections(front):
        lines = "\n".join(line(page) for page in pages)
        parts.append(f"## {heading}\n\n{lines}")
    return "\n\n".join(parts) + "\n"


def line(page: Path) -> str:
    """Return the line of one page."""
    link = page.relative_to(DOCS).with_suffix(".html").as_posix()
    return f"- [{title(page)}]({link}): {shortened(summary(page), 160)}"


def sections(front: Path) -> Iterator[tuple[str, list[Path]]]:
    """Yield the captions on the front page, each with its pages and those below them."""
    for tree in TOCTREE.findall(front.read_text("utf-8")):
        caption = re.search(r"^:caption: (.+)$", tree, re.MULTILINE)
        pages = [each for page in listed(front, tree) for each in (page, *below(page))]
        if pages:
            yield (caption[1] if caption else "Pages"), pages


def below(page: Path) -> Iterator[Path]:
    """Yield the pages that a page leads to, and those that they lead to."""
    for tree in TOCTREE.findall(page.read_text("utf-8")):
        for each in listed(page, tree):
            yield each
            yield from below(each)


def listed(page: Path, tree: str) -> list[Path]:
    """Return the pages that one toctree of a page names, in order."""
    entries = [each for each in tree.splitlines() if each and not each.startswith(":")]
    found: list[Path] = []
    for entry in entries:
        folder, name = page.parent, f"{entry}.md"
        found += sorted(folder.glob(name)) if "*" in entry else [folder / name]
    return [path for path in found if path != page]


def full() -> str:
    """Return the text of all pages, one after the other."""
    front = DOCS / "index.md"
    pages = [front, *(page for _, group in sections(front) for page in group)]
    texts = (MARKS.sub("", markdown_of(page)).strip() for page in pages)
    return "\n\n".join(texts) + "\n"
