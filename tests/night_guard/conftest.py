"""Lets the tests import the modules of the game, which have short names."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "night_guard"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Imports modules of the game, which are forgotten afterwards."""
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(FOLDER)):
            del sys.modules[name]
