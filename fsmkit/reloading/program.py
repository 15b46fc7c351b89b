"""WatchedProgram: modules that build machines, executed again when a file changes."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, resolve_name, spec_from_file_location
from math import inf
from pathlib import Path
from traceback import extract_tb
from types import CodeType, MappingProxyType, ModuleType
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit.core.words.notes import traceback_of
from fsmkit.introspection.blocks import block
from fsmkit.introspection.code_place import is_file, is_of_user, is_ours, shown_path
from fsmkit.introspection.described_error import described_error
from fsmkit.introspection.script_loader import ScriptLoader

Texts: TypeAlias = Mapping[Path, bytes]
"""The contents of files that are not as they are on disk."""

NO_TEXTS: Final[Texts] = MappingProxyType({})


def described_fault(error: BaseException) -> str:
    """Return lines with the error and the user's line that raised it, without a traceback."""
    return "\n".join(f"  {line}" for line in _lines(error))


def _lines(error: BaseException) -> Iterator[str]:
    yield from described_error(error).splitlines()
    if isinstance(error, SyntaxError):  # its text shows the line
        return
    for call in reversed(extract_tb(traceback_of(error))):
        if is_file(call.filename) and is_of_user(call.filename):
            yield f"in {shown_path(call.filename)}, line {call.lineno}, {call.name}"
            return


def execute_again(paths: Mapping[str, Path], texts: Texts = NO_TEXTS) -> None:
    """Execute modules again, given as name -> file, all of them or none, and replace the old ones.

    The old modules stay intact for code that still uses them. If a module raises an error, the old
    ones are put back, and modules that were imported for the first time are dropped. Files in
    `texts` are taken from there instead of being read.
    """
    importlib.invalidate_caches()
    put_back = _putting_back(paths)
    finder = _Finder(paths, texts)
    for name in paths:
        sys.modules.pop(name, None)
        _set_attribute(name, None)  # or `from package import name` would find the old one there
    sys.meta_path.insert(0, finder)
    try:
        for name in sorted(paths):  # packages come before their modules
            if name not in sys.modules:
                finder.load(name)
    except BaseException:
        put_back()
        raise
    finally:
        sys.meta_path.remove(finder)


@block
def executed_aside(paths: Mapping[str, Path], texts: Texts) -> Iterator[None]:
    """Execute modules again as `execute_again` does; after the block the old ones are back."""
    put_back = _putting_back(paths)
    execute_again(paths, texts)
    try:
        yield
    finally:
        put_back()


def _putting_back(paths: Mapping[str, Path]) -> Callable[[], None]:
    """Return a function that puts the modules of now back, and drops those that came since."""
    before = dict(sys.modules)
    attributes = {name: _attribute(name) for name in paths}

    def put_back() -> None:
        _put_back(before, {path.parent for path in paths.values()})
        for name, attribute in attributes.items():
            _set_attribute(name, attribute)

    return put_back


class _Loader(ScriptLoader):
    """Gives a package its modules that are not executed again."""

    def __init__(self, name: str, path: str, texts: Texts) -> None:
        super().__init__(name, path)
        self._texts = texts

    def get_data(self, path: str) -> bytes:
        text = self._texts.get(Path(path))
        return super().get_data(path) if text is None else text

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002  # the signature is Python's
        return _compiled(self.path, self.get_data(self.path))

    def exec_module(self, module: ModuleType) -> None:
        for name, other in list(sys.modules.items()):
            package, _, own = name.rpartition(".")
            if package == module.__name__:
                setattr(module, own, other)
        super().exec_module(module)


@lru_cache(maxsize=200)
def _compiled(path: str, content: bytes) -> CodeType:
    code: CodeType = compile(content, path, "exec", dont_inherit=True)
    return code


class _Finder(MetaPathFinder):
    """Finds the new versions, also when one of them imports another."""

    def __init__(self, paths: Mapping[str, Path], texts: Texts) -> None:
        self._paths = paths
        self._texts = texts

    def find_spec(self, fullname: str, *_where: Any) -> ModuleSpec | None:
        if fullname not in self._paths:
            return None
        path = str(self._paths[fullname])
        return spec_from_file_location(fullname, path, loader=_Loader(fullname, path, self._texts))

    def load(self, name: str) -> None:
        """Import a module, even one with a name that `import` does not take."""
        spec = self.find_spec(name)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            sys.modules.pop(name, None)
            raise
        _set_attribute(name, sys.modules[name])


def _put_back(before: Mapping[str, ModuleType], folders: set[Path]) -> None:
    for name in set(sys.modules) - set(before):
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and is_of_user(file) and folders & set(Path(file).parents):
            del sys.modules[name]
    sys.modules.update(before)


def _attribute(name: str) -> object:
    package, _, own = name.rpartition(".")
    return getattr(sys.modules.get(package), own, None)


def _set_attribute(name: str, value: object) -> None:
    package, _, own = name.rpartition(".")
    if value is not None and package in sys.modules:
        setattr(sys.modules[package], own, value)
    elif package in sys.modules:
        vars(sys.modules[package]).pop(own, None)


