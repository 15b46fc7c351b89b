"""The fast engine: the machine as the text of two loops, compiled by numba and kept on disk."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from fsmkit.crowd.emitter import Emitter
from fsmkit.crowd.layout import Layout
from fsmkit.crowd.packages import np, numba
from fsmkit.crowd.report import Report

if TYPE_CHECKING:
    from fsmkit.crowd.store import Store

FEWEST: Final = 4_096
"""Agents for whom a thread of their own is worth it."""


class Compiled:
    """Has the loops of a machine, and runs them over ranges of agents."""

    def __init__(self, layout: Layout, store: Store, threads: int) -> None:
        self.layout = layout
        self.store = store
        self.source = Emitter(layout).module()
        self._module = load(self.source)
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def update(self, world: Any) -> Report:
        """Let every agent act."""
        return self._run(self._module.update, world, ())

    def change(self, where: Any, event: int, world: Any, moved: Any) -> Report:
        """Send an event, or start, where `where` says so."""
        return self._run(self._module.change, world, (where, moved, event))

    def _run(self, loop: Callable[..., None], world: Any, more: tuple[Any, ...]) -> Report:
        store = self.store
        shared = self.layout.shared(world, store.delta_time)
        rest = (*shared, store.state, store.entered_at, store.ids, *store.columns.values())
        report = Report()

        def run(first: int, last: int) -> list[_Part]:
            return list(self._go_through(loop, first, last, more, rest))

        if self._pool is None or len(store) < 2 * FEWEST:
            parts = run(0, len(store))
        else:
            edges = np.linspace(0, len(store), self._threads + 1).astype(int).tolist()
            parts = [part for each in self._pool.map(run, edges, edges[1:]) for part in each]
        for part in parts:
            part.tell(report, self.layout, store)
        return report

    def _go_through(
        self, loop: Any, first: int, last: int, more: tuple[Any, ...], rest: tuple[Any, ...]
    ) -> Any:
        """Run the loop; where a function has raised it goes on behind that agent."""
        most = self.layout.machine.max_transitions
        while first < last or not last:
            at, loops = np.zeros(2, np.int64), np.zeros(2, np.int64)
            trail, path = np.zeros(most, np.int64), np.zeros(most, np.int64)
            error: Exception | None = None
            try:
                loop(
                    first, last, *more, self.store.time, self.store.seed, self.store.step,
                    at, loops, trail, path, *rest,
                )  # fmt: skip
            except (ArithmeticError, ValueError) as raised:
                error = raised.with_traceback(None)
            yield _Part(error, at, loops, path)
            first = int(at[0]) + 1 if error is not None else last
            if not last:
                return


class _Part:
    """How a part of a step went."""

    def __init__(self, error: Exception | None, at: Any, loops: Any, path: Any) -> None:
        self.error = error
        self.at = at
        self.loops = loops
        self.path = path

    def tell(self, report: Report, layout: Layout, store: Store) -> None:
        """Add it to the report."""
        if self.error is not None:
            agent, line = int(self.at[0]), int(self.at[1])
            number = int(store.state[agent])
            state = layout.states[number] if number >= 0 else None
            report.failed(layout, agent, state, f"line {line}", self.error)
        if self.loops[0]:
            report.looped(int(self.loops[1]), self.path.tolist())
            report.loops += int(self.loops[0]) - 1


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
            folder.mkdir(parents=True, exist_ok=True)
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
