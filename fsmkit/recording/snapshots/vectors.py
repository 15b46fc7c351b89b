"""Vectors of other libraries, if the program uses them: none is imported here."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

LIBRARIES: Final = {
    "glm": ("pyglm.glm", re.compile(r"[diu]?vec[1-4]|d?quat")),
    "pygame": ("pygame", re.compile(r"Vector[23]|Color")),
    "pyray": ("pyray", re.compile(r"Vector[234]|Color|Rectangle")),
    "panda3d": ("panda3d.core", re.compile(r"L(Vector|Point|VecBase)[234][dfi]|LQuaternion[df]")),
}
"""Top-level package -> the module to look in, and the classes that consist of numbers."""

ARRAYS: Final = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)")
"""The NumPy types whose values JSON can hold."""


def encoded_number(value: Any) -> Mapping[str, Any] | None:
    """Return a NumPy number as JSON; None if `value` is not one."""
    if not _is_of_numpy(value) or type(value) is not value.dtype.type:
        return None
    return {"$numpy": [value.dtype.name, None, [_to_json(value.item())]]}


def encoded_vector(value: Any) -> Mapping[str, Any] | None:
    """Return a vector or an array as JSON; None if `value` is neither."""
    if _is_of_numpy(value) and type(value).__name__ == "ndarray":
        numbers = [*map(_to_json, value.reshape(-1).tolist())]
        return {"$numpy": [value.dtype.name, list(value.shape), numbers]}
    library = type(value).__module__.partition(".")[0]
    if library == "_cffi_backend" and "pyray" in sys.modules:
        return _encoded_struct(value, sys.modules["pyray"].ffi.typeof(value))
    if library not in LIBRARIES or not LIBRARIES[library][1].fullmatch(type(value).__name__):
        return None
    return {"$vector": [f"{library}.{type(value).__name__}", *map(_to_json, value)]}


def _encoded_struct(value: Any, kind: Any) -> Mapping[str, Any] | None:
    """Return a vector or a colour of raylib as JSON: to Python all structs are of one type."""
    name = kind.cname.removeprefix("struct ")
    if not LIBRARIES["pyray"][1].fullmatch(name):
        return None
    numbers = [getattr(value, part) for part, _ in kind.fields]
    return {"$vector": [f"pyray.{name}", *map(_to_json, numbers)]}


def decoded_vector(name: str, *numbers: Any) -> Any:
    """Return the vector. Raises LookupError if the program does not use the library."""
    library, _, kind = name.partition(".")
    module, kinds = LIBRARIES[library]
    if not kinds.fullmatch(kind):
        raise LookupError(f"{name} is not a vector")
    return getattr(_loaded(module), kind)(*map(_from_json, numbers))


def decoded_array(kind: str, shape: list[int] | None, numbers: Any) -> Any:
    """Return the array; without a shape, the NumPy number."""
    if not ARRAYS.fullmatch(kind):
        raise LookupError(f"{kind} is not a type of arrays")
    array = _loaded("numpy").array([*map(_from_json, numbers)], dtype=kind)
    return array[0] if shape is None else array.reshape(shape)


def _is_of_numpy(value: Any) -> bool:
    if type(value).__module__.partition(".")[0] != "numpy":
        return False
    return ARRAYS.fullmatch(getattr(getattr(value, "dtype", None), "name", "")) is not None


def _to_json(number: float) -> float | str:
    """Return a number, or the name of one that JSON cannot hold, such as `nan`."""
    return number if isfinite(number) else str(number)


def _from_json(number: float | str) -> float:
    return float(number) if isinstance(number, str) else number


def _loaded(module: str) -> Any:
    if module not in sys.modules:
        raise LookupError(f"{module} is not imported: import it before the snapshot is restored")
    return sys.modules[module]
