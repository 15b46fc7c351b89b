"""The engines that stand on pyglet's windows: a rig of each, for tests that both have to pass."""

from collections.abc import Iterator
from typing import Any

import pytest
from hand_turned import HandTurned


@pytest.fixture(scope="module", params=["pyglet", "arcade"])
def new_rig(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Return a function that returns a rig without things and machines."""
    if request.param == "pyglet":
        pytest.importorskip("pyglet", reason="pyglet is not installed (the extra pyglet)")
        from rig_of_pyglet import PygletRig, pyglet_window

        with pyglet_window(400, 300) as window:
            yield lambda: PygletRig(window)
    else:
        from rig_of_arcade import ArcadeRig, arcade_window

        clock = HandTurned()
        with arcade_window(clock, 400, 300) as window:
            yield lambda: ArcadeRig(window, clock)


@pytest.fixture
def rig(new_rig: Any) -> Iterator[Any]:
    rig = new_rig()
    yield rig
    rig.end()
