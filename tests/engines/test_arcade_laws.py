"""Arcade keeps the laws of all engines."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hand_turned import HandTurned
from laws import LAWS
from rig_of_arcade import ArcadeRig, arcade_window


@pytest.fixture(scope="module")
def clock() -> HandTurned:
    return HandTurned()


@pytest.fixture(scope="module")
def window(clock: HandTurned) -> Iterator[Any]:
    with arcade_window(clock) as window:
        yield window


@pytest.fixture
def rig(window: Any, clock: HandTurned) -> Iterator[ArcadeRig]:
    rig = ArcadeRig(window, clock)
    yield rig
    rig.end()


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(rig: ArcadeRig, law: Callable[[Any], None]) -> None:
    law(rig)
