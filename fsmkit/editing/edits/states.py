"""The edits of states and their groups."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from attrs import frozen

from fsmkit import FsmState, StateGroup
from fsmkit.editing.definition import MachineData
from fsmkit.editing.draft import Draft, Patch, Scope
from fsmkit.editing.origins import argument, literals, texts_at
from fsmkit.editing.refusal import RefusedEditError
from fsmkit.editing.source import Replacement, SourceFile
from fsmkit.editing.trial import Trace
from fsmkit.introspection import walk

ADDING = ("add_transition", "add_global_transition", "add_action", "add_state")


@frozen
class AddState:
    """Add a state, after the others."""

    name: str
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        definition["states"][self.name] = {
            "final": False, "failed": False, "transitions": {}, "actions": [],
        }  # fmt: skip
        definition["order"].insert(len(definition["states"]) - 1, self.name)

    def patches(self, draft: Draft) -> Iterator[Patch]:
        _check_is_new(draft, self.name)
        made = [draft.built.trace(state) for state in walk.states(draft.machine)]
        scopes = [*draft.scopes(draft.machine)]
        for scope in scopes:
            name = draft.new_name(self.name, scope)
            machine = draft.variable(draft.machine, scope)
            if machine is not None:
                code = f"{name} = {machine}.add_state({scope.source.quoted(self.name)})"
                behind = made or [draft.built.trace(draft.machine)]
                for where in (behind, ()):
                    line = draft.added_line(scope, code, behind=where, methods=ADDING)
                    yield Patch(scope.source, [line])
        if not scopes:
            raise RefusedEditError(f"no name stands for {draft.name!r} where it is built")


@frozen
class RenameState:
    """Rename a state. Variables keep their names."""

    state: str
    to: str
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        """Check that it is there: the editor compares all that its name stands in."""
        definition["states"][self.state]  # raises KeyError

    def patches(self, draft: Draft) -> Iterator[Patch]:
        state = draft.state(self.state)
        _check_is_new(draft, self.to)
        trace = draft.trace(state)
        given = argument(draft, trace, 0, "name") if draft.is_by(trace, "add_state") else None
        named = []
        if given is not None:
            named = [*literals(given, lambda value: value == self.state)]
        if not named:
            named = [*texts_at(draft, trace, self.state)]
        if not named:
            place = given.source.place(given.node) if given is not None else None
            raise RefusedEditError(f"the name {self.state!r} is computed", place)
        for source, node in named:
            text = source.quoted(self.to)
            others = [*_mentions(source, self.state, node)]
            rows = [*_in_tables(source, self.state, {node, *others})]
            for nodes in dict.fromkeys([(node, *others), (node, *others, *rows), (node,)]):
                yield Patch(source, [source.replaced(each, text) for each in nodes])


@frozen
class AddToGroup:
    """Add a state to a group."""

    group: str
    state: str
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        definition["groups"][self.group]["states"].append(self.state)

    def patches(self, draft: Draft) -> Iterator[Patch]:
        draft.state(self.state)
        source, call = draft.whole_call(draft.trace(_group(draft, self.group)))
        scope = Scope(source, source.function(call))
        for text in dict.fromkeys([draft.target(self.state, scope), source.quoted(self.state)]):
            yield Patch(source, [source.another_argument(call, text)])


@frozen
class RemoveFromGroup:
    """A state less in a group."""

    group: str
    state: str
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        definition["groups"][self.group]["states"].remove(self.state)

    def patches(self, draft: Draft) -> Iterator[Patch]:
        state, group = draft.state(self.state), _group(draft, self.group)
        if state not in group:
            raise RefusedEditError(f"{self.state!r} is not in {self.group!r}")
        trace = draft.trace(group)
        yield Patch(draft.source(trace[0].path), [without_member(draft, state, trace)])


@frozen
class SetFinal:
    """A state as one at which the machine has reached its end, or no longer."""

    state: str
    final: bool
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        definition["states"][self.state]["final"] = self.final

    def patches(self, draft: Draft) -> Iterator[Patch]:
        trace = draft.trace(draft.state(self.state))
        source, call = draft.whole_call(trace)
        if not draft.is_by(trace, "add_state") or call is not draft.node(trace[0]):
            raise RefusedEditError("no call of add_state makes it alone", source.place(call))
        given = next((each for each in call.keywords if each.arg == "final"), None)
        if given is None:
            yield Patch(source, [source.another_argument(call, f"final={self.final}")])
            return
        others = [*call.args, *(each.value for each in call.keywords if each is not given)]
        last = max(others, key=lambda each: (each.lineno, each.col_offset))
        if not self.final and last.lineno <= given.value.lineno and call.keywords[-1] is given:
            yield Patch(source, [source.between_ends(last, given.value, "")])
        yield Patch(source, [source.replaced(given.value, str(self.final))])


def without_member(draft: Draft, state: FsmState[Any], trace: Trace) -> Replacement:
    """Return the piece that takes a state out of the call that makes a group."""
    source, call = draft.whole_call(trace)
    variable = draft.variable(state, draft.scope_of(source, call))
    for before, given in pairwise(call.args):
        if source.text_of(given) in (variable, source.quoted(state.name)):
            return source.between_ends(before, given, "")
    what = f"{state.name!r} is not an argument of its own there"
    raise RefusedEditError(what, source.place(call))


def _group(draft: Draft, name: str) -> StateGroup[Any]:
    if name not in draft.machine.groups:
        known = ", ".join(map(repr, draft.machine.groups)) or "none"
        raise RefusedEditError(f"{draft.name} has no group {name!r}; its groups: {known}")
    return draft.machine.groups[name]


def _check_is_new(draft: Draft, name: str) -> None:
    if not name or not name.isprintable():
        raise RefusedEditError(f"a name needs printable letters, got {name!r}")
    if name in draft.machine.states or name in draft.machine.groups:
        raise RefusedEditError(f"{draft.name} has a state or a group {name!r} already")


def _mentions(source: SourceFile, name: str, besides: ast.expr) -> Iterator[ast.Constant]:
    """Yield the other strings of a file that name a state, by what they are given to."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Constant) or node.value != name or node is besides:
            continue
        if _names_a_state(source, node):
            yield node


def _names_a_state(source: SourceFile, node: ast.Constant) -> bool:
    parent = source.parent(node)
    if isinstance(parent, ast.Subscript):
        return isinstance(parent.value, ast.Attribute) and parent.value.attr == "states"
    if isinstance(parent, ast.keyword):
        return parent.arg in ("start", "state", "target")
    if isinstance(parent, ast.Compare):
        sides = (parent.left, *parent.comparators)
        return any(isinstance(each, ast.Attribute) and each.attr == "name" for each in sides)
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute):
        index = parent.args.index(node)
        named = {"add_transition": 1, "add_global_transition": 1, "start": 0, "running": 0}
        return parent.func.attr == "add_group" or named.get(parent.func.attr) == index
    return isinstance(parent, ast.Dict) and node in parent.keys


def _in_tables(source: SourceFile, name: str, besides: set[ast.expr]) -> Iterator[ast.Constant]:
    """Yield the strings in the literal tables of loops, and in those that `in` looks through."""
    for each in ast.walk(source.tree):
        tables = [each.iter] if isinstance(each, ast.For) else []
        if isinstance(each, ast.Compare) and isinstance(each.ops[0], (ast.In, ast.NotIn)):
            tables = each.comparators
        for node in (node for table in tables for node in ast.walk(table)):
            if isinstance(node, ast.Constant) and node.value == name and node not in besides:
                yield node
