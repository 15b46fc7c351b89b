"""Origins: the expression that gave a value, followed to a caller, a loop or a constant."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from fsmkit.editing.draft import Draft
from fsmkit.editing.source import FunctionNode, SourceFile
from fsmkit.editing.trial import PARTS, Trace
from fsmkit.introspection.code_place import CodePlace


class Given(NamedTuple):
    """An expression that gave a value, in its file."""

    source: SourceFile
    node: ast.expr


def argument(draft: Draft, trace: Trace, index: int, name: str) -> Given | None:
    """Return the expression that gave an argument: where it was passed on, by the caller."""
    given: Given | None = None
    for call in trace:
        node = draft.node(call)
        value = _argument(node, index, name) if node is not None else None
        if node is None or value is None:
            break
        source = draft.source(call.path)
        given = Given(source, value)
        passed = _parameter(source.function(node), value)
        if passed is None:
            break
        index, name = passed
    return given


def literals(given: Given, fits: Callable[[object], bool]) -> Iterator[Given]:
    """Yield the literals that a name stands for: in a loop over them, or defined elsewhere."""
    source, node = given
    if isinstance(node, ast.Constant):
        yield given
        return
    for expression in _behind(source, node):
        for each in ast.walk(expression):
            if isinstance(each, LITERALS) and fits(_literal(each)):
                yield Given(source, each)


def items_of_loops(
    draft: Draft, given: Given, names: set[Any], target: object = None
) -> Iterator[Given]:
    """Yield the items of loops that a name stands for: texts of `names`, or a variable."""
    source, node = given
    if not isinstance(node, ast.Name) or not _is_looped(source, node):
        return
    variable = None
    if isinstance(target, PARTS):
        variable = draft.variable(target, draft.scope_of(source, node))
    for expression in _behind(source, node):
        for each in ast.walk(expression):
            is_text = isinstance(each, ast.Constant) and each.value in names
            is_name = isinstance(each, ast.Name) and each.id == variable
            if isinstance(each, ast.expr) and (is_text or is_name):
                yield Given(source, each)


def texts_at(draft: Draft, trace: Trace, text: str) -> Iterator[Given]:
    """Yield the strings equal to `text` in the statements of the calls that made a part."""
    for call in trace:
        source = draft.source(call.path)
        statement = source.statement_at(call.span.line)
        for node in ast.walk(statement) if statement is not None else ():
            if isinstance(node, ast.Constant) and node.value == text:
                yield Given(source, node)


def uses_of_constant(draft: Draft, given: Given) -> list[CodePlace]:
    """Return where the name is used that a literal is assigned to; nothing without a name."""
    source, node = given
    _, value = bound_by(source.statement(node))
    uses = uses_of_bound(draft, source, source.statement(node)) if value is node else ()
    return [use.source.place(use.node) for use in uses]


def uses_of_bound(draft: Draft, source: SourceFile, statement: ast.stmt) -> Iterator[Given]:
    """Yield the expressions that use the names that an assignment binds."""
    names = names_in(bound_by(statement)[0])
    is_global = isinstance(source.function(statement), ast.Module)
    for file in draft.sources() if is_global else [source]:
        nodes = [*ast.walk(file.tree)]
        imported = {each.name for each in nodes if isinstance(each, ast.alias)}
        for each in nodes:
            name = _used_name(each)
            is_known = file is source or isinstance(each, ast.Attribute) or name in imported
            if name in names and is_known and isinstance(each, ast.expr):
                yield Given(file, each)


def bound_by(node: ast.AST) -> tuple[list[ast.expr], ast.expr | None]:
    """Return what a statement, or a loop, binds, and to what."""
    if isinstance(node, (ast.For, ast.comprehension)):
        return [node.target], node.iter
    if isinstance(node, ast.AnnAssign):
        return [node.target], node.value
    return (node.targets, node.value) if isinstance(node, ast.Assign) else ([], None)


def _argument(call: ast.Call, index: int, name: str) -> ast.expr | None:
    if any(isinstance(each, ast.Starred) for each in call.args[: index + 1]):
        return None
    if index < len(call.args):
        return call.args[index]
    return next((each.value for each in call.keywords if each.arg == name), None)


def _parameter(function: FunctionNode, value: ast.expr) -> tuple[int, str] | None:
    """Return index and name of the parameter of a function that an expression is."""
    if isinstance(function, ast.Module) or not isinstance(value, ast.Name):
        return None
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    own = names[1:] if names[:1] in (["self"], ["cls"]) else names
    if value.id in own:
        return own.index(value.id), value.id
    return (1000, value.id) if value.id in [e.arg for e in function.args.kwonlyargs] else None


def _behind(source: SourceFile, node: ast.expr) -> Iterator[ast.expr]:
    """Yield what a name is bound to: the values of loops, and of an assignment."""
    waiting, seen = ([node.id] if isinstance(node, ast.Name) else []), set[str]()
    while waiting:
        seen.add(name := waiting.pop())
        for statement in ast.walk(source.tree):
            targets, value = bound_by(statement)
            if value is not None and name in names_in(targets):
                yield value
                is_loop = isinstance(statement, (ast.For, ast.comprehension))
                waiting += sorted(names_in([value]) - seen) if is_loop else []


def _is_looped(source: SourceFile, node: ast.Name) -> bool:
    return any(
        isinstance(each, (ast.For, ast.comprehension)) and node.id in names_in([each.target])
        for each in ast.walk(source.tree)
    )


def names_in(targets: Iterable[ast.AST]) -> set[str]:
    nodes = (node for target in targets for node in ast.walk(target))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _used_name(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute):  # of another module
        return node.attr if isinstance(node.value, ast.Name) else None
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else None


def _literal(node: ast.expr) -> object:
    """Return the value of a literal; `node` itself if it is none."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return node


LITERALS: Final = (ast.Constant, ast.UnaryOp, ast.Tuple, ast.List)
