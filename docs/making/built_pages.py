"""The pages of the built site, rewritten after Sphinx has written them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def rewrite(site: Path, *changes: Callable[[str, Path], str]) -> None:
    """Apply functions to all pages of a site; each gets the page and its folder."""
    for path in site.rglob("*.html"):
        html = old = path.read_text("utf-8")
        for change in changes:
            html = change(html, path.parent)
        if html != old:
            path.write_text(html, "utf-8", newline="\n")