LIBRARIES: Final = "site-packages"
"""The folder of installed libraries, which are not watched."""


@frozen
class ModuleSource:
    path: Path
    imports: frozenset[str]


def sources_of(module: ModuleType) -> dict[str, ModuleSource]:
    """Return name -> source of `module` and of the modules that it imports from its own folder.

    The folder is that of the outermost package: for `game.guards` the folder that
    `game` is in. A file that cannot be read or parsed counts as one without imports.
    """
    assert module.__file__ is not None
    path = Path(module.__file__)
    root = _root(module.__name__, path)
    found: dict[str, ModuleSource] = {}
    waiting = {module.__name__: path}
    while waiting:
        name, path = waiting.popitem()
        imported = {
            name: below
            for name in _imports(path, _package(name, path), root)
            if (below := file_of(name, root)) is not None
        }
        found[name] = ModuleSource(path, frozenset(imported))
        waiting.update((each, path) for each, path in imported.items() if each not in found)
    return found


def dependents(sources: Mapping[str, ModuleSource], changed: set[str]) -> set[str]:
    """Return the changed modules, and those that import one of them, directly or not."""
    affected: set[str] = set()
    more = changed
    while more - affected:
        affected |= more
        more = {name for name, source in sources.items() if source.imports & affected}
    return affected


def file_of(name: str, root: Path) -> Path | None:
    """Return the file that `import name` finds in the folder `root`; None if there is none."""
    place = root.joinpath(*name.split("."))
    if LIBRARIES in place.relative_to(root).parts:
        return None
    for path in (place / "__init__.py", place.with_name(f"{place.name}.py")):
        if path.is_file() and not is_ours(str(path)):  # a checkout of ours beside the program
            return path
    return None


def _root(name: str, path: Path) -> Path:
    parts = name.split(".")
    above = len(parts) if path.stem == "__init__" else len(parts) - 1
    tail = [*parts, "__init__"] if path.stem == "__init__" else parts
    is_regular = list(path.with_suffix("").parts[-len(tail) :]) == tail
    return path.parents[above] if is_regular else path.parent


def _package(name: str, path: Path) -> str:
    return name if path.stem == "__init__" else name.rpartition(".")[0]


def _imports(path: Path, package: str, root: Path) -> Iterator[str]:
    """Yield the names of modules that a file may import, wherever it does so."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            try:
                module = resolve_name("." * node.level + (node.module or ""), package)
            except ImportError:  # it leads out of the package
                continue
            for alias in node.names:
                below = f"{module}.{alias.name}"
                yield below if file_of(below, root) is not None else module


def missing_files(module: ModuleType, error: BaseException) -> Iterator[Path]:
    """Yield the paths of a missing module that an import in the same folder would find."""
    if isinstance(error, ModuleNotFoundError) and error.name and module.__file__ is not None:
        place = _root(module.__name__, Path(module.__file__)).joinpath(*error.name.split("."))
        yield place / "__init__.py"
        yield place.with_name(f"{place.name}.py")


Stamp: TypeAlias = Callable[[Path], object]
"""Returns a value that changes with the content of a file; None if there is no file."""


def file_stamp(path: Path) -> object:
    """Return when the file was written, in nanoseconds, and its size; None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


class WatchedProgram:
    """Modules by name, with the files that each of them consists of.

    `say` is called with a text when modules cannot be executed. `every` is the least time between
    two checks of the files, in seconds of `clock`.
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
        self._sources: dict[str, ModuleSource] = {}
        self._executed: dict[Path, object] = {}
        """The stamps of the files when they were last executed."""
        self._tried: dict[Path, object] = {}
        """The same, even if that failed."""
        self._seen: dict[Path, object] = {}
        """The same, at the last check."""
        self._awaited: set[Path] = set()
        """Files that an import did not find."""
        self._next_look = -inf

    def version(self, module: str) -> int:
        """Return a number that grows when `module` is executed again, and watch it from now on."""
        if module not in self._versions:
            self._versions[module] = 0
            self._watch(module)
        return self._versions[module]

    def look(self) -> None:
        """Execute modules again if a file has changed, and then was stable for one check."""
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
        if not changed:  # it was changed back
            return
        names = dependents(self._sources, changed)
        self.changed = sorted(self._sources[name].path for name in changed)
        try:
            execute_again({name: self._sources[name].path for name in sorted(names)})
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
        found = sources_of(sys.modules[module])
        self._sources.update(found)
        for source in found.values():
            stamp = self._executed.setdefault(source.path, self._stamp(source.path))
            self._tried.setdefault(source.path, stamp)
            self._seen.setdefault(source.path, stamp)

    def _await(self, error: BaseException) -> None:
        """Also watch the modules that they import now, which may be those that failed."""
        for module in self._versions:
            for name, source in sources_of(sys.modules[module]).items():
                known = self._sources.get(name, source)
                self._sources[name] = ModuleSource(source.path, source.imports | known.imports)
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
    names = ", ".join(path.name for path in paths)
    return f"{names} {'have' if len(paths) > 1 else 'has'} changed"
