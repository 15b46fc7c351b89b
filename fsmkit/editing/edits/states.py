"""The edits of states and their groups."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from attrs import frozen

from fsmkit import BACK
from fsmkit.editing.definition import MachineData
from fsmkit.editing.draft import Draft, Patch, Scope
from fsmkit.editing.edits.edit import table_of
from fsmkit.editing.refusal import RefusedEditError
from fsmkit.editing.source import Replacement, SourceFile
from fsmkit.editing.trial import Trace
from fsmkit.introspection import walk


@frozen
class AddState:
    """A state, behind the others."""

    name: str
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        definition["states"][self.name] = {
            "final": False, "failed": False, "transitions": {}, "actions": [],
        }  # fmt: skip

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
                line = draft.added_line(scope, code, behind=behind, methods=("add_state",))
                yield Patch(scope.source, [line])
        if not scopes:
            raise RefusedEditError(f"no name stands for {draft.name!r} where it is built")


@frozen
class RenameState:
    """Another name for a state. Variables keep theirs."""

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
        given = draft.argument(trace, 0, "name")
        if given is not None:
            named = [*draft.literals(given, lambda value: value == self.state)]
        else:
            named = [*draft.constants_at(trace[0], self.state)]
        if not named:
            place = given.source.place(given.node) if given is not None else None
            raise RefusedEditError(f"the name {self.state!r} is computed", place)
        for source, node in named:
            others = [*_mentions(source, self.state, node)]
            text = source.quoted(self.to)
            for nodes in ([node, *others], [node]) if others else ([node],):
                yield Patch(source, [source.replaced(each, text) for each in nodes])


@frozen
class RemoveState:
    """A state less, with its actions, its transitions and those that lead to it."""

    state: str
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        del definition["states"][self.state]
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
        source, call = draft.whole_call(draft.trace(state))
        statement = source.statement(call)
        if not isinstance(statement, (ast.Expr, ast.Assign)) or statement.value is not call:
            raise RefusedEditError("its line does more than add the state", source.place(call))
        traces = [draft.trace(action) for action in walk.own_actions(state)]
        for owned in walk.transitions(draft.machine):
            leads_here = owned.transition.target is not BACK and owned.transition.target is state
            if owned.owner is state or leads_here:
                traces.append(draft.built.trace_of_transition(owned.owner, owned.event, owned.rank))
        pieces = {source.without(statement)}
        for trace in traces:
            pieces.add(_without(draft, source, trace))
        for group in walk.groups(state):
            pieces.add(_out_of_group(draft, source, draft.trace(group), state.name))
        yield Patch(source, [*pieces])


@frozen
class AddToGroup:
    """A state for a group."""

    group: str
    state: str
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        definition["groups"][self.group]["states"].append(self.state)

    def patches(self, draft: Draft) -> Iterator[Patch]:
        draft.state(self.state)
        if self.group not in draft.machine.groups:
            known = ", ".join(map(repr, draft.machine.groups)) or "none"
            raise RefusedEditError(f"{draft.name} has no group {self.group!r}; its groups: {known}")
        source, call = draft.whole_call(draft.trace(draft.machine.groups[self.group]))
        scope = Scope(source, source.function(call))
        for text in dict.fromkeys([draft.target(self.state, scope), source.quoted(self.state)]):
            yield Patch(source, [source.another_argument(call, text)])


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


def _without(draft: Draft, source: SourceFile, trace: Trace) -> Replacement:
    """Return the piece that takes out what made a part, in the same file."""
    if not trace:
        raise RefusedEditError("a part of it was made by no file of the program")
    place, call = draft.whole_call(trace)
    statement = place.parent(call)
    if place is not source:
        raise RefusedEditError("a part of it is added in another file", place.place(call))
    if not isinstance(statement, ast.Expr):
        raise RefusedEditError("what the call returns is used", place.place(call))
    return source.without(statement)


def _out_of_group(draft: Draft, source: SourceFile, trace: Trace, name: str) -> Replacement:
    place, call = draft.whole_call(trace)
    scope = Scope(place, place.function(call))
    for before, argument in zip(call.args, call.args[1:], strict=False):
        text = place.text_of(argument)
        if place is source and text in (
            draft.variable(draft.state(name), scope),
            place.quoted(name),
        ):
            return Replacement(place.behind(before, "").begin, place.behind(argument, "").end, "")
    raise RefusedEditError(f"{name!r} is not an argument of its own there", place.place(call))
