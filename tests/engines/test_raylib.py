"""raylib: machines move, turn and tint sprites, frame by frame; in a window that nobody sees."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("pyray", reason="raylib is not installed (the extra raylib)")

import pyray
from laws import LAWS
from rig_of_raylib import RaylibRig, window

FRAME = 1 / 60


@pytest.fixture(scope="module", autouse=True)
def _window() -> Iterator[None]:
    with window():
        yield


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Iterator[RaylibRig]:
    """Return a game whose frames last as long as they do at 60 a second."""
    monkeypatch.setattr(pyray, "get_frame_time", lambda: FRAME)
    rig = RaylibRig()
    yield rig
    rig.rest()


@pytest.mark.parametrize("law", LAWS)
def test_law(law: Callable[[Any], None], rig: RaylibRig) -> None:
    law(rig)
