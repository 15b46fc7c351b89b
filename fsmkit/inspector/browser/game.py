"""Game: the machines that a piece of source code builds, run and inspected inside a browser."""

from __future__ import annotations

import ast
import json
import linecache
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any, Final, TypeAlias

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram.layout import Draw
from fsmkit.inspector.local import LocalInspector, LocalPage, Reply
from fsmkit.inspector.loop.signal import Signal
from fsmkit.tooling.nesting import inner_machines, members
from fsmkit.tooling.places import Places, noting_places

HandOver: TypeAlias = Callable[[int, str, bytes], object]
"""Gets the status of a reply, its headers as JSON, and its body."""

LONGEST_UPDATE: Final = 0.1
"""Seconds. A browser that was busy, or had the page in the background, does not make a leap."""


class Game:
    """Builds machines from source code, and updates them.

    What `draw` and `signal` are for says `LocalInspector`.
    """

    def __init__(self, draw: Draw | None = None, signal: Signal | None = None) -> None:
        self._draw = draw
        self._signal = signal
        self._file = ""
        self._machines: Fsm[Any] | FsmGroup | None = None
        self._inspector: LocalInspector | None = None

    def play(self, source: str, file: str, function: str, may_be_script: bool = False) -> str:
        """Play the machines that `function` in `source` returns; return why not, or "".

        With `may_be_script`, code without that function is run as a script, and the machines that
        are its global variables are played; there need be none. If the code fails, what was played
        before goes on.
        """
        try:
            with noting_places() as places:
                if may_be_script and not _defines(source, file, function):
                    machines = _made_by_script(source, file)
                else:
                    machines = _built(source, file, function)
            inspector = None if machines is None else self._inspected(machines, places)
        except (Exception, SystemExit) as error:
            return _told(error, file)
        self.stop()
        self._file, self._machines, self._inspector = file, machines, inspector
        for machine in () if machines is None else members(machines):
            if not machine.is_running:
                self._attempt(machine.start)
        return ""

    @property
    def is_empty(self) -> bool:
        """True if nothing is played."""
        return self._machines is None

    def stop(self) -> None:
        """Play no more; a machine that is held at a breakpoint goes on."""
        if self._inspector is not None:
            self._inspector.close()
        self._machines = self._inspector = None

    def update(self, dt: float) -> None:
        """Let time pass. An error is printed, and the machines are paused."""
        if (machines := self._machines) is not None:
            self._attempt(lambda: machines.update(min(dt, LONGEST_UPDATE)))

    def open(self, wake: Callable[[], object]) -> LocalPage | None:
        """Open a page, if there is anything to see."""
        return None if self._inspector is None else self._inspector.open(wake)

    def load(self, address: str, hand_over: HandOver, body: bytes | None = None) -> None:
        """Load a resource for a page, or hand in `body`, as `LocalInspector.load` does."""

        def reply(reply: Reply) -> None:
            content = reply.body if isinstance(reply.body, bytes) else b"".join(reply.body)
            hand_over(reply.status, json.dumps(dict(reply.headers)), content)

        if self._inspector is None:
            hand_over(409, "{}", b'{"error": "There is no machine."}')
        else:
            self._inspector.load(address, reply, None if body is None else bytes(body))

    def _inspected(self, machines: Fsm[Any] | FsmGroup, places: Places) -> LocalInspector:
        inspector = LocalInspector(machines, places=places, draw=self._draw, signal=self._signal)
        inspector.session.requests.failed = self._tell
        return inspector

    def _tell(self, error: Exception) -> None:
        sys.stderr.write(_told(error, self._file))

    def _attempt(self, call: Callable[[], object]) -> None:
        try:
            call()
        except Exception as error:
            self._tell(error)
            if self._inspector is not None:
                self._inspector.pause()


def _defines(source: str, file: str, function: str) -> bool:
    """Return whether `source` gives that name to anything, outside of functions and classes."""
    tree = ast.parse(source, file)
    named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = {each.name for each in tree.body if isinstance(each, named)}
    for statement in tree.body:
        if not isinstance(statement, named):
            stored = (each for each in ast.walk(statement) if isinstance(each, ast.Name))
            names |= {each.id for each in stored if isinstance(each.ctx, ast.Store)}
    return function in names


def _built(source: str, file: str, function: str) -> Any:
    """Return what the function of that name returns, in a module made of `source`."""
    module = _module(source, file, file.removesuffix(".py"))
    exec(compile(source, file, "exec"), vars(module))
    build = getattr(module, function, None)
    if not callable(build):
        raise TypeError(f"{file} needs a function {function!r} that returns the machine.")
    return build()


def _made_by_script(source: str, file: str) -> Fsm[Any] | FsmGroup | None:
    """Run `source`, and return its machines."""
    module = _module(source, file, "__main__")
    try:
        exec(compile(source, file, "exec"), vars(module))
    except SystemExit as end:
        if end.code:
            raise
    return _together(vars(module).values())


def _module(source: str, file: str, name: str) -> ModuleType:
    """Return a module that is to be made of `source`, known to Python."""
    module = ModuleType(name)
    module.__file__ = file
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    sys.modules[name] = module
    return module


def _together(values: Iterable[object]) -> Fsm[Any] | FsmGroup | None:
    """Return the machine or group among `values`; of several, a group of all."""
    groups: dict[FsmGroup, None] = {}
    machines: dict[Fsm[Any], None] = {}
    for value in values:
        if isinstance(value, FsmGroup):
            groups[value] = None
        elif (machine := _machine_of(value)) is not None:
            machines[machine] = None
    grouped = {machine: None for group in groups for machine in group}
    inside = {inner for machine in (*grouped, *machines) for inner in _nested(machine)}
    alone = [machine for machine in machines if machine not in inside and machine not in grouped]
    if len(groups) == 1 and not alone:
        return next(iter(groups))
    found = [*grouped, *alone]
    return FsmGroup(found) if len(found) > 1 else next(iter(found), None)


def _machine_of(value: object) -> Fsm[Any] | None:
    """Return `value` if it is a machine, or the one that it has as `machine` or `fsm`."""
    if isinstance(value, Fsm):
        return value
    for name in "machine", "fsm":
        with suppress(Exception):  # it may be a property, of any class
            if isinstance(machine := getattr(value, name, None), Fsm):
                return machine
    return None


def _nested(machine: Fsm[Any]) -> Iterator[Fsm[Any]]:
    for inner in inner_machines(machine):
        yield inner
        yield from _nested(inner)


def _told(error: BaseException, file: str) -> str:
    """Return the traceback of an error, from the first line in `file` on."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        error.msg = f"No module named {error.name!r}"  # Pyodide's advice needs a package index
        error.add_note("Here are fsmkit, actions, attrs and the standard library.")
    told = traceback.TracebackException.from_exception(error)
    own = [index for index, frame in enumerate(told.stack) if frame.filename == file]
    del told.stack[: min(own, default=len(told.stack))]
    return "".join(told.format())
