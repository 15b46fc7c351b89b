"""What a page shows of an example: its story, its picture, and how it is built."""

from __future__ import annotations

import ast
from pathlib import Path

from making.blocks import shown_code
from making.places import DOCS, EXAMPLES, link


def example(page: Path, name: str) -> str:
    """`example NAME`: the docstring of an example, its picture, and its code."""
    path = EXAMPLES / f"{name}.py"
    story = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    picture = DOCS / "_static" / "diagrams" / f"{name}_actions.svg"
    image = f"![The machine of {name}.py]({link(page, picture)})"
    return "\n\n".join([f"### `examples/{name}.py`", story, image, shown_code(path, "build")])
