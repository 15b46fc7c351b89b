"""The example of docs/engines/ursina.md, as it is shown there."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from example_on_page import example, play

if find_spec("ursina") is None:
    pytest.skip("Ursina is not installed (the extra ursina)", allow_module_level=True)

BEFORE = """
from panda3d.core import ClockObject, loadPrcFileData

loadPrcFileData("", "load-display p3tinydisplay\\naudio-library-name null")
import ursina

clock = ClockObject.getGlobalClock()
clock.setMode(ClockObject.MNonRealTime)
clock.setDt(1 / 60)

def begin(make=ursina.Ursina):
    app = make(window_type="none", development_mode=False)
    ursina.mouse.enabled = False  # it would look for the window
    type(app).run = run
    return app

def run(app):
    for _ in range(120):
        app.step()
    print(round(body.z, 1), fsm.current_state.name)
    app.input("space")
    print(fsm.current_state.name)
    while fsm.current_state.name == "Chase":
        app.step()
    print(fsm.last_event, fsm.event_data.name)
    print(round(body.x, 1) >= 4.9, tuple(body.color) == (1, 0, 0, 1))
    ursina.destroy(body)
    app.step()
    print(fsm.is_running)

ursina.Ursina = begin
ursina.EditorCamera = lambda: None  # it needs the window
"""


@pytest.mark.slow
def test_the_guard_patrols_is_alarmed_chases_and_catches(tmp_path: Path) -> None:
    printed = play(tmp_path, BEFORE, example("ursina", "from actions"))
    assert printed[-5:] == ["4.0 Patrol", "Chase", "CAUGHT player", "True True", "False"]
