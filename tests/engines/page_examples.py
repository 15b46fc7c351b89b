"""The examples of docs/engines.md, for the tests that run them on their engines."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"


def example_of(engine: str) -> str:
    """Return the longest block of Python in an engine's section of the page."""
    page = PAGE.read_text(encoding="utf-8")
    section = page.partition(f"\n## {engine}\n")[2].partition("\n## ")[0]
    return max(re.findall(r"```(?:{code-block} )?python\n(.*?)```", section, re.DOTALL), key=len)
