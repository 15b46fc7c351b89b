"""The text of the loops as plain Python, for numbers of Python: all but the compiler's part."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from fsmkit.crowd.randomness import draw


def plain_module(text: str) -> ModuleType:
    """Return the module with this text, not compiled, for numbers of Python."""
    module = ModuleType("plain")
    for old, new in {
        "notes.ctypes.data": "notes",
        "np.float64(": "float(",
        "np.int64(": "int(",
    }.items():
        text = text.replace(old, new)
    tree = ast.parse(text)
    tree.body = [each for each in tree.body if not _is_replaced(each)]
    for each in tree.body:
        if isinstance(each, ast.FunctionDef) and each.name == "sweep":
            _Divisions().visit(each)
    vars(module).update(INSTEAD)
    exec(compile(ast.fix_missing_locations(tree), "<loops>", "exec"), vars(module))
    if hasattr(module, "sweep"):
        vars(module)["_math_of_sweep"] = _QuietMath()
    for name in ("update", "change", "sweep", "update_counting", "change_counting"):
        if hasattr(module, name):
            setattr(module, name, _over_plain_cells(getattr(module, name)))
    return module


def _over_plain_cells(loop: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return loop(*(Cells(a) if isinstance(a, np.ndarray) else a for a in arguments))

    return run


class Cells:
    """An array whose cells are numbers of Python."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape = array.shape

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Cells(self.array[key])
        cell = self.array[key]
        return cell if self.array.dtype == np.uint64 else cell.item()

    def __setitem__(self, key: Any, value: Any) -> None:
        self.array[key] = value


def _is_replaced(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) in INSTEAD
    return getattr(node, "module", "").startswith("numba") or getattr(node, "name", "") in INSTEAD


class _Divisions(ast.NodeTransformer):
    """Has nothing raise, as in the loop without branches."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        return ast.Call(ast.Name("_divided", ast.Load()), [node.left, node.right], [])

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name("_math_of_sweep", node.ctx) if node.id == "math" else node


class _QuietMath:
    """The functions of `math`; a root of a negative number is NaN."""

    def __getattr__(self, name: str) -> Any:
        return getattr(math, name)

    @staticmethod
    def sqrt(x: float) -> float:
        return math.nan if x < 0 else math.sqrt(x)


INSTEAD: dict[str, Any] = {
    "_divided": lambda a, b: a / b if b else math.nan,
    "_draw": draw,
    "_note": lambda notes, place: notes.__setitem__((0, 1), place),
    "_select": lambda when, value, instead: value if when else instead,
    "_lowest": lambda word: (int(word) & -int(word)).bit_length() - 1,
    "njit": lambda function: function,
    "swift": lambda function: function,
}
"""What takes the place of functions that need the compiler."""
