"""Elements of SVG as text."""

from __future__ import annotations

from html import escape

from fsmkit.terminal.console import printable


def element(tag: str, *content: str, **attributes: float | str) -> str:
    """An element around `content`, which is elements or `words`.

    Attributes whose names are no names in Python are written `class_` and `text_anchor`.

    >>> element("rect", element("title", words("a < b")), class_="bar", width=2.50)
    '<rect class="bar" width="2.5"><title>a &lt; b</title></rect>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{''.join(content)}</{tag}>" if content else f"<{tag}{written}/>"


def words(text: str) -> str:
    """`text` as the content of an element; lines stay lines."""
    return escape("\n".join(printable(line) for line in text.split("\n")))


def _value(value: float | str) -> str:
    if isinstance(value, str):
        return escape(printable(value))
    return f"{value:.1f}".removesuffix(".0")
