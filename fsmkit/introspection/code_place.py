"""CodePlace: a line of a file of Python code, and whose code a file holds."""

from __future__ import annotations

import sys
import sysconfig
from functools import cache, lru_cache, partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, Final, NamedTuple


def _folders(*names: str) -> tuple[Path, ...]:
    return tuple(Path(sysconfig.get_path(name)) for name in names)


HERE: Final = Path(_folders.__code__.co_filename)
"""This file as its code names it: in a frozen program not as `__file__` does."""

OUR_FOLDERS: Final = (HERE.parents[1], HERE.parents[2] / "actions")
"""The packages `fsmkit` and `actions`, as their code names them."""

DEMO_FOLDER: Final = Path(__file__).parents[1] / "cli" / "night_guard"
"""The game of `fsmkit demo` in an installed package, whose code is read as a user's."""

PACKAGE_FOLDERS: Final = _folders("purelib", "platlib", "scripts")
PACKAGE_FOLDER_NAMES: Final = {"site-packages", "dist-packages"}
"""The folders of installed packages: those of this Python, and their names in any Python."""

COMPREHENSIONS: Final = ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>")

MOST_WRAPPINGS: Final = 100
"""A function that is wrapped more often wraps itself."""

STANDARD_FOLDERS: Final = _folders("stdlib", "platstdlib")


class CodePlace(NamedTuple):
    """A line of a file.

    >>> from pathlib import Path
    >>> str(CodePlace(str(Path("guard.py").resolve()), 12))
    'guard.py:12'
    """

    file: str
    """The absolute path."""
    line: int
    """The first line is 1."""

    def __str__(self) -> str:
        return f"{shown_path(self.file)}:{self.line}"


def calling_place() -> CodePlace | None:
    """Return the innermost line of user code that is being executed.

    Failing that, it is the line of an installed package that calls us; None without one.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    package: FrameType | None = None
    while frame is not None and not is_ours(filename := frame.f_code.co_filename):
        if is_of_user(filename):
            return place_of(frame)
        if package is None and is_installed(filename):
            package = frame
        frame = frame.f_back
    return None if package is None else place_of(package)


def place_of(frame: FrameType) -> CodePlace | None:
    """Return the line that a frame is at; None if its code is in no file."""
    filename = frame.f_code.co_filename
    return CodePlace(_resolved(filename), frame.f_lineno) if is_file(filename) else None


def function_name(frame: FrameType) -> str:
    """Return the function that a frame carries out, as `Bullet.hit()`; empty at module level."""
    return _shown_function(frame.f_code.co_qualname)


@lru_cache(maxsize=10_000)
def _shown_function(name: str) -> str:
    while name.endswith(COMPREHENSIONS):  # Python 3.11 has frames for all of them
        name = name.rpartition(".")[0].removesuffix(".<locals>")
    *around, own = name.split(".<locals>.")
    if own == "<lambda>":
        return f"lambda in {around[-1]}()" if around else "lambda"
    return "" if own in ("<module>", "") else f"{own}()"


def place_of_function(function: object) -> CodePlace | None:
    """Return the line that defines a function, through what wraps it; None if it is in no file."""
    try:
        code = _code_of(function)
    except Exception:  # a user's __getattr__ may raise anything
        return None
    if not isinstance(code, CodeType) or not is_file(code.co_filename):
        return None
    return CodePlace(_resolved(code.co_filename), code.co_firstlineno)


def _code_of(function: Any) -> object:
    for _ in range(MOST_WRAPPINGS):
        if isinstance(function, partial):
            function = function.func
        elif isinstance(function, MethodType):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif isinstance(function, FunctionType):
            return function.__code__
        else:
            function = vars(type(function)).get("__call__")
    return None


def place_of_class(kind: object) -> CodePlace | None:
    """Return the line where a class begins; None if it is in no file. Reads that file."""
    return _place_of_class(kind)


@lru_cache(maxsize=1_000)
def _place_of_class(kind: Any) -> CodePlace | None:  # mypy finds no hash in classes of actions
    import inspect  # here, as it takes 4 ms, and few commands show where a class is

    try:
        file = inspect.getsourcefile(kind)
        line = inspect.getsourcelines(kind)[1]
    except (OSError, TypeError):
        return None
    return CodePlace(_resolved(file), line) if file is not None else None


def shown_path(path: str | Path) -> str:
    """Return a path relative to the working folder if it lies there, otherwise as it is."""
    path, here = Path(path), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def posix_path(path: str | Path) -> str:
    """Return what `shown_path` does, with slashes on every system, for other programs."""
    return Path(shown_path(path)).as_posix()


@cache
def is_file(filename: str) -> bool:
    """Return True if there is such a file, rather than code that was typed or generated."""
    return Path(filename).is_file()


@cache
def is_ours(filename: str) -> bool:
    return _is_in(OUR_FOLDERS, filename) and not _is_in((DEMO_FOLDER,), filename)


@cache
def is_installed(filename: str) -> bool:
    """Return True if the file belongs to an installed package, or starts one."""
    named_so = not PACKAGE_FOLDER_NAMES.isdisjoint(Path(filename).parts)
    return named_so or _is_in(PACKAGE_FOLDERS, filename)


@cache
def is_standard(filename: str) -> bool:
    if filename.startswith("<frozen "):
        return True
    return _is_in(STANDARD_FOLDERS, filename) and not is_installed(filename)


def is_of_user(filename: str) -> bool:
    return not (is_ours(filename) or is_installed(filename) or is_standard(filename))


@cache
def _resolved(filename: str) -> str:
    return str(Path(filename).resolve())


def _is_in(folders: tuple[Path, ...], filename: str) -> bool:
    return any(Path(filename).is_relative_to(folder) for folder in folders)
