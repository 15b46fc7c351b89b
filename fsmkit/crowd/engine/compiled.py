"""The fast engine: the machine as the text of some loops, compiled by numba and kept on disk."""

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
from fsmkit.crowd.engine.loop_choice import Pace
from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.engine.slice import Stretch
from fsmkit.crowd.packages import numba

if TYPE_CHECKING:
    from fsmkit.crowd.engine.store import Store

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
        self._pace = Pace()
        self._threads = threads
        self._columns: dict[str, Any] | None = None
        """Those that the stretches are of."""
        self._stretches: list[Stretch] = []
        self._helpers = ThreadPoolExecutor(max(1, threads - 1))  # makes them when they are needed

    def update(self, shared: Mapping[str, Any]) -> Report:
        """Let every agent act."""
        module, given = self._module, self._given(shared)
        if not hasattr(module, "sweep"):
            return self._share(lambda each: each.run(module.update, (), given))
        begun = perf_counter()
        self._pace.choose()
        report = self._share(
            (lambda each: each.sweep(module.sweep, module.update, given))
            if self._pace.sweeps
            else (lambda each: each.update_all(module.update, given))
        )
        self._pace.took((perf_counter() - begun) / (self.store.state.size + 1))
        return report

    def change(self, where: Any, event: int, shared: Mapping[str, Any], moved: Any) -> Report:
        """Send an event, or start, where `where` says so."""
        loop, given = self._module.change, (event, *self._given(shared))
        return self._share(lambda each: each.run(loop, [each.cut(where), each.cut(moved)], given))

    def _given(self, shared: Mapping[str, Any]) -> tuple[Any, ...]:
        """What a loop is called with for all agents alike."""
        store = self.store
        return store.time, store.seed, store.step, *shared.values()

    def _share(self, work: Callable[[Stretch], Report]) -> Report:
        """Have the work done, by as many threads as it is worth it."""
        own, *others = self._divided()
        if not others:
            return work(own)
        begun = [self._helpers.submit(work, each) for each in others]
        report = work(own)
        for each in begun:
            report.add(each.result())
        return report

    def _divided(self) -> list[Stretch]:
        """All agents, in a stretch for each thread."""
        if self._columns is not self.store.columns:  # agents have come or gone
            self._columns = self.store.columns
            size = len(self.store)
            threads = max(1, min(self._threads, size // FEWEST))
            bounds = pairwise(size * number // threads for number in range(threads + 1))
            self._stretches = [Stretch(self.store, *each, self._tell) for each in bounds]
        return self._stretches

    def _tell(self, report: Report, agent: int, place: int, error: Exception) -> None:
        number = int(self.store.state[agent])
        state = self.layout.states[number] if number >= 0 else None
        report.failed(self.layout, agent, state, self._places[place], error)


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
