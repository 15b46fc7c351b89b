"""What Sphinx and its theme leave out of a page for those who hear it or use only the keyboard."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

REPAIRS: Final = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    '<th class="head"><p></p></th>': "<td></td>",
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper ': '<div tabindex="0" class="table-wrapper ',
}
"""What is written instead of what; keys scroll code and tables that are wider than the page."""

PARAMETERS: Final = re.compile(r'<dl>\n((?:<dd><em class="sig-param">.*</dd>\n)+)</dl>')
"""The parameters of a long signature, one a line: definitions of no term."""


def repaired(html: str, _folder: Path) -> str:
    """Return a page with its repairs; one that has them stays as it is."""
    for old, new in REPAIRS.items():
        html = html.replace(old, new)
    return PARAMETERS.sub(as_lines, html)


def as_lines(parameters: re.Match[str]) -> str:
    """Return the parameters of a signature without definitions."""
    lines = parameters[1].replace("<dd>", "<div>").replace("</dd>", "</div>")
    return f'<div class="sig-parameters">\n{lines}</div>'
