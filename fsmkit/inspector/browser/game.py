"""Game: the machines that a piece of source code builds, run and inspected inside a browser.

What depends on Pyodide is in `PromiseSignal`.
"""

from __future__ import annotations

import ast
import asyncio
import json
import linecache
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram.layout import Draw
from fsmkit.editing import Editor
from fsmkit.inspector.live.pausing import Signal
from fsmkit.inspector.local import LocalInspector, LocalPage, Reply
from fsmkit.introspection import walk
from fsmkit.introspection.definition_sites import DefinitionSites, noting_places
from fsmkit.introspection.nesting import members
from fsmkit.reloading import Origin


class PromiseSignal:
    """Suspends the stack of the waiting call, and resumes it when the signal is set.

    `run_sync`, of Pyodide, returns when the awaitable given is done.
    """

    def __init__(self, run_sync: Callable[[Awaitable[None]], object]) -> None:
        self._run_sync = run_sync
        self._is_set = False
        self._waiting: asyncio.Future[None] | None = None

    def set(self) -> None:
        self._is_set = True
        self._end_waiting()

    def clear(self) -> None:
        self._is_set = False

    def wait(self, timeout: float) -> None:
        if not self._is_set:
            self._run_sync(self._wait(timeout))

    async def _wait(self, timeout: float) -> None:
        # Not asyncio.wait_for: on a busy computer its timer may begin in the past, which Pyodide's
        # event loop refuses.
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        timer = loop.call_later(timeout, self._end_waiting)
        await self._waiting
        timer.cancel()

    def _end_waiting(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


def promise_signal() -> PromiseSignal | None:
    """Return a signal; None if this browser cannot suspend a stack."""
    from pyodide.ffi import (  # pyright: ignore[reportMissingImports]  # exists only there
        can_run_sync,
        run_sync,
    )

    return PromiseSignal(run_sync) if can_run_sync() else None


HandOver: TypeAlias = Callable[[int, str, bytes], object]
"""Gets the status of a reply, its headers as JSON, and its body."""

LONGEST_UPDATE: Final = 0.1
"""Seconds. The time in which a browser was busy, or hid the page, must not cause a leap."""


class Game:
    """Builds machines from source code, and updates them.

    `draw` and `signal` are those of `LocalInspector`. `folder` keeps the code in a file, so that it
    has lines, and pages can edit it; without one they cannot.
    """

    def __init__(
        self,
        draw: Draw | None = None,
        signal: Signal | None = None,
        folder: str | None = None,
    ) -> None:
        self._draw = draw
        self._signal = signal
        self._folder = None if folder is None else Path(folder).resolve()
        self._file = ""
        self._machines: Fsm[Any] | FsmGroup | None = None
        self._inspector: LocalInspector | None = None

    def play(self, source: str, file: str, function: str, may_be_script: bool = False) -> str:
        """Play the machines that `function` in `source` returns; return the error, or "".

        With `may_be_script`, code without that function is run as a script, and the machines that
        are its global variables are played, if any. If the code fails, the machines played before
        go on.
        """
        try:
            path = self._kept(source, file)
            is_script = may_be_script and not _defines(source, file, function)
            with noting_places() as places:
                if is_script:
                    machines = _made_by_script(source, file, path)
                else:
                    machines = _built(source, file, path, function)
            origin = _ScriptOrigin("__main__", "") if is_script else Origin(_name(file), function)
            inspector = None if machines is None else self._inspected(machines, places, origin)
        except (Exception, SystemExit) as error:
            return _shown_traceback(error, file)
        self.stop()
        self._file, self._machines, self._inspector = file, machines, inspector
        for machine in () if machines is None else members(machines):
            if not machine.is_running:
                self._attempt(machine.start)
        return ""

    @property
    def is_empty(self) -> bool:
        return self._machines is None

    def stop(self) -> None:
        """Stop playing; a machine that is held at a breakpoint goes on."""
        if self._inspector is not None:
            self._inspector.close()
        self._machines = self._inspector = None

    def update(self, dt: float) -> None:
        """Let time pass. An error is printed, and the machines are paused."""
        if (machines := self._machines) is not None:
            self._attempt(lambda: machines.update(min(dt, LONGEST_UPDATE)))

    def open(self, wake: Callable[[], object]) -> LocalPage | None:
        return None if self._inspector is None else self._inspector.open(wake)

    def load(self, address: str, hand_over: HandOver, body: bytes | None = None) -> None:
        def reply(reply: Reply) -> None:
            content = reply.body if isinstance(reply.body, bytes) else b"".join(reply.body)
            hand_over(reply.status, json.dumps(dict(reply.headers)), content)

        if self._inspector is None:
            hand_over(409, "{}", b'{"error": "There is no machine."}')
        else:
            self._inspector.load(address, reply, None if body is None else bytes(body))

    def _kept(self, source: str, file: str) -> str:
        """Return the file that the code is in, which is written if there is a folder for it."""
        if self._folder is None:
            return file
        path = self._folder / file
        path.write_text(source, encoding="utf-8", newline="")
        return str(path)

    def _inspected(
        self, machines: Fsm[Any] | FsmGroup, places: DefinitionSites, origin: Origin
    ) -> LocalInspector:
        inspector = LocalInspector(
            machines,
            places=places,
            draw=self._draw,
            signal=self._signal,
            editing=None if self._folder is None else Editor(origin, self._folder),
        )
        inspector.session.requests.failed = self._tell
        return inspector

    def _tell(self, error: Exception) -> None:
        sys.stderr.write(_shown_traceback(error, self._file))

    def _attempt(self, call: Callable[[], object]) -> None:
        try:
            call()
        except Exception as error:
            self._tell(error)
            if self._inspector is not None:
                self._inspector.pause()


def _defines(source: str, file: str, function: str) -> bool:
    """Return True if `source` assigns the name, outside of functions and classes."""
    tree = ast.parse(source, file)
    named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = {each.name for each in tree.body if isinstance(each, named)}
    for statement in tree.body:
        if not isinstance(statement, named):
            stored = (each for each in ast.walk(statement) if isinstance(each, ast.Name))
            names |= {each.id for each in stored if isinstance(each.ctx, ast.Store)}
    return function in names


class _ScriptOrigin(Origin):
    """The place of the machines that a script makes."""

    def find(self) -> Callable[[], Fsm[Any] | FsmGroup | None]:
        return lambda: _together(vars(sys.modules[self.module]).values())


def _built(source: str, file: str, path: str, function: str) -> Any:
    module = _module(source, file, path, _name(file))
    exec(compile(source, file, "exec"), vars(module))
    build = getattr(module, function, None)
    if not callable(build):
        raise TypeError(f"{file} needs a function {function!r} that returns the machine.")
    return build()


def _made_by_script(source: str, file: str, path: str) -> Fsm[Any] | FsmGroup | None:
    module = _module(source, file, path, "__main__")
    try:
        exec(compile(source, file, "exec"), vars(module))
    except SystemExit as end:
        if end.code:
            raise
    return _together(vars(module).values())


def _name(file: str) -> str:
    return file.removesuffix(".py")


def _module(source: str, file: str, path: str, name: str) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = path
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    sys.modules[name] = module
    return module


def _together(values: Iterable[object]) -> Fsm[Any] | FsmGroup | None:
    """Return the machine or group among `values`; a group of all if there are several."""
    groups: dict[FsmGroup, None] = {}
    machines: dict[Fsm[Any], None] = {}
    for value in values:
        if isinstance(value, FsmGroup):
            groups[value] = None
        elif (machine := _machine_of(value)) is not None:
            machines[machine] = None
    grouped = {machine: None for group in groups for machine in group}
    around = (*grouped, *machines)
    inside = {inner for each in around for inner in walk.machines(each) if inner is not each}
    alone = [machine for machine in machines if machine not in inside and machine not in grouped]
    if len(groups) == 1 and not alone:
        return next(iter(groups))
    found = [*grouped, *alone]
    return FsmGroup(found) if len(found) > 1 else next(iter(found), None)


def _machine_of(value: object) -> Fsm[Any] | None:
    """Return `value` if it is a machine, or its attribute `machine` or `fsm` if that is one."""
    if isinstance(value, Fsm):
        return value
    for name in "machine", "fsm":
        with suppress(Exception):  # it may be a property, of any class
            if isinstance(machine := getattr(value, name, None), Fsm):
                return machine
    return None


def _shown_traceback(error: BaseException, file: str) -> str:
    """Return the traceback of an error, beginning with the first line in `file`."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        error.msg = f"No module named {error.name!r}"  # Pyodide's advice needs a package index
        error.add_note("Here are fsmkit, actions, attrs and the standard library.")
    shown = traceback.TracebackException.from_exception(error)
    own = [index for index, frame in enumerate(shown.stack) if frame.filename == file]
    del shown.stack[: min(own, default=len(shown.stack))]
    return "".join(shown.format())
