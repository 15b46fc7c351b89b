"""pyglet keeps the laws of all engines."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("pyglet", reason="pyglet is not installed (the extra pyglet)")

from laws import LAWS
from rig_of_pyglet import PygletRig, pyglet_window


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    with pyglet_window() as window:
        yield window


@pytest.fixture
def rig(window: Any) -> Iterator[PygletRig]:
    rig = PygletRig(window)
    yield rig
    rig.end()


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(rig: PygletRig, law: Callable[[Any], None]) -> None:
    law(rig)
