"""Sections of README.md on the front page of the site."""

from __future__ import annotations

import re
from pathlib import Path

from making.places import ROOT


def readme(_page: Path, heading: str) -> str:
    """`readme HEADING`: that section of README.md, as a page in docs/ shows it."""
    text = (ROOT / "README.md").read_text("utf-8")
    section = re.search(
        rf"^## {re.escape(heading)}\n.*?(?=^## |^MIT licence|\Z)", text, re.MULTILINE | re.DOTALL
    )
    if section is None:
        raise ValueError(f"README.md has no section {heading!r}.")
    shown = section[0].replace("](docs/", "](")
    return re.sub(r"\]\((CHANGELOG|CONTRIBUTING)", lambda found: found[0].lower(), shown)
