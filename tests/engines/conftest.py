"""Lets the tests of the engines import their neighbours, and sets up Panda3D."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

# Panda3D draws itself, so that no graphics driver is needed.
SETTINGS = "load-display p3tinydisplay\nwin-size 64 64\naudio-library-name null"


@pytest.fixture(scope="session")
def base() -> Iterator[Any]:
    """Return Panda3D without a window; its clock advances by a sixtieth of a second per frame."""
    core = pytest.importorskip("panda3d.core")
    from direct.showbase.ShowBase import ShowBase

    core.loadPrcFileData("", SETTINGS)
    base = ShowBase(windowType="none")
    clock = core.ClockObject.getGlobalClock()
    clock.setMode(core.ClockObject.MNonRealTime)
    clock.setDt(1 / 60)
    yield base
    clock.setMode(core.ClockObject.MNormal)
    base.destroy()


@pytest.fixture
def frames(base: Any) -> Iterator[Callable[[int], None]]:
    """Lets Panda3D run for some frames; afterwards nothing is attached to it any more."""

    def run(count: int) -> None:
        for _ in range(count):
            base.taskMgr.step()

    yield run
    for task in base.taskMgr.getTasksMatching("fsmkit-*"):
        base.taskMgr.remove(task)
    base.cTrav = 0


@pytest.fixture
def scene(base: Any) -> Iterator[Any]:
    """Return the parent node of everything in the test, in Panda3D."""
    scene = base.render.attachNewNode("scene")
    yield scene
    scene.removeNode()


@pytest.fixture
def rig(base: Any, frames: Any, scene: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return Panda3D as the laws want it."""
    from rig_of_panda3d import Rig

    rig = Rig(base, scene, monkeypatch)
    yield rig
    rig.end()
