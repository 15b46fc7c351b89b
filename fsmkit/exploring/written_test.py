"""TestWriter: writes a script and its result as a test that can be pasted."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, Final

from attrs import define

from fsmkit import Fsm, FsmGroup
from fsmkit.core.checks.functions import described
from fsmkit.core.words.quoting import quote
from fsmkit.exploring.rehearsal import Rehearsal
from fsmkit.exploring.scripts import (
    InducedFailure,
    Input,
    Script,
    ScriptStep,
    code_of,
    data_code,
    written,
)
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import own_machines
from fsmkit.introspection.walk import ActionPath

OUR_NAMES: Final = ("fsm", "group", "recorder", "holds", "drive", "Recorder", "pytest")
"""The names that a test uses itself; a function with such a name is called `build` there."""


@define
class TestWriter:
    __test__ = False  # keeps pytest from collecting it

    build: Callable[[], object]
    rehearsal: Rehearsal

    def raising(self, title: str, script: Script, error: BaseException) -> str:
        name, line = _imported_error(type(error))
        body = self._last_step_in(f"with pytest.raises({name}):", script)
        return self._test(title, body, ["import pytest", *line])

    def state(
        self, title: str, script: Script, machine: str, state: str, after: Script = ()
    ) -> str:
        """Return a test in which a machine is in `state` after a script, and still is later."""
        check = f"assert {self._machine(machine)}.current_state.name == {state!r}"
        later = [*self._steps(after), check] if after else []
        return self._test(title, [*self._start(), *self._steps(script), check, *later])

    def outcome(self, title: str, script: Script, machine: str, event: str, outcome: str) -> str:
        line = f"event {event}: {outcome}"
        body = self._last_step_in(f"with Recorder({self._machine(machine)}) as recorder:", script)
        return self._test(title, [*body, f"assert {line!r} in recorder.journal"])

    def broken(
        self, title: str, script: Script, name: str, holds: Callable[..., object], error: object
    ) -> str:
        function, lines = _function(name, holds)
        body = [*self._start(), *self._steps(script), *lines]
        call = f"{function}({self._subject})"
        if isinstance(error, BaseException):
            kind, imported = _imported_error(type(error))
            body += [f"with pytest.raises({kind}):", f"    {call}"]
            return self._test(title, body, ["import pytest", *imported])
        return self._test(title, [*body, f"assert not {call}"])

    @property
    def _subject(self) -> str:
        return "group" if isinstance(self.rehearsal.machines, FsmGroup) else "fsm"

    def _test(self, title: str, body: Sequence[str], imports: Sequence[str] = ()) -> str:
        name = re.sub(r"\W+", "_", title).strip("_").lower()
        text = "\n".join(
            f"    {line}" for line in [f"{self._subject} = {_name_of(self.build)}()", *body]
        )
        helpers = [each for each in ("Recorder", "drive") if f"{each}(" in text]
        ours = [f"from fsmkit.testing import {', '.join(helpers)}"] if helpers else []
        head = [*imports, *ours, *_import_of(self.build)]
        return "\n".join([*head, *([""] * 2 if head else []), f"def test_{name}():", text])

    def _start(self) -> list[str]:
        running = self.rehearsal.was_running
        if isinstance(self.rehearsal.machines, FsmGroup):
            if running:
                return ["for fsm in group:", "    if not fsm.is_running:", "        fsm.start()"]
            return ["group.start()"]
        return [] if running else ["fsm.start()"]

    def _last_step_in(self, block: str, script: Script) -> list[str]:
        """Return the lines of a script whose last step, or the start, happens in a block."""
        before = [*self._start(), *self._steps(script[:-1])] if script else []
        last = self._steps(script[-1:]) if script else self._start()
        return [*before, block, *(f"    {line}" for line in last)]

    def _steps(self, script: Script) -> list[str]:
        if not script:
            return []
        if not isinstance(self.rehearsal.machines, FsmGroup):
            return [f"drive(fsm, {written(script)})"]
        lines: list[str] = []
        for code, steps in groupby(map(_group_call, script)):
            count = len(list(steps))
            lines += [code] * count if count < 3 else [f"for _ in range({count}):", f"    {code}"]
        return lines

    def action(self, machine: str, state: str, place: ActionPath) -> str:
        """Return an action as Python code."""
        return f"{self._machine(machine)}.states[{state!r}].{walk.subscripts(place)}"

    def _machine(self, name: str) -> str:
        for place, member in enumerate(self.rehearsal.members):
            code = f"list(group)[{place}]" if self._subject == "group" else "fsm"
            if (found := self._within(member, code, name, ())) is not None:
                return found
        raise AssertionError(name)

    def _within(
        self, machine: Fsm[Any], code: str, name: str, above: tuple[Fsm[Any], ...]
    ) -> str | None:
        if self.rehearsal.names.get(machine) == name:
            return code
        if machine in above:
            return None
        for state in walk.states(machine):
            for place, action in walk.paths(state):
                for number, inner in enumerate(own_machines(action)):
                    index = action.machines.index(inner) if number else 0
                    path = f"{code}.states[{state.name!r}].{walk.subscripts(place)}"
                    path += f".machines[{index}]"
                    if (found := self._within(inner, path, name, (*above, machine))) is not None:
                        return found
        return None


def _group_call(step: ScriptStep) -> str:
    if isinstance(step, InducedFailure):
        return f"{step.code}.fail()"
    if isinstance(step, Input):
        data = "" if step.data is None else f", {data_code(step)}"
        return f"group.broadcast({quote(step.event)}{data})"
    return f"group.update({code_of(step)})"


def _imported_error(kind: type[BaseException]) -> tuple[str, list[str]]:
    if kind.__module__ == "builtins":
        return kind.__name__, []
    if "." in kind.__qualname__:
        return "Exception", []
    module = "fsmkit" if kind.__module__.startswith("fsmkit.core") else kind.__module__
    return kind.__name__, [f"from {module} import {kind.__name__}"]


def _name_of(build: Callable[[], object]) -> str:
    name = getattr(build, "__name__", "")
    return name if name.isidentifier() and name not in OUR_NAMES else "build"


def _import_of(build: Callable[[], object]) -> list[str]:
    module, name = getattr(build, "__module__", None), getattr(build, "__qualname__", "")
    parts = [*str(module).split("."), name]
    if module in (None, "__main__") or not all(part.isidentifier() for part in parts):
        return [f"build = {name}"] if name in OUR_NAMES else []
    return [f"from {module} import {name}{' as build' if name in OUR_NAMES else ''}"]


def _function(name: str, function: Callable[..., object]) -> tuple[str, list[str]]:
    text = described(function)
    if text.startswith("lambda"):
        return "holds", [f"holds = {text}"] if _is_expression(text) else ["holds = always"]
    return (text if text.isidentifier() else name), []


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True
