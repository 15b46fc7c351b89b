"""The fast engine: the machine as the text of some loops, compiled by numba and kept on disk."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from tempfile import gettempdir
from time import perf_counter
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from fsmkit.crowd.emitter import Emitter
from fsmkit.crowd.layout import Layout
from fsmkit.crowd.pace import Pace
from fsmkit.crowd.packages import np, numba
from fsmkit.crowd.report import Report

if TYPE_CHECKING:
    from fsmkit.crowd.store import Store

FEWEST: Final = 65_536
"""Agents for whom a thread of their own is worth it.

Two threads on two cores were 0.6 times as fast as one with 8,192 agents, 0.8 times with 16,384,
just as fast with 32,768 and 65,536, and 1.6 times with 131,072 (1.7 with a million). That is the
best of many steps in turn; when the cores have other work, even less is gained.
"""


class Compiled:
    """Has the loops of a machine, and runs them over ranges of agents."""

    def __init__(self, layout: Layout, store: Store, threads: int) -> None:
        self.layout = layout
        self.store = store
        emitter = Emitter(layout)
        self.source = emitter.module()
        self._places = emitter.places
        self._module = load(self.source)
        self._left = np.zeros(0, np.bool_)
        """For whom the update loop is to be run: all, or whom a sweep has left over."""
        self._pace = Pace()
        self._threads = threads
        self._helpers = ThreadPoolExecutor(max(1, threads - 1))  # makes them when they are needed

    def update(self, world: Any) -> Report:
        """Let every agent act."""
        if not hasattr(self._module, "sweep"):
            return self._run(self._module.update, world, (), ())
        begun = perf_counter()
        sweep = self._chosen_sweep()  # before `_left` is looked at: it may become another
        report = self._run(self._module.update, world, (self._left,), (), sweep)
        self._pace.took((perf_counter() - begun) / (len(self.store) + 1))
        return report

    def _chosen_sweep(self) -> Callable[..., int] | None:
        """The loop that goes before the update loop, or None if that does everything."""
        if len(self._left) != len(self.store):
            self._left = np.zeros(len(self.store), np.bool_)
        self._pace.choose()
        if self._pace.sweeps:
            return self._module.sweep  # type: ignore[no-any-return]
        self._left[:] = True
        return None

    def change(self, where: Any, event: int, world: Any, moved: Any) -> Report:
        """Send an event, or start, where `where` says so."""
        return self._run(self._module.change, world, (where, moved), (event,))

    def _run(
        self,
        loop: Callable[..., None],
        world: Any,
        chosen: tuple[Any, ...],
        more: tuple[Any, ...],
        sweep: Callable[..., int] | None = None,
    ) -> Report:
        store = self.store
        shared = list(self.layout.shared(world, store.delta_time).values())
        call = _Call(
            loop,
            sweep,
            chosen,
            (*more, store.time, store.seed, store.step),
            shared,
            (store.state, store.entered_at, store.ids, *store.columns.values()),
            self.layout.trail,
            self._tell,
        )
        own, *others = self._ranges()
        begun = [self._helpers.submit(call.go_through, *each) for each in others]
        report = call.go_through(*own)
        for each in begun:
            report.add(each.result())
        return report

    def _tell(self, report: Report, outcome: _Outcome) -> None:
        if outcome.error is not None:
            number = int(self.store.state[outcome.agent])
            state = self.layout.states[number] if number >= 0 else None
            place = self._places[outcome.place]
            report.failed(self.layout, outcome.agent, state, place, outcome.error)
        if outcome.loops:
            report.looped(outcome.looper, outcome.trail, outcome.loops)

    def _ranges(self) -> list[tuple[int, int]]:
        """From where to where each thread goes; this one goes through the first."""
        size = len(self.store)
        threads = max(1, min(self._threads, size // FEWEST))
        return list(pairwise(size * number // threads for number in range(threads + 1)))


@frozen(eq=False)
class _Outcome:
    """How a loop went: to the end, or to the first agent whose function has raised."""

    error: Exception | None
    agent: int
    place: int
    loops: int
    looper: int
    trail: list[int]


@frozen(eq=False)
class _Call:
    """One call of a loop, for any range of agents."""

    loop: Callable[..., None]
    sweep: Callable[..., int] | None
    """A loop that goes before it, and says how many agents are left over."""
    chosen: tuple[Any, ...]
    """Columns that say who is meant."""
    numbers: tuple[Any, ...]
    shared: list[Any]
    columns: tuple[Any, ...]
    trail: int
    tell: Callable[[Report, _Outcome], None]

    def go_through(self, first: int, last: int) -> Report:
        """Run the loop; behind an agent whose function has raised it goes on."""
        report = Report()
        if self.sweep is not None and not self.sweep(*self._given(first, last, *self._notes())):
            return report
        while (outcome := self._run(first, last)) is not None:
            self.tell(report, outcome)
            first = outcome.agent + 1
            if outcome.error is None:
                break
        return report

    def _run(self, first: int, last: int) -> _Outcome | None:
        notes, trails = self._notes()
        error: Exception | None = None
        try:
            self.loop(*self._given(first, last, notes, trails))
        except (ArithmeticError, ValueError) as raised:
            error = raised.with_traceback(None)
        (agent, place), (loops, looper) = notes.tolist()
        if error is None and not loops:
            return None
        return _Outcome(error, first + agent, place, loops, first + looper, trails[1].tolist())

    def _notes(self) -> tuple[Any, Any]:
        return np.zeros((2, 2), np.int64), np.zeros((2, self.trail), np.int64)

    def _given(self, first: int, last: int, notes: Any, trails: Any) -> Sequence[Any]:
        """What a loop is called with, for a range of agents."""
        chosen, columns = self._cut(self.chosen, first, last), self._cut(self.columns, first, last)
        return [*chosen, *self.numbers, notes, trails, *self.shared, *columns]

    def _cut(self, columns: tuple[Any, ...], first: int, last: int) -> Sequence[Any]:
        if first == 0 and last == len(self.columns[0]):
            return columns
        return [column[first:last] for column in columns]


def load(text: str) -> ModuleType:
    """The module with this text, kept in a folder so that what numba compiles can be kept too."""
    name = f"fsmkit_crowd_{sha256(f'{text}{numba.__version__}'.encode()).hexdigest()[:20]}"
    if name in sys.modules:
        return sys.modules[name]
    path = _written(name, text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[name] = module
    return module


def _written(name: str, text: str) -> Path:
    for folder in _folders():
        path = folder / f"{name}.py"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
                continue  # code that somebody else may have put there is not run
            if not path.exists() or path.read_text("utf-8") != text:
                part = path.with_suffix(f".{os.getpid()}.part")
                part.write_text(text, "utf-8")
                part.replace(path)
        except OSError:
            continue
        return path
    raise OSError("There is no folder that the compiled crowd could be written to.")


def _folders() -> list[Path]:
    own = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    cache = Path(own) if own else Path.home() / ".cache"
    return [
        cache / "fsmkit" / "crowd",
        Path(gettempdir()) / f"fsmkit-crowd-{os.getuid() if hasattr(os, 'getuid') else 0}",
    ]
