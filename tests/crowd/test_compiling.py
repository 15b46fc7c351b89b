"""The compiler takes seconds for a new machine: a terminal says what goes on."""

import io
from typing import Any

import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdFsm
from fsmkit.crowd.engine.compiled import Compiled
from fsmkit.crowd.library import TimedWait


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@define
class Npc:
    x: float = 0.0


def test_the_first_run_of_each_loop_says_that_it_is_compiled(
    not_compiled: None, always_sweeps: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    shared = Compiled._shared
    said: list[str] = []

    def slow(compiled: Compiled, *arguments: Any) -> Any:
        while len(said) < 2 and terminal.getvalue().count("once") == len(said):
            pass
        said.append(terminal.getvalue())
        return shared(compiled, *arguments)

    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("fsmkit.terminal.progress.DELAY", 0.001)
    monkeypatch.setattr(Compiled, "_shared", slow)
    machine = CrowdFsm("Npc", Npc)
    machine.add_state("Rest").add_action(TimedWait(1.0))
    crowd = Crowd(machine, 3)
    crowd.start()
    for _ in range(3):
        crowd.update(0.1)
    line, gone = "\rcompiling <Crowd of 3 agents of 'Npc'>, once", "\r\033[K"
    both = line + gone + line
    assert said == [line, both, both + gone, both + gone]
