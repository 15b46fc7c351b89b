"""The front page of the site, which says what README.md says."""

from __future__ import annotations

import re
from pathlib import Path

from making.places import ROOT

PICTURE = re.compile(r'<picture>\s*<source [^>]*>\s*<img alt="([^"]*)" src="([^"]*)">\s*</picture>')


def readme(_page: Path, _arguments: str) -> str:
    """`readme`: README.md from its heading on, as a page in docs/ shows it."""
    from making.parts import filled  # it knows this maker, too

    path = ROOT / "README.md"
    text = filled(path, path.read_text("utf-8"))[path]
    text = text[text.index("# fsmkit") :]
    text = re.sub(r"<!-- (?:made: .*?|end) -->\n+", "", text)
    text = PICTURE.sub(r"![\1](\2)", text)
    text = text.replace("](docs/", "](")
    return re.sub(r"\]\((CHANGELOG|CONTRIBUTING)", lambda found: found[0].lower(), text)
