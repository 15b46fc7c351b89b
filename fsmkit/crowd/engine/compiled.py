"""The fast engine: the machine as the text of some loops, compiled by numba and cached on disk.

`Compiled` divides the agents into slices, one for each thread; `AgentSlice` runs a loop over one of
them. A machine may have two loops for updates, and `LoopChooser` finds the faster one.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from itertools import pairwise
from math import inf
from pathlib import Path
from tempfile import gettempdir
from time import perf_counter
from types import ModuleType
from typing import Any, Final
from weakref import WeakSet

from fsmkit.crowd.compiler.columns import CrowdPlan
from fsmkit.crowd.engine.report import AgentFailure, BirthNotes, Report
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.packages import np, numba
from fsmkit.crowd.table import Table
from fsmkit.terminal.progress import Overdue, Progress

try:
    import fcntl
except ImportError:  # Windows: every process compiles
    fcntl = None  # type: ignore[assignment]

MIN_AGENTS_PER_THREAD: Final = 65_536
"""The number of agents that are worth a thread of their own.

Two threads on two cores were 0.6 times as fast as one with 8,192 agents, 0.8 times with 16,384,
just as fast with 32,768 and 65,536, and 1.6 times with 131,072 (1.7 with a million). Each figure is
the best of many interleaved steps; when the cores have other work, the gain is even smaller.
"""

MAX_RAISED: Final = 500
"""The most errors per step for which a loop is left and entered again.

