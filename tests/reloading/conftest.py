"""A program in a folder that the tests rewrite, and a game that reloads it."""

import importlib
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from fsmkit.reloading import Reloader

sys.path.insert(0, str(Path(__file__).parents[1] / "recording"))  # for the random games

NAMES = ("guard", "world", "sound", "fresh", "far_away", "game")
"""The modules of the programs."""


class Game:
    """A game loop with hand-turned time, around one machine of a program in `folder`.

    Files count as changed when their content has, and every frame looks at them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[str] = []
        self.now = 0.0
        self.reloader = Reloader(self._say, every=0.5, clock=lambda: self.now, stamp=self.content)

    def content(self, path: Path) -> object:
        return path.read_bytes() if path.is_file() else None

    def write(self, source: str, name: str = "guard.py") -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(source), "utf-8")

    def build(self, source: str, *arguments: Any, **files: str) -> Any:
        for name, text in files.items():
            self.write(text, f"{name}.py")
        self.write(source)
        importlib.invalidate_caches()
        self.function = importlib.import_module("guard").build
        self.arguments = arguments
        self.machines = self.function(*arguments)
        self.frame()
        return self.machines

    def frame(self, dt: float = 0.0) -> Any:
        """Do what a game does once a frame."""
        self.now += 1.0
        self.machines = self.reloader.reloaded(self.machines, self.function, *self.arguments)
        if dt:
            self.machines.update(dt)
        return self.machines

    def edit(self, source: str, **files: str) -> Any:
        """Write the new program, and run until it has been noticed."""
        for name, text in files.items():
            self.write(text, f"{name}.py")
        self.write(source)
        self.frame()
        return self.frame()

    def replace(self, old: str, new: str, name: str = "guard.py") -> Any:
        """Replace a part of a file, and run until it has been noticed."""
        path = self.folder / name
        source = path.read_text("utf-8")
        assert old in source
        path.write_text(source.replace(old, new), "utf-8")
        self.frame()
        return self.frame()

    def take(self) -> list[str]:
        """Return what was said since the last time, line by line."""
        said, self.said = self.said, []
        return said

    def _say(self, text: str) -> None:
        self.said += text.splitlines()


@pytest.fixture
def game(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    for name in NAMES:  # other tests may have imported namesakes from elsewhere
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(folder))
    return Game(folder)
