"""Program: the modules that build machines, watched and executed anew when a file has changed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from math import inf
from pathlib import Path
from typing import TypeAlias

from fsmkit.reloading.faults import described_fault
from fsmkit.reloading.imports import Source, dependents, missing_files, sources_of
from fsmkit.reloading.modules import execute_anew

Stamp: TypeAlias = Callable[[Path], object]
"""Returns something that changes with the content of a file; None if there is no file."""


def file_stamp(path: Path) -> object:
    """Return when the file was written, in nanoseconds, and its size; None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


class Program:
    """Modules by name, with the files that each of them consists of.

    `say` gets a text when modules cannot be executed. `every` is the least time between two looks
    at the files, in seconds of `clock`.
    """

    def __init__(
        self, say: Callable[[str], object], every: float, clock: Callable[[], float], stamp: Stamp
    ) -> None:
        self.changed: list[Path] = []
        """The files that had changed when modules were last executed."""
        self._say = say
        self._every = every
        self._clock = clock
        self._stamp = stamp
        self._versions: dict[str, int] = {}
        self._sources: dict[str, Source] = {}
        self._executed: dict[Path, object] = {}
        """The stamps of the files as they were last executed."""
        self._tried: dict[Path, object] = {}
        """The same, also if that has failed."""
        self._seen: dict[Path, object] = {}
        """The same, as they were at the last look."""
        self._awaited: set[Path] = set()
        """Files that an import has missed."""
        self._next_look = -inf

    def version(self, module: str) -> int:
        """Return a number that grows when `module` is executed anew; begins to watch it."""
        if module not in self._versions:
            self._versions[module] = 0
            self._watch(module)
        return self._versions[module]

    def look(self) -> None:
        """Execute modules anew if a file has changed, and has then stood still for one look."""
        now = self._clock()
        if now < self._next_look:
            return
        self._next_look = now + self._every
        before, self._seen = self._seen, self._stamps()
        if before == self._seen != self._tried:
            self._tried = self._seen
            self._execute()

    def _execute(self) -> None:
        changed = {
            name
            for name, source in self._sources.items()
            if self._seen[source.path] != self._executed.get(source.path)
        }
        if not changed:  # it is again as it was
            return
        names = dependents(self._sources, changed)
        self.changed = sorted(self._sources[name].path for name in changed)
        try:
            execute_anew({name: self._sources[name].path for name in sorted(names)})
        except (Exception, SystemExit) as error:
            self._say(
                f"{have_changed(self.changed)}, but the code cannot be imported, so the old "
                f"machines go on.\n"
                f"{described_fault(error)}"
            )
            self._await(error)
        else:
            self._sources.clear()
            self._awaited.clear()
            self._executed.update(self._seen)
            for module in self._versions:
                self._watch(module)
                self._versions[module] += module in names

    def _watch(self, module: str) -> None:
        """Watch the files of `module` as well, as they are now."""
        found = sources_of(sys.modules[module])
        self._sources.update(found)
        for source in found.values():
            stamp = self._executed.setdefault(source.path, self._stamp(source.path))
            self._tried.setdefault(source.path, stamp)
            self._seen.setdefault(source.path, stamp)

    def _await(self, error: BaseException) -> None:
        """Watch what the modules import now as well, which may be what has failed."""
        for module in self._versions:
            for name, source in sources_of(sys.modules[module]).items():
                known = self._sources.get(name, source)
                self._sources[name] = Source(source.path, source.imports | known.imports)
            self._awaited.update(missing_files(sys.modules[module], error))
        self._tried = self._seen = {**self._stamps(), **self._seen}

    def _stamps(self) -> dict[Path, object]:
        paths = {source.path for source in self._sources.values()} | self._awaited
        return {path: self._stamp(path) for path in sorted(paths)}


def have_changed(paths: Sequence[Path]) -> str:
    """Return that files have changed, in words.

    >>> have_changed([Path("game/guard.py"), Path("game/world.py")])
    'guard.py, world.py have changed'
    """
    return f"{shown(paths)} {'have' if len(paths) > 1 else 'has'} changed"


def shown(paths: Iterable[Path]) -> str:
    """Return the names of files.

    >>> shown([Path("game/guard.py"), Path("game/world.py")])
    'guard.py, world.py'
    """
    return ", ".join(path.name for path in paths)
