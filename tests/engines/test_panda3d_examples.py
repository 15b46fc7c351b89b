"""The examples of docs/engines/panda3d.md, as they are shown there, and their picture."""

from pathlib import Path

import pytest
from example_on_page import example, play

pytestmark = pytest.mark.slow

pytest.importorskip("panda3d.core", reason="Panda3D is not installed (the extra panda3d)")

BEFORE = """
from direct.showbase.MessengerGlobal import messenger
from direct.showbase.ShowBase import ShowBase
from panda3d.core import ClockObject, PNMImage, loadPrcFileData

settings = "load-display p3tinydisplay\\nwin-size 64 48\\nwindow-type offscreen\\n"
loadPrcFileData("", settings + "audio-library-name null")
clock = ClockObject.getGlobalClock()
clock.setMode(ClockObject.MNonRealTime)
clock.setDt(1 / 60)

def frames(count):
    for _ in range(count):
        game.taskMgr.step()

def journal(count):
    names = []
    for _ in range(count):
        frames(1)
        if names[-1:] != [fsm.current_state.name]:
            names.append(fsm.current_state.name)
    return names
"""

RUN = """
def run(game):
    frames(120)
    picture = PNMImage()
    game.win.getScreenshot(picture)
    colors = {tuple(picture.getXel(x, y)) for x in range(64) for y in range(48)}
    print("an empty window" if len(colors) < 10 else "a picture")
    print(body.getX() > -1.0, body.getY() == -8.0)  # it walks to the right
    messenger.send("space")
    frames(2)
    print(fsm.current_state.name)
    while fsm.current_state.name == "Chase":
        frames(1)
    print(fsm.last_event, fsm.event_data == player)
    print(body.getColorScale() == (1, 0, 0, 1), round((body.getPos() - player.getPos()).length()))
    body.removeNode()
    frames(2)
    print(fsm.is_running)

ShowBase.run = run
"""


def test_the_guard_patrols_is_alarmed_chases_and_catches(tmp_path: Path) -> None:
    printed = play(tmp_path, BEFORE + RUN, example("panda3d", "from direct.showbase"))
    assert printed == ["a picture", "True True", "Chase", "CAUGHT True", "True 5", "False"]


def test_animations_and_intervals_are_started_and_awaited(tmp_path: Path) -> None:
    after = """
        fsm.start()
        game.taskMgr.add(lambda task: fsm.update(clock.getDt()) or task.cont)
        frames(10)
        print(fsm.path[0], panda.getCurrentAnim())
        fsm.send_event("ARRIVED")
        print(*journal(300))
        frames(10)
        print(door.getH(), panda.getCurrentAnim())
    """
    before = BEFORE + 'game = ShowBase(windowType="none")\n'
    printed = play(tmp_path, before, example("panda3d", "from actions"), after)
    assert printed == ["Walk walk", "Knock Enter Walk", "90.0 walk"]