That takes about 4 us each, while a loop that only counts them takes 5 ns each, but has to be
compiled first, for half a second.
"""

TRIAL_INTERVAL: Final = 128
"""Rounds after which the slower loop is tried again."""


class Compiled:
    def __init__(self, plan: CrowdPlan, store: Store, threads: int) -> None:
        self.plan = plan
        self.store = store
        self._module = load(plan.text)
        self._has_sweep = hasattr(self._module, "sweep")
        self._begun: set[str] = set()
        """The loops that have been run, so that they are compiled."""
        self._chooser = LoopChooser()
        self._threads = threads
        self._make_helpers()
        _MADE.add(self)

    def _make_helpers(self) -> None:
        self._helpers = ThreadPoolExecutor(max(1, self._threads - 1))  # begun when needed

    def update(self, world: Mapping[str, Any]) -> Report:
        arguments, slices = self._arguments(world), self._divided()
        if not self._has_sweep:
            return self._share("update", lambda each: each.update(arguments), slices)
        begun = perf_counter()
        self._chooser.choose()
        sweeps = self._chooser.sweeps
        name, run = ("sweep", AgentSlice.sweep) if sweeps else ("update", AgentSlice.update)
        report = self._share(name, lambda each: run(each, arguments), slices)
        self._chooser.record((perf_counter() - begun) / (self.store.state.size + 1))
        return report

    def change(
        self, where: Any, event: int, world: Mapping[str, Any], moved: Any, first: int = 0
    ) -> Report:
        """Send an event, or start, in the rows from `first` on where `where` is true."""
        arguments = [event, *self._arguments(world)]
        slices = self._between(first, first + len(where)) if first else self._divided()
        return self._share(
            "change", lambda each: each.change(where, moved, first, arguments), slices
        )

    def compile(self, world: Mapping[str, Any]) -> None:
        """Compile all loops now. One process per computer compiles while the others wait."""
        arguments, empty = self._arguments(world), self._between(0, 0)[0]
        with compile_lock(Path(str(self._module.__file__)).with_suffix(".lock")):
            empty.change(np.zeros(0, np.bool_), np.zeros(0, np.bool_), 0, [0, *arguments])
            empty.update(arguments)
            if self._has_sweep:
                empty.sweep(arguments)

    def _arguments(self, world: Mapping[str, Any]) -> tuple[Any, ...]:
        store = self.store
        values = [each.array if isinstance(each, Table) else each for each in world.values()]
        return store.time, store.seed, store.step, *values, *self.plan.parameters.values()

    def _share(
        self, loop: str, work: Callable[[AgentSlice], Report], slices: Sequence[AgentSlice]
    ) -> Report:
        """Run a loop over all slices; say so if it takes the compiler long."""
        if loop in self._begun:
            return self._shared(work, slices)
        self._begun.add(loop)
        with Progress(f"compiling {self.store.owner}, once") as progress, Overdue(progress.show):
            return self._shared(work, slices)

    def _shared(self, work: Callable[[AgentSlice], Report], slices: Sequence[AgentSlice]) -> Report:
        own, *others = slices
        begun = [self._helpers.submit(work, each) for each in others]
        report = work(own)
        for each in begun:
            report.merge(each.result())
        return report.by_index(self.store.loop_rows.rank)

    def _divided(self) -> list[AgentSlice]:
        slices = self.store.loop_rows.parts
        if not slices:
            slices += self._between(0, len(self.store.loop_rows))
        return slices

    def _between(self, first: int, last: int) -> list[AgentSlice]:
        size = last - first
        threads = max(1, min(self._threads, size // MIN_AGENTS_PER_THREAD))
        bounds = pairwise(first + size * number // threads for number in range(threads + 1))
        return [AgentSlice(self._module, self.store, *each) for each in bounds]


_MADE: Final[WeakSet[Compiled]] = WeakSet()


def _make_helpers_again() -> None:
    """Give every crowd new threads: those of its pool are in the process that was forked."""
    for compiled in _MADE:
        compiled._make_helpers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_make_helpers_again)


class AgentSlice:
    """The columns of the agents from `first` to before `last`, and room for a loop's notes.

    It is kept until agents are added or removed: in a small crowd, updating the agents takes hardly
    longer than putting together the arguments of a loop.
    """

    def __init__(self, module: ModuleType, store: Store, first: int, last: int) -> None:
        self._module = module
        self._store = store
        self._first = first
        self._last = last
        self._columns = [column[first:last] for column in store.loop_rows.columns.values()]
        self._notes = np.zeros((2, 2), np.int64)
        """The acting agent and its place, for errors; the number of endless ones, and the first."""
        self._trails = np.zeros((2, store.plan.trail_length), np.int64)
        self._words = np.zeros(-(-(last - first) // 8), np.uint64)
        """The bytes of `_skipped`, eight in each."""
        self._skipped = self._words.view(np.uint8)[: last - first]
        """1 for the agents that the update loop is run for."""
        self._births = (
            BirthNotes(store.plan, store.loop_rows.columns) if store.plan.most_births else None
        )

    def sweep(self, arguments: Sequence[Any]) -> Report:
        """Run the loop without branches, and the other one for the agents that it skips.

        `arguments` are the same for all agents, here and in the other methods.
        """
        skipped, columns = self._skipped, self._columns
        sweep = self._module.sweep
        if sweep(skipped, self._words, *arguments, self._notes, self._trails, *columns):
            return self._run("update", [skipped], arguments)
        return Report()

    def update(self, arguments: Sequence[Any]) -> Report:
        if not hasattr(self._module, "sweep"):
            return self._run("update", [], arguments)
        self._skipped.fill(1)
        return self._run("update", [self._skipped], arguments)

    def change(self, where: Any, moved: Any, first: int, arguments: Sequence[Any]) -> Report:
        """Run the loop that sends an event, or starts, where `where` is true; fill `moved`.

        These columns begin in the row `first`.
        """
        part = slice(self._first - first, self._last - first)
        return self._run("change", [where[part], moved[part]], arguments)

    def _run(self, loop: str, chosen: Sequence[Any], arguments: Sequence[Any]) -> Report:
        """Run a loop, and resume it after each agent whose function raises.

        `chosen` are the columns of the loop itself, which select the agents.
        """
        report, first, columns = Report(), self._first, self._columns
        births = self._births.arguments if self._births is not None else ()
        while True:
            name = loop if report.failed < MAX_RAISED else f"{loop}_counting"
            run = getattr(self._module, name)
            error: Exception | None = None
            failed = 0
            self._notes.fill(0)
            try:
                failed = run(*chosen, *arguments, self._notes, self._trails, *births, *columns)
            except (ArithmeticError, ValueError, IndexError) as raised:
                error = raised.with_traceback(None)
            (agent, place), (loops, first_looping) = self._notes.tolist()
            if loops:
                report.add_loop(first + first_looping, self._trails[1].tolist(), loops)
            report.failed += failed or 0
            done = self._births.move_to(report) if self._births is not None else None
            if error is not None:
                plan, state = self._store.plan, int(self._store.state[first + agent])
                report.add_failure(
                    AgentFailure(first + agent, plan.state_name(state), plan.places[place], error)
                )
                done = agent + 1
            if done is None:
                return report
            first += done
            chosen = [column[done:] for column in chosen]
            columns = [column[done:] for column in columns]


class LoopChooser:
    """Chooses between a sweep and the update loop, by their last times.

    Which one is faster depends on the processor and on how well it predicts the agents' branches,
    which may change at any time.
    """

    def __init__(self) -> None:
        self._last = {True: inf, False: inf}
        self._best = {True: inf, False: inf}
        self._rounds = 0
        self.sweeps = False
        """True if the sweep is chosen."""

    def choose(self) -> None:
        """Choose the faster one; from time to time, more often at first, try the other one.

        >>> chooser, chosen = LoopChooser(), ""
        >>> for _ in range(20):
        ...     chooser.choose()
        ...     chooser.record(0.25 if chooser.sweeps else 1.0)
        ...     chosen += "s" if chooser.sweeps else "u"
        >>> chosen
        'sususssusssssssussss'
        """
        self._rounds += 1
        is_trial = self._rounds & (self._rounds - 1) == 0 or self._rounds % TRIAL_INTERVAL == 0
        is_sweep_faster = self._best[True] < self._best[False]
        self.sweeps = is_sweep_faster != is_trial

    def record(self, seconds: float) -> None:
        """Record the time per agent of the chosen one.

        The best of its last two rounds counts: the computer may have been busy with other work.
        """
        self._best[self.sweeps] = min(seconds, self._last[self.sweeps])
        self._last[self.sweeps] = seconds


def load(text: str) -> ModuleType:
    """Return the module with this text, from a file, beside which numba can cache its code."""
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
                continue  # do not run code that another user may have put there
            if not path.exists() or path.read_text("utf-8") != text:
                part = path.with_suffix(f".{os.getpid()}.part")
                part.write_text(text, "utf-8")
                part.replace(path)
        except OSError:
            continue
        return path
    raise OSError(
        "No folder for the compiled crowd can be written to. Set NUMBA_CACHE_DIR to one that can."
    )


def _folders() -> Iterator[Path]:
    own = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):  # no one knows where home is
        yield (Path(own) if own else Path.home() / ".cache") / "fsmkit" / "crowd"
    with suppress(OSError):  # no temporary folder can be written to
        yield Path(gettempdir()) / f"fsmkit-crowd-{os.getuid() if hasattr(os, 'getuid') else 0}"


@contextmanager
def compile_lock(path: Path) -> Iterator[None]:
    """Hold the lock in the file at `path`: one process compiles, the others then find its cache.

    The system releases the lock of a process that ends. Without file locks, no process waits.
    """
    with ExitStack() as stack:
        if fcntl is not None:
            with suppress(OSError):
                file = stack.enter_context(path.open("ab"))
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
