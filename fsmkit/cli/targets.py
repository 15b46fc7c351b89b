"""Targets: the machines that a command works on.

`path.py:function` or `module:function` names a function without arguments that returns an Fsm or an
FsmGroup. The default function is `build`.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from importlib.util import module_from_spec, spec_from_loader
from itertools import takewhile
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from attrs import define, field

from fsmkit import Fsm, FsmGroup
from fsmkit.cli.command_errors import CommandError
from fsmkit.cli.overdue_code import overdue_build, overdue_import
from fsmkit.introspection.blocks import block
from fsmkit.introspection.code_place import is_of_user, shown_path
from fsmkit.introspection.script_loader import ScriptLoader

if TYPE_CHECKING:
    from fsmkit.goap import DataSet

DEFAULT_FUNCTION: Final = "build"


def load(target: str) -> Fsm[Any] | FsmGroup:
    """Call the function that `target` names and return its machine or machines.

    Imports of the file or module are resolved in its own folder first, as for a script. Raises
    CommandError for a wrong target.
    """
    return find(target)()


@define(eq=False)
class BuildFunction:
    """The function that a target names; a call builds the machine or machines."""

    function: Callable[[], object]
    label: str
    module: str
    """The name of its module, among the loaded ones."""
    name: str
    """Its name there."""
    _has_returned: bool = field(default=False, init=False)
    """True once a call has shown that the function comes to an end: exploring calls it often."""

    def __call__(self) -> Fsm[Any] | FsmGroup:
        """Call the function. Raises CommandError if it fails or returns something else."""
        try:
            with nullcontext() if self._has_returned else overdue_build(self.label):
                built = self.function()
            self._has_returned = True
        except (Exception, SystemExit) as error:
            raise CommandError(f"'{self.label}' failed before it returned a machine.") from error
        if inspect.iscoroutine(built):
            built.close()  # otherwise Python warns that it was never awaited
        if not isinstance(built, (Fsm, FsmGroup)):
            raise CommandError(
                f"'{self.label}' must return an Fsm or an FsmGroup, got {built!r}. "
                "Let it end with `return fsm`."
            )
        if isinstance(built, FsmGroup) and not built:
            raise CommandError(
                f"'{self.label}' returned an FsmGroup without machines. Add at least one."
            )
        return built


def find(target: str) -> BuildFunction:
    return _find_build(*_found_module(target))


def load_datasets_or_machine(target: str) -> tuple[DataSet, ...] | Fsm[Any] | FsmGroup:
    """Return the data sets of a target that names a list of them, otherwise the machines."""
    module, where, name = _found_module(target)
    named: Any = getattr(module, name, None)
    goap = sys.modules.get("fsmkit.goap")  # the module has imported it if it has data sets
    first = next(iter(named), None) if isinstance(named, list | tuple) else None
    if goap is not None and isinstance(first, goap.DataSet):
        return tuple(named)
    return _find_build(module, where, name)()


def _found_module(target: str) -> tuple[ModuleType, str, str]:
    """Return the module of a target, its path or name, and the name of the function in it."""
    where, name = _split(target)
    with overdue_import(where):
        module = _load_file(Path(where)) if is_path(where) else _import_module(where)
    return module, where, name


def _find_build(module: ModuleType, where: str, name: str) -> BuildFunction:
    return BuildFunction(
        _find_function(module, name, where), f"{where}:{name}", module.__name__, name
    )


@block
def apart(is_own: Callable[[str], bool] = is_of_user) -> Iterator[None]:
    """Forget the user's modules that the block imports: another target may have namesakes.

    `is_own` tells whether the file of a module is the user's.
    """
    path, before = [*sys.path], set(sys.modules)
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - before:
            if any(map(is_own, _files_of(sys.modules[name]))):
                del sys.modules[name]


def _files_of(module: ModuleType) -> list[str]:
    file = getattr(module, "__file__", None)
    return [file] if file is not None else [*getattr(module, "__path__", ())]


def folder_of(target: str) -> Path:
    """Return the folder of a target that is a file, otherwise the working folder."""
    where, _ = _split(target)
    return Path(where).resolve().parent if is_path(where) else Path.cwd()


def file_of(target: str) -> Path | None:
    """Return the Python file of a target that has been loaded; None of a module without one."""
    where, _ = _split(target)
    file = where if is_path(where) else getattr(sys.modules.get(where), "__file__", None)
    return None if file is None else Path(file)


def _split(target: str) -> tuple[str, str]:
    where, colon, function_name = target.rpartition(":")
    if not colon or target.endswith(".py"):  # the colon of C:\guard.py is not a separator
        return target, DEFAULT_FUNCTION
    return where, function_name or DEFAULT_FUNCTION


def is_path(where: str) -> bool:
    path = Path(where)
    is_package = (path / "__init__.py").is_file()
    return path.suffix == ".py" or os.sep in where or (path.exists() and not is_package)


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        what = f"{str(path)!r} is a folder" if path.is_dir() else f"There is no file {str(path)!r}"
        raise CommandError(
            f"{what}. Give the path of a Python file, relative to {str(Path.cwd())!r}, "
            "or the name of a module."
        )
    if path.suffix not in ("", ".py", ".pyw"):
        raise CommandError(
            f"{str(path)!r} is not a Python file. Give one that has a function build."
        )
    path = path.resolve()
    sys.path.insert(0, str(path.parent))
    try:
        if (in_package := _load_in_package(path)) is not None:
            return in_package
        # Its own name, so that sibling modules can import it, unless a loaded module has that name.
        name = path.stem if path.stem not in sys.modules else f"{path.stem} of {path.parent}"
        return _execute(name, path)
    except (Exception, SystemExit) as error:
        raise _not_loaded(f"The file {shown_path(path)!r}", error) from error


def _execute(name: str, path: Path) -> ModuleType:
    loader = ScriptLoader(name, str(path))
    spec = spec_from_loader(name, loader)
    assert spec is not None  # there is a loader
    module = sys.modules[name] = module_from_spec(spec)
    loader.exec_module(module)
    return module


def _load_in_package(path: Path) -> ModuleType | None:
    """Import a file of a package as its module, so that it can import its siblings.

    Return None outside a package, or if a loaded package has the same name.
    """
    packages = [*takewhile(lambda folder: (folder / "__init__.py").is_file(), path.parents)]
    if not packages or "." in path.stem:
        return None
    package = ".".join(folder.name for folder in reversed(packages))
    if package.partition(".")[0] in sys.modules and not _is_at(package, path.parent):
        return None
    sys.path.insert(0, str(packages[-1].parent))
    parent = importlib.import_module(package)
    name = f"{package}.{path.stem}"
    if path.stem == "__init__":
        return parent
    if name not in sys.modules:  # the package has not imported it
        setattr(parent, path.stem, _execute(name, path))
    return sys.modules[name]


def _is_at(package: str, folder: Path) -> bool:
    return str(folder) in getattr(sys.modules.get(package), "__path__", ())


def _import_module(name: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        if _is_missing(name, error):
            raise CommandError(
                f"There is no module {name!r}, neither installed nor in {str(Path.cwd())!r}. "
                "Check the spelling, or give the path of a Python file."
            ) from None
        raise _not_loaded(f"The module {name!r}", error) from error


def _is_missing(name: str, error: BaseException) -> bool:
    """Return True if `name` itself does not exist, rather than a module that it imports."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"{name}.".startswith(f"{error.name}.")
    return isinstance(error, (ValueError, TypeError)) and not all(name.split("."))


