"""The table of what `fsmkit check` finds, each with its page."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from making.places import DOCS, link

from fsmkit.checking.finding import DESCRIPTIONS, ERRORS

FOLDER: Final = DOCS / "checks"


def table(page: Path, _arguments: str) -> str:
    """`findings`: every code, with a link to its page. Raises ValueError for one without."""
    missing = [code for code in DESCRIPTIONS if not (FOLDER / f"{code}.md").exists()]
    if missing:
        raise ValueError(f"docs/checks must have a page for {', '.join(missing)}.")
    rows = [
        f"| [{code}]({link(page, FOLDER / f'{code}.md')}) | {severity(code)} | {text} |"
        for code, text in DESCRIPTIONS.items()
    ]
    return "\n".join(["| code | severity | finding |", "| --- | --- | --- |", *rows])


def severity(code: str) -> str:
    """Return what a finding with this code is, for most machines."""
    return "error" if code in ERRORS or code == "endless-chain" else "warning"
