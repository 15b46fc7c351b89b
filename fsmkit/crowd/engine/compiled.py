"""The fast engine: the machine as the text of some loops, compiled by numba and cached on disk."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from tempfile import gettempdir
from time import perf_counter
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from fsmkit.crowd.compiler.emitter import Emitter
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.loop_choice import LoopChooser
from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.engine.slice import AgentSlice
from fsmkit.crowd.packages import numba
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

    def __init__(self, layout: Layout, store: Store, threads: int) -> None:
        self.layout = layout
        self.store = store
        emitter = Emitter(layout)
        self.source = emitter.module()
        self._places = emitter.places
        self._module = load(self.source)
        self._chooser = LoopChooser()
        self._threads = threads
        self._columns: dict[str, Any] | None = None
        """The columns that `_slices` are parts of."""
        self._slices: list[AgentSlice] = []
        self._helpers = ThreadPoolExecutor(max(1, threads - 1))  # starts threads when needed

    def update(self, world: Mapping[str, Any]) -> Report:
        """Update every agent."""
        module, arguments = self._module, self._arguments(world)
        if not hasattr(module, "sweep"):
            return self._share(lambda each: each.run(module.update, (), arguments))
        begun = perf_counter()
        self._chooser.choose()
        report = self._share(
            (lambda each: each.sweep(module.sweep, module.update, arguments))
            if self._chooser.sweeps
            else (lambda each: each.update_all(module.update, arguments))
        )
        self._chooser.record((perf_counter() - begun) / (self.store.state.size + 1))
        return report

    def change(self, where: Any, event: int, world: Mapping[str, Any], moved: Any) -> Report:
        """Send an event, or start, for the agents in `where`."""
        loop, arguments = self._module.change, (event, *self._arguments(world))
        return self._share(
            lambda each: each.run(loop, [each.part_of(where), each.part_of(moved)], arguments)
        )

    def _arguments(self, world: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the arguments of a loop that are the same for all agents."""
        store = self.store
        values = [each.array if isinstance(each, Table) else each for each in world.values()]
        return store.time, store.seed, store.step, *values

    def _share(self, work: Callable[[AgentSlice], Report]) -> Report:
        """Do the work with as many threads as are worth it."""
        own, *others = self._divided()
        if not others:
            return work(own)
        begun = [self._helpers.submit(work, each) for each in others]
        report = work(own)
        for each in begun:
            report.merge(each.result())
        return report

    def _divided(self) -> list[AgentSlice]:
        """Return all agents, a slice for each thread."""
        if self._columns is not self.store.columns:  # agents were added or removed
            self._columns = self.store.columns
            size = len(self.store)
            threads = max(1, min(self._threads, size // MIN_AGENTS_PER_THREAD))
            bounds = pairwise(size * number // threads for number in range(threads + 1))
            self._slices = [AgentSlice(self.store, *each, self._add_error) for each in bounds]
        return self._slices

    def _add_error(self, report: Report, agent: int, place: int, error: Exception) -> None:
        number = int(self.store.state[agent])
        state = self.layout.states[number] if number >= 0 else None
        report.add_failure(self.layout, agent, state, self._places[place], error)


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