def _not_loaded(what: str, error: BaseException) -> CommandError:
    if isinstance(error, SystemExit):
        return CommandError(
            f"{what} exits as soon as it is imported. Put the code that only a script should run "
            'below `if __name__ == "__main__":`.'
        )
    if isinstance(error, ImportError) and "relative import" in str(error):
        return CommandError(
            f"{what} cannot be imported by itself: it is part of a package. Name it as a module, "
            "package.module, in the folder that the package is in."
        )
    return CommandError(f"{what} cannot be imported.")


def _find_function(module: ModuleType, name: str, where: str) -> Callable[[], object]:
    try:
        function = attrgetter(name)(module)
    except AttributeError:
        own = ", ".join(_functions(module)) or "none"
        raise CommandError(
            f"{where!r} has no function {name!r}. Its functions: {own}. "
            f"Name the one that returns the machine: {where}:FUNCTION."
        ) from None
    if not callable(function):
        raise CommandError(
            f"'{where}:{name}' is not a function but {function!r}. "
            "Give a function without arguments that returns the machine."
        )
    return _without_arguments(function, f"{where}:{name}")


def _functions(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and name[0] != "_"
    ]


def _without_arguments(function: Callable[..., object], label: str) -> Callable[[], object]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C have none
        return function
    try:
        signature.bind()
    except TypeError:
        raise CommandError(
            f"'{label}' takes arguments: {signature}. Give a function without arguments that "
            "returns the machine; it may call this one."
        ) from None
    return function


def expanded(target: str) -> list[str]:
    """Return the targets that a folder stands for: its files with a function `build`.

    Any other target stands for itself. Raises CommandError for a folder without such files.
    """
    folder = Path(target)
    if not (target and folder.is_dir()) or _seems_to_build(folder / "__init__.py"):
        return [target]
    found = [str(path) for path in _python_files(folder) if _seems_to_build(path)]
    if not found:
        raise CommandError(
            f"No .py file in the folder {target!r} has a function {DEFAULT_FUNCTION!r} without "
            "arguments. Name a file, and the function in it: FILE.py:FUNCTION."
        )
    return found


def _python_files(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and those below it, without hidden ones and environments."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:  # it may not be read
        return
    yield from (path for path in entries if path.suffix == ".py" and path.is_file())
    for path in entries:
        is_apart = path.is_symlink() or path.name.startswith((".", "__"))
        if not is_apart and path.is_dir() and not (path / "pyvenv.cfg").exists():
            yield from _python_files(path)


def _seems_to_build(path: Path) -> bool:
    """Return True if a file seems to have the default function, without running it."""
    try:
        source = path.read_bytes()
        body = ast.parse(source).body if DEFAULT_FUNCTION.encode() in source else []
    except OSError:
        return False
    except (SyntaxError, ValueError):
        return True  # loading it will explain the error
    return any(_defines_build(statement) for statement in body)


def _defines_build(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        arguments = statement.args
        needed = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
        needed += sum(default is None for default in arguments.kw_defaults)
        return statement.name == DEFAULT_FUNCTION and not needed
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(name, ast.Name) and name.id == DEFAULT_FUNCTION for name in targets)
