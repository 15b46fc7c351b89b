"""A file that builds machines, in a folder of its own, and the edits of it."""

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from fsmkit.cli.targets import find
from fsmkit.editing import Edit, Editor, Proposal

sys.path.insert(0, str(Path(__file__).parent))

from a_door import DOOR


class Desk:
    """An editor of one file, `house.py`, and what is in the file."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.editor = Editor(find(str(path)).function, folder)

    def diff(self, edit: Edit, **options: Any) -> list[str]:
        """The lines that an edit takes out and puts in."""
        return changed(self.editor.proposed(edit, **options))

    def write(self, edit: Edit, **options: Any) -> str:
        self.editor.write(self.editor.proposed(edit, **options))
        return self.path.read_text("utf-8")


def changed(proposal: Proposal) -> list[str]:
    return [line for line in proposal.diff.splitlines()[2:] if line[0] in "+-"]


Opened = Callable[..., Desk]


@pytest.fixture
def opened(folder: Path) -> Opened:
    """Write a file, and open it for editing."""

    def opened(text: str | bytes = DOOR, name: str = "house.py") -> Desk:
        path = folder / name
        path.write_bytes(text if isinstance(text, bytes) else dedent(text).encode())
        return Desk(path, folder)

    return opened
