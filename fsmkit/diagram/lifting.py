"""Lifts the labels of arrows above all arrows, so that none lies across them."""

from __future__ import annotations

import re
from typing import Final

ARROW: Final = re.compile(
    r'(<g id="[^"]*" class="edge (?:transition|extends)[^"]*">\n'
    r"(<title>[^<]*</title>\n)(?:<[^t][^>]*>\n)*?)"
    r'(<polygon [^>]*stroke="(?:none|transparent)".*?)(?=</g>)',
    re.DOTALL,
)
"""An arrow: its tooltip, its line and its head, and then its label on a paper of its own."""


def with_labels_on_top(svg: str) -> str:
    """Return the picture with the labels of arrows in groups of their own, after all arrows."""
    labels: list[str] = []

    def lift(arrow: re.Match[str]) -> str:
        labels.append(f'<g class="label">\n{arrow[2]}{arrow[3]}</g>\n')
        return arrow[1]

    svg = ARROW.sub(lift, svg)
    if not labels:
        return svg
    end = svg.rindex("</g>")
    return f"{svg[:end]}{''.join(labels)}{svg[end:]}"
