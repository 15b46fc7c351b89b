"""SVG elements as text."""

from __future__ import annotations

from html import escape

from fsmkit.terminal.console import printable


def element(tag: str, *content: str, **attributes: float | str) -> str:
    """Return an element around `content`, which is elements or `words`.

    Attributes whose names are not valid in Python are written `class_` and `text_anchor`.

    >>> element("rect", element("title", words("a < b")), class_="bar", width=2.50)
    '<rect class="bar" width="2.5"><title>a &lt; b</title></rect>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{''.join(content)}</{tag}>" if content else f"<{tag}{written}/>"


def words(text: str) -> str:
    """Return `text` as the content of an element; line breaks are kept."""
    return escape("\n".join(printable(line) for line in text.split("\n")))


def _value(value: float | str) -> str:
    if isinstance(value, str):
        return escape(printable(value))
    return f"{value:.1f}".removesuffix(".0")
