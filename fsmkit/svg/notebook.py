"""Pictures in notebooks for classes that do not know the tool that draws them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

METHOD: Final = "_repr_mimebundle_"


def show_in_notebooks(function: str, *kinds: type) -> None:
    for kind in kinds:
        setattr(kind, METHOD, notebook_picture(function))


def notebook_picture(function: str) -> Callable[..., dict[str, str]]:
    """Return a method `_repr_mimebundle_` for a class, as IPython calls it.

    `function`, given as `package.module:name`, gets the object and returns MIME type -> content. It
    is imported when a notebook asks, so the class does not depend on the tool. If it fails, the
    notebook shows the `repr`.
    """
    module, _, name = function.partition(":")

    def _repr_mimebundle_(thing: object, **_wishes: Any) -> dict[str, str]:
        try:
            bundle: dict[str, str] = getattr(import_module(module), name)(thing)
        except Exception:  # the last line of a cell must not fail because of its picture
            return {}
        return bundle

    return _repr_mimebundle_
