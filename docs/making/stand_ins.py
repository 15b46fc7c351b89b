"""Stand-ins for packages that are not installed, so that what uses them can be described.

Crowds and engines need packages of two gigabytes to run, but their reference needs no more than
that their modules can be imported. From a stand-in anything can be imported: classes, which can be
base classes and annotations, and count as zero.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import FunctionType, ModuleType
from typing import Any, Final, Protocol

PACKAGES: Final = (
    "arcade", "direct", "numba", "numpy", "panda3d", "pygame", "pyglet", "pymunk", "pyray",
    "ursina",
)  # fmt: skip


class StandIn(type(Protocol)):  # type: ignore[misc]  # as some classes have such a base as well
    """The class of stand-ins."""

    def __getattr__(cls, name: str) -> Any:
        return part(cls, name, cls.__module__)

    def __call__(cls, *arguments: Any, **_named: Any) -> Any:
        """Return the function that is decorated, or else the stand-in."""
        is_decorator = len(arguments) == 1 and isinstance(arguments[0], FunctionType)
        return arguments[0] if is_decorator else cls

    def __repr__(cls) -> str:
        """Return its name, as a signature shows a default value."""
        return f"{cls.__module__}.{cls.__name__}"

    def __getitem__(cls, _key: object) -> Any:
        return cls

    def __iter__(cls) -> Iterator[Any]:
        return iter(())

    def __int__(cls) -> int:
        return 0

    def __index__(cls) -> int:
        return 0

    def __add__(cls, _other: object) -> int:
        return 0

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __neg__ = __add__


def part(whole: object, name: str, module: str) -> Any:
    """Return a stand-in as a part of another one, or of a module; the same each time."""
    if name.startswith("_"):
        raise AttributeError(name)
    made = StandIn(name, (), {"__module__": module})
    setattr(whole, name, made)
    return made


class StandInModule(ModuleType):
    """A module that has whatever is asked for."""

    __path__: Sequence[str] = ()

    def __getattr__(self, name: str) -> Any:
        return part(self, name, self.__name__)


class Finder(MetaPathFinder, Loader):
    """Finds stand-ins for packages, and for all modules in them."""

    def __init__(self, packages: Sequence[str]) -> None:
        self.packages = packages

    def find_spec(self, name: str, *_where: object) -> ModuleSpec | None:
        """Return the description of a stand-in."""
        is_meant = name.partition(".")[0] in self.packages
        return ModuleSpec(name, self, is_package=True) if is_meant else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a stand-in."""
        return StandInModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to do."""


def install() -> None:
    """Let stand-ins be imported for those packages that are not installed."""
    sys.meta_path.append(Finder([name for name in PACKAGES if find_spec(name) is None]))
