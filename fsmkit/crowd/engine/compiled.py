"""The fast engine: the machine as the text of some loops, compiled by numba and cached on disk."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from tempfile import gettempdir
from time import perf_counter
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from fsmkit.crowd.compiler.plan import Plan
from fsmkit.crowd.engine.compile_lock import compile_lock
from fsmkit.crowd.engine.loop_choice import LoopChooser
from fsmkit.crowd.engine.report import Failure, Report
from fsmkit.crowd.engine.slice import AgentSlice
from fsmkit.crowd.packages import np, numba
from fsmkit.crowd.table import Table

if TYPE_CHECKING:
    from fsmkit.crowd.engine.store import Store

MIN_AGENTS_PER_THREAD: Final = 65_536
"""The number of agents that are worth a thread of their own.

Two threads on two cores were 0.6 times as fast as one with 8,192 agents, 0.8 times with 16,384,
just as fast with 32,768 and 65,536, and 1.6 times with 131,072 (1.7 with a million). Each figure is
the best of many interleaved steps; when the cores have other work, the gain is even smaller.
"""


class Compiled:
    """Holds the loops of a machine, and runs them over ranges of agents."""

    def __init__(self, plan: Plan, store: Store, threads: int) -> None:
        self.plan = plan
        self.store = store
        self._module = load(plan.text)
        self._chooser = LoopChooser()
        self._threads = threads
        self._helpers = ThreadPoolExecutor(max(1, threads - 1))  # starts threads when needed

    def update(self, world: Mapping[str, Any]) -> Report:
        """Update every agent."""
        arguments, slices = self._arguments(world), self._divided()
        if not hasattr(self._module, "sweep"):
            return self._share(lambda each: each.update(arguments), slices)
        begun = perf_counter()
        self._chooser.choose()
        report = self._share(
            (lambda each: each.sweep(arguments))
            if self._chooser.sweeps
            else (lambda each: each.update_all(arguments)),
            slices,
        )
        self._chooser.record((perf_counter() - begun) / (self.store.state.size + 1))
        return report

    def change(
        self, where: Any, event: int, world: Mapping[str, Any], moved: Any, first: int = 0
    ) -> Report:
        """Send an event, or start, in the rows from `first` on where `where` is true."""
        arguments = [event, *self._arguments(world)]
        slices = self._between(first, first + len(where)) if first else self._divided()
        return self._share(
            lambda each: each.change(
                [each.part_of(where, first), each.part_of(moved, first)], arguments
            ),
            slices,
        )

    def compile(self, world: Mapping[str, Any]) -> None:
        """Compile all loops now. Of the processes of a computer one does it, the others wait."""
        arguments, nobody = self._arguments(world), self._between(0, 0)[0]
        with compile_lock(Path(str(self._module.__file__)).with_suffix(".lock")):
            nobody.change([np.zeros(0, np.bool_)] * 2, [0, *arguments])
            if hasattr(self._module, "sweep"):
                nobody.sweep(arguments)
                nobody.update_all(arguments)
            else:
                nobody.update(arguments)

    def _arguments(self, world: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the arguments of a loop that are the same for all agents."""
        store = self.store
        values = [each.array if isinstance(each, Table) else each for each in world.values()]
        return store.time, store.seed, store.step, *values, *self.plan.parameters.values()

    def _share(self, work: Callable[[AgentSlice], Report], slices: Sequence[AgentSlice]) -> Report:
        """Do the work, with a thread for each slice."""
        own, *others = slices
        begun = [self._helpers.submit(work, each) for each in others]
        report = work(own)
        for each in begun:
            report.merge(each.result())
        return report.by_index(self.store.rows.rank)

    def _divided(self) -> list[AgentSlice]:
        """Return all agents, a slice for each thread."""
        slices = self.store.rows.parts
        if not slices:
            slices += self._between(0, len(self.store.rows))
        return slices

    def _between(self, first: int, last: int) -> list[AgentSlice]:
        """Return the agents in these rows, a slice for each thread."""
        size = last - first
        threads = max(1, min(self._threads, size // MIN_AGENTS_PER_THREAD))
        bounds = pairwise(first + size * number // threads for number in range(threads + 1))
        return [AgentSlice(self._module, self.store, *each, self._add_error) for each in bounds]

    def _add_error(self, report: Report, agent: int, place: int, error: Exception) -> None:
        state = self.plan.state_name(int(self.store.state[agent]))
        report.add_failure(Failure(agent, state, self.plan.places[place], error))


def load(text: str) -> ModuleType:
    """Return the module with this text, from a file, so that numba can cache its code beside it."""
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
                continue  # do not run code that somebody else may have put there
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


def _folders() -> list[Path]:
    own = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    cache = Path(own) if own else Path.home() / ".cache"
    return [
        cache / "fsmkit" / "crowd",
        Path(gettempdir()) / f"fsmkit-crowd-{os.getuid() if hasattr(os, 'getuid') else 0}",
    ]
