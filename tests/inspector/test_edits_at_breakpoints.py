"""An edit while a machine is held in the middle of a call of the file that is edited."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from fsmkit.cli.targets import find
from fsmkit.editing import Editor

GUARD = """\
from actions import DelegateAction
from fsmkit import Fsm


def get_tired(state):
    state.fsm.send_event("TIRED")


def build():
    guard = Fsm("Guard")
    patrol = guard.add_state("Patrol")
    rest = guard.add_state("Rest")
    patrol.add_action(DelegateAction(on_update=get_tired))
    patrol.add_transition("TIRED", rest)
    return guard
"""


def test_the_edit_is_written_and_the_machine_goes_on(
    folder: Path, inspected: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsmkit.inspector.local.can_start", lambda: False)
    (folder / "guard.py").write_text(GUARD)
    build: Any = find("guard.py").function
    machine = build()
    page = inspected(machine, editing=Editor(build, folder))
    page.ask("break", machine="Guard", kind="event", name="TIRED", on=True)
    page.update = lambda: None
    game = Thread(target=lambda: [machine.start(), machine.update(0.02)])
    game.start()
    page.frame(lambda frame: frame["held"])
    edit = {"kind": "add-transition", "source": "Rest", "event": "WAKE", "target": "Patrol"}
    assert page.ask("edit", edit=edit, write=True)["written"]
    assert (folder / "guard.py").read_text() == GUARD.replace(
        '"TIRED", rest)\n', '"TIRED", rest)\n    rest.add_transition("WAKE", patrol)\n'
    )
    assert page.ask("reasons", state="Patrol")["transitions"]["TIRED"] == [
        {"retarget": None, "rename": None, "remove": None}
    ]
    page.ask("resume")
    game.join(60.0)
    assert machine.current_state.name == "Rest"
