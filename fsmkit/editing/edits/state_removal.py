"""The edit that removes a state, with all that mentions it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from attrs import frozen

from fsmkit import BACK, FsmState
from fsmkit.editing.definition import MachineData
from fsmkit.editing.draft import Draft, Patch, Scope
from fsmkit.editing.edits.edit import table_of
from fsmkit.editing.edits.removing import without
from fsmkit.editing.edits.states import without_member
from fsmkit.editing.origins import Given, bound_by, names_in, uses_of_bound
from fsmkit.editing.refusal import RefusedEditError
from fsmkit.editing.source import Replacement, SourceFile, names_bound
from fsmkit.editing.trial import Trace
from fsmkit.introspection import walk
from fsmkit.introspection.code_place import CodePlace


@frozen
class RemoveState:
    """Remove a state, with its actions, its transitions and those that lead to it."""

    state: str
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        del definition["states"][self.state]
        definition["order"].remove(self.state)
        sources = (None, *definition["states"], *definition["groups"])
        for table in [table_of(definition, source) for source in sources]:
            for event, same in [*table.items()]:
                table[event] = [each for each in same if each["target"] != self.state]
                if not table[event]:
                    del table[event]
        for group in definition["groups"].values():
            group["states"] = [name for name in group["states"] if name != self.state]

    def patches(self, draft: Draft) -> Iterator[Patch]:
        state = draft.state(self.state)
        trace = draft.trace(state)
        source, refused = draft.source(trace[0].path), None
        pieces = {*_table_pieces(draft, source, state)}
        for each in _parts(draft, state):
            try:
                pieces.add(_statement_piece(draft, source, each))
            except RefusedEditError as error:  # it may be in a table
                refused = refused or error
        for group in walk.groups(state):
            made = draft.trace(group)
            place, call = draft.whole_call(made)
            if place is not source:
                raise RefusedEditError("its group is made in another file", place.place(call))
            pieces.add(without_member(draft, state, made))
        yield Patch(source, [*pieces], [*_uses_of_tables(draft, source, state, pieces)])
        if refused is not None:
            raise refused


def _parts(draft: Draft, state: FsmState[Any]) -> Iterator[Trace]:
    """Yield the calls that made a state, its actions, its transitions and those to it."""
    yield draft.trace(state)
    for action in walk.own_actions(state):
        yield draft.trace(action)
    for owned in walk.transitions(draft.machine):
        target = owned.transition.target
        if owned.owner is state or (target is not BACK and target is state):
            yield draft.built.trace_of_transition(owned.owner, owned.event, owned.rank)


def _statement_piece(draft: Draft, source: SourceFile, trace: Trace) -> Replacement:
    """Return the piece that takes out the statement that made a part, in the same file."""
    if not trace:
        raise RefusedEditError("a part of it was made by no file of the program")
    place, call = draft.whole_call(trace)
    if place is not source:
        raise RefusedEditError("a part of it is added in another file", place.place(call))
    statement = place.parent(call)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return place.without(statement)
    return without(place, call)


# Where it is one of several


Literal: TypeAlias = ast.Tuple | ast.List


def _table_pieces(draft: Draft, source: SourceFile, state: FsmState[Any]) -> Iterator[Replacement]:
    """Yield the pieces that take a state out of tuples and lists: its name, or the row with it."""
    made = draft.trace(state)[0]
    call, statement = draft.node(made), source.statement_at(made.span.line)
    scope = draft.scope_of(source, statement or source.tree)
    variable = draft.variable(state, scope)

    def is_meant(node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return node.id == variable
        return node is call or (isinstance(node, ast.Constant) and node.value == state.name)

    done: set[ast.AST] = set()
    for node in _nodes(scope):
        if isinstance(node, ast.Assign) and (found := _left_over(source, node, is_meant)):
            done |= {*ast.walk(node)}
            yield source.replaced(node, found)
        elif isinstance(node, (ast.Tuple, ast.List)) and node not in done:
            gone = [each for each in node.elts if _is_in_row(each, is_meant)]
            done |= {inner for each in gone for inner in ast.walk(each)}
            yield from _pieces_without(source, node, gone)


def _uses_of_tables(
    draft: Draft, source: SourceFile, state: FsmState[Any], pieces: set[Replacement]
) -> Iterator[CodePlace]:
    """Yield where the tables of the module are read that lose something, if elsewhere as well."""
    building = source.function(source.statement_at(draft.trace(state)[0].span.line) or source.tree)
    for statement in source.tree.body:
        _, value = bound_by(statement)
        if value is None or not any(source.is_in(value, piece) for piece in pieces):
            continue
        uses = [*uses_of_bound(draft, source, statement)]
        here = [each for each in uses if each.source.function(each.node) is building]
        others = [each for each in uses if each not in here and not _is_local(each)]
        for use in (*here[:1], *others) if others else ():
            yield use.source.place(use.node)


def _is_local(use: Given) -> bool:
    """Whether a name is another one, of the function that it is used in."""
    function = use.source.function(use.node)
    if isinstance(function, ast.Module) or not isinstance(use.node, ast.Name):
        return False
    own = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    return use.node.id in own | {node.id for node in names_bound(function)}


def _nodes(scope: Scope) -> Iterator[ast.AST]:
    """Yield what a function consists of, and the tables of the module that it uses."""
    source, function = scope.source, scope.function
    own = [node for node in ast.walk(function) if source.function(node) is function]
    yield from own
    used = {node.id for node in own if isinstance(node, ast.Name)}
    for statement in source.tree.body if function is not source.tree else ():
        targets, value = bound_by(statement)
        if isinstance(value, (ast.Tuple, ast.List)) and used & names_in(targets):
            yield from ast.walk(value)


def _is_in_row(node: ast.expr, is_meant: Callable[[ast.expr], bool]) -> bool:
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(map(is_meant, node.elts))
    return is_meant(node)


def _pieces_without(
    source: SourceFile, literal: Literal, gone: list[ast.expr]
) -> Iterator[Replacement]:
    items = literal.elts
    kept = [source.text_of(each) for each in items if each not in gone]
    if len(gone) == 1 and len(kept) > 1:
        index = items.index(gone[0])
        if index == 0:
            yield source.between(items[0], items[1], "")
        else:
            yield source.between_ends(items[index - 1], items[index], "")
    elif gone:
        inside = ", ".join(kept) + "," * (len(kept) == 1 and isinstance(literal, ast.Tuple))
        brackets = "[]" if isinstance(literal, ast.List) else "()"
        yield source.replaced(literal, f"{brackets[0]}{inside}{brackets[1]}")


def _left_over(
    source: SourceFile, node: ast.Assign, is_meant: Callable[[ast.expr], bool]
) -> str | None:
    """Return `b = fsm.add_state("B")` for a line that makes two states, of which one goes."""
    target, value = node.targets[0], node.value
    if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
        return None
    kept = [index for index, each in enumerate(target.elts) if not is_meant(each)]
    if len(kept) != 1:
        return None
    method, values = "", value
    if isinstance(value, ast.Call) and source.text_of(value.func) == "map" and len(value.args) == 2:
        method, values = source.text_of(value.args[0]), value.args[1]
    if not isinstance(values, Literal) or len(values.elts) != 2:
        return None
    if any(isinstance(each, ast.Starred) for each in values.elts):
        return None
    name, made = (source.text_of(literal.elts[kept[0]]) for literal in (target, values))
    return f"{name} = {method}({made})" if method else f"{name} = {made}"
