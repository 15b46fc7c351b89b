"""Modules that are executed anew, all of them or none."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from fsmkit.tooling.script_loader import ScriptLoader


def execute_anew(paths: Mapping[str, Path]) -> None:
    """Execute modules once more, given as name -> file, and put them in the place of the old ones.

    The old modules stay as they are for whoever still has them or anything of theirs. Whatever a
    module raises is raised; then the old ones are back in their place, and modules that were
    imported for the first time are forgotten.
    """
    importlib.invalidate_caches()
    before = dict(sys.modules)
    attributes = {name: _attribute(name) for name in paths}
    finder = _Finder(paths)
    for name in paths:
        sys.modules.pop(name, None)
        _set_attribute(name, None)  # or `from package import name` would find the old one there
    sys.meta_path.insert(0, finder)
    try:
        for name in sorted(paths):  # packages come before what is in them
            if name not in sys.modules:
                finder.load(name)
    except BaseException:
        _put_back(before, {path.parent for path in paths.values()})
        for name, attribute in attributes.items():
            _set_attribute(name, attribute)
        raise
    finally:
        sys.meta_path.remove(finder)


class _Loader(ScriptLoader):
    """Gives a package the modules in it that stay as they are."""

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module."""
        for name, other in list(sys.modules.items()):
            package, _, own = name.rpartition(".")
            if package == module.__name__:
                setattr(module, own, other)
        super().exec_module(module)


class _Finder(MetaPathFinder):
    """Finds the new versions, also where one of them imports another."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = paths

    def find_spec(self, fullname: str, *_where: Any) -> ModuleSpec | None:
        """Return the spec of a module that is to be executed anew, None for all others."""
        if fullname not in self._paths:
            return None
        path = str(self._paths[fullname])
        return spec_from_file_location(fullname, path, loader=_Loader(fullname, path))

    def load(self, name: str) -> None:
        """Do what `import` does, for any name: that of a file may be none that can be imported."""
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
        if file is not None and folders & set(Path(file).parents):
            del sys.modules[name]
    sys.modules.update(before)


def _attribute(name: str) -> object:
    """Return what a package has by the name of a module in it."""
    package, _, own = name.rpartition(".")
    return getattr(sys.modules.get(package), own, None)


def _set_attribute(name: str, value: object) -> None:
    package, _, own = name.rpartition(".")
    if value is not None and package in sys.modules:
        setattr(sys.modules[package], own, value)
    elif package in sys.modules:
        vars(sys.modules[package]).pop(own, None)
