"""Names of Python's syntax, for messages."""

from __future__ import annotations

import ast
from typing import Final

NAMES: Final = {
    "List": "a list", "Dict": "a dictionary", "Set": "a set", "Tuple": "a tuple",
    "Subscript": "an index", "Slice": "a slice", "JoinedStr": "an f-string", "Lambda": "a lambda",
    "ListComp": "a list comprehension", "DictComp": "a dictionary comprehension",
    "SetComp": "a set comprehension", "GeneratorExp": "a generator", "NamedExpr": "`:=`",
    "Await": "`await`", "Yield": "`yield`", "YieldFrom": "`yield`", "Starred": "`*`",
    "In": "`in`", "NotIn": "`not in`", "Is": "`is`", "IsNot": "`is not`",
    "LShift": "`<<`", "RShift": "`>>`", "MatMult": "`@`",
    "BitAnd": "`&` of fractions", "BitOr": "`|` of fractions", "BitXor": "`^` of fractions",
    "For": "a loop", "While": "a loop", "AsyncFor": "a loop", "Break": "`break`",
    "Continue": "`continue`", "With": "`with`", "AsyncWith": "`with`", "Try": "`try`",
    "TryStar": "`try`", "Raise": "`raise`", "Assert": "`assert`", "Import": "an import",
    "ImportFrom": "an import", "FunctionDef": "a function inside a function",
    "AsyncFunctionDef": "a function inside a function", "ClassDef": "a class",
    "Global": "`global`", "Nonlocal": "`nonlocal`", "Delete": "`del`", "Match": "`match`",
    "AnnAssign": "a variable without a value",
}  # fmt: skip


def syntax_name(node: ast.AST) -> str:
    """Return the name of `node` in English.

    >>> syntax_name(ast.parse("for x in y: pass").body[0])
    'a loop'
    """
    name = type(node).__name__
    return NAMES.get(name, name)
