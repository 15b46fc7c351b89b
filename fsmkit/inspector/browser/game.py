"""Game: the machines that a piece of source code builds, run and inspected inside a browser."""

from __future__ import annotations

import json
import linecache
import sys
import traceback
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final, TypeAlias

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram.layout import Draw
from fsmkit.inspector.local import LocalInspector, LocalPage, Reply
from fsmkit.inspector.loop.signal import Signal
from fsmkit.tooling.nesting import members
from fsmkit.tooling.places import noting_places

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
        self._machines: Fsm[Any] | FsmGroup | None = None
        self._inspector: LocalInspector | None = None

    def play(self, source: str, file: str, function: str) -> str:
        """Play the machines that `function` in `source` returns; return why not, or "".

        If the code fails, what was played before goes on.
        """
        try:
            with noting_places() as places:
                machines = _built(source, file, function)
            inspector = LocalInspector(
                machines, places=places, draw=self._draw, signal=self._signal
            )
        except (Exception, SystemExit) as error:
            return _told(error, file)
        self.stop()
        self._machines, self._inspector = machines, inspector
        for machine in members(machines):
            if not machine.is_running:
                self._attempt(machine.start)
        return ""

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

    def _attempt(self, call: Callable[[], object]) -> None:
        try:
            call()
        except Exception as error:
            traceback.print_exception(error)
            if self._inspector is not None:
                self._inspector.pause()


def _built(source: str, file: str, function: str) -> Any:
    """Return what the function of that name returns, in a module made of `source`."""
    module = ModuleType(file.removesuffix(".py"))
    module.__file__ = file
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    sys.modules[module.__name__] = module
    exec(compile(source, file, "exec"), vars(module))
    build = getattr(module, function, None)
    if not callable(build):
        raise TypeError(f"{file} needs a function {function!r} that returns the machine.")
    return build()


def _told(error: BaseException, file: str) -> str:
    """Return the traceback of an error, from the first line in `file` on."""
    told = traceback.TracebackException.from_exception(error)
    own = [index for index, frame in enumerate(told.stack) if frame.filename == file]
    del told.stack[: min(own, default=len(told.stack))]
    return "".join(told.format())
