"""The edits of actions. `path` is the place of an action in its state: `"2"`, `"2/0"`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Final

from attrs import Factory, frozen

from fsmkit import FsmAction
from fsmkit.editing.definition import ANYTHING, MachineData
from fsmkit.editing.draft import Draft, Patch, Scope
from fsmkit.editing.edits.children import (
    ParentCall,
    action_at,
    action_in,
    children_in,
    split,
)
from fsmkit.editing.edits.importing import code_of, imported_together, library_action
from fsmkit.editing.edits.removing import removals
from fsmkit.editing.holders import Holder, holder_of
from fsmkit.editing.origins import Given, argument, items_of_loops, literals, uses_of_constant
from fsmkit.editing.refusal import RefusedEditError, meant
from fsmkit.editing.source import Replacement
from fsmkit.editing.trial import Trace
from fsmkit.editing.values import LibraryName, Name, value_for
from fsmkit.introspection import walk
from fsmkit.recording.action_fields import parameters_of


@frozen
class SetParameter:
    """Set a parameter of an action: to a number, a string, True, False, None or a tuple."""

    state: str
    path: str
    parameter: str
    value: object
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        parameters = action_in(definition, self.state, self.path)["parameters"]
        for name in (self.parameter, f"_{self.parameter}"):
            if name in parameters:
                parameters[name] = ANYTHING
                return
        raise KeyError(self.parameter)

    def value_in(self, definition: MachineData) -> object:
        """Return the value of the parameter in a definition; of a text the text alone."""
        parameters = action_in(definition, self.state, self.path)["parameters"]
        value = parameters.get(self.parameter, parameters.get(f"_{self.parameter}"))
        return value[1] if value[0] == "str" else value

    def trace(self, draft: Draft) -> Trace:
        return draft.built.construction(action_at(draft, self.state, self.path))

    def patches(self, draft: Draft) -> Iterator[Patch]:
        action = action_at(draft, self.state, self.path)
        parameters = parameters_of(action)
        before = parameters.get(self.parameter, parameters.get(f"_{self.parameter}", NOTHING))
        if before is NOTHING:
            known = meant(self.parameter, parameters)
            raise RefusedEditError(
                f"{type(action).__name__} has no parameter {self.parameter!r}{known}"
            )
        value = value_for(self.value, type(action), self.parameter)
        value = float(value) if type(before) is float and type(value) is int else value
        given = self.given(draft)
        if given is None:
            yield self._another(draft, self.trace(draft), value)
            return
        is_text = isinstance(value, str) and isinstance(before, str)  # it may be named elsewhere
        is_name = isinstance(value, (Name, LibraryName))
        if _is_literal(given.node) or is_name or is_text:
            values = {before} if isinstance(before, Hashable) else set()
            same = [*items_of_loops(draft, given, values), given]
        else:
            same = [*literals(given, lambda each: _is_same(each, before))]
        if not same:
            place = given.source.place(given.node)
            raise RefusedEditError(f"`{self.parameter}` is computed", place)
        for each in same:
            source, node = each
            text, imports = code_of(value, draft, draft.scope_of(source, node))
            uses = uses_of_constant(draft, each)
            yield Patch(source, [source.replaced(node, text), *imports], uses)

    def given(self, draft: Draft) -> Given | None:
        """Return the expression that gives the parameter; None if it has its default."""
        kind = type(action_at(draft, self.state, self.path))
        known = inspect.signature(kind).parameters
        trace = self.trace(draft)
        if not trace or self.parameter not in known:
            raise RefusedEditError("no file of the program has made it")
        is_named = known[self.parameter].kind is inspect.Parameter.KEYWORD_ONLY
        place = BY_NAME_ALONE if is_named else [*known].index(self.parameter)
        return argument(draft, trace, place, self.parameter)

    def _another(self, draft: Draft, trace: Trace, value: object) -> Patch:
        node = draft.node(trace[0])
        if node is None:
            raise draft.made_together(trace)
        source = draft.source(trace[0].path)
        text, imports = code_of(value, draft, draft.scope_of(source, node))
        return Patch(source, [source.another_argument(node, f"{self.parameter}={text}"), *imports])


@frozen
class AddAction:
    """Add an action of the library, by its name in `actions`, after the others of its state.

    `at` puts it before the action that is there. `inside` is the place of a composite that it is
    put into, instead of the state; `within` names a new composite, whose first action it is.
    """

    state: str
    action: str
    arguments: Mapping[str, object] = Factory(dict)
    at: int | None = None
    inside: str | None = None
    within: str | None = None
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        added: Any = {
            "class": ANYTHING, "enabled": True, "parameters": ANYTHING, "children": [],
        }  # fmt: skip
        if self.within is not None:
            added = {**added, "children": [added]}
        for present in children_in(definition, self.state, self.inside):
            present.insert(len(present) if self.at is None else self.at, added)
            added = ANYTHING  # in its option

    def patches(self, draft: Draft) -> Iterator[Patch]:
        if self.inside is not None:
            parent = ParentCall(draft, self.state, self.inside)
            code, pieces = self._call(draft, parent.scope, parent.holder)
            yield Patch(parent.source, [parent.with_child(code, self.at), *pieces])
            return
        state = draft.state(self.state)
        before = [draft.trace(each) for each in walk.own_actions(state)]
        scopes = [*draft.scopes(state, draft.machine)]
        if not scopes:
            raise RefusedEditError(f"no name stands for {state.name!r} where it is built")
        for scope in scopes:
            expression = draft.expression(state, scope)
            if expression is None:
                continue
            added, pieces = self._call(draft, scope)
            code = f"{expression}.add_action({added})"
            if self.at is not None and self.at < len(before):
                source, call = draft.whole_call(before[self.at])
                line = source.line_above(source.statement(call), code)
                yield Patch(source, [line, *pieces] if source is scope.source else [])
            else:
                made = [draft.built.trace(state), *before]
                methods = ("add_action", "add_state", "add_transition")
                line = draft.added_line(scope, code, behind=made, methods=methods)
                yield Patch(scope.source, [line, *pieces])

    def _call(
        self, draft: Draft, scope: Scope, holder: Holder | None = None
    ) -> tuple[str, list[Replacement]]:
        """Return the code that makes the action, and the pieces that import what it needs."""
        module, kind = library_action(self.action, draft.machine)
        around = [holder.wrapper] if holder is not None else []
        if self.within is not None:
            _, outer = library_action(self.within, draft.machine)
            if (new := holder_of(outer)) is None or new.needs_more:
                raise RefusedEditError(f"{self.within} is not made of actions alone")
            around += [self.within, new.wrapper]
        names = [name for name in (*around, self.action) if name is not None]
        shown, pieces = imported_together(scope.source, module, names)
        arguments, imports = self._written(kind, draft, scope)
        call = f"{'('.join(shown)}({arguments}{')' * len(shown)}"
        return call, [*dict.fromkeys([*pieces, *imports])]

    def _written(
        self, kind: type[FsmAction[Any]], draft: Draft, scope: Scope
    ) -> tuple[str, list[Replacement]]:
        """Return the arguments as code, those that are needed by place, the others by name.

        Beside them, return the imports that they need.
        """
        known = inspect.signature(kind).parameters
        for name in self.arguments:
            if name not in known:
                hint = meant(name, known)
                raise RefusedEditError(f"{self.action} has no parameter {name!r}{hint}")
        shown, by_place = [], True
        imports: list[Replacement] = []
        for name, parameter in known.items():
            is_needed = parameter.default is inspect.Parameter.empty
            if name not in self.arguments:
                if is_needed and parameter.kind is not inspect.Parameter.VAR_POSITIONAL:
                    raise RefusedEditError(f"{self.action} needs {name!r}")
                by_place = False
                continue
            by_place &= is_needed and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
            text, more = code_of(value_for(self.arguments[name], kind, name), draft, scope)
            imports += more
            shown.append(text if by_place else f"{name}={text}")
        return ", ".join(shown), imports


@frozen
class MoveAction:
    """Move an action to another place in its state, or in its composite, counted from 0."""

    state: str
    index: int | str
    to: int
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        inside, index = split(self.index)
        for present in children_in(definition, self.state, inside):
            present.insert(self.to, present.pop(index))

    def patches(self, draft: Draft) -> Iterator[Patch]:
        inside, index = split(self.index)
        if inside is not None:
            parent = ParentCall(draft, self.state, inside)
            yield Patch(parent.source, parent.with_moved(index, self.to))
            return
        actions = draft.state(self.state).actions
        if not {index, self.to} <= {*range(len(actions))} or index == self.to:
            raise RefusedEditError(f"{self.state!r} has {len(actions)} actions, counted from 0")
        (source, moved), (other, place) = (
            draft.whole_call(draft.trace(actions[each])) for each in (index, self.to)
        )
        moving, there = source.statement(moved), other.statement(place)
        if source is not other or source.parent(moving) is not source.parent(there):
            raise RefusedEditError("they are not added one below the other", source.place(moving))
        lines = source.lines_of(moving)
        if not lines.endswith(("\n", "\r")):
            lines += source.newline
        beyond = source.without(there)
        at = beyond.begin if self.to < index else beyond.end
        yield Patch(source, [source.without(moving), beyond._replace(begin=at, end=at, text=lines)])


@frozen
class RemoveAction:
    """Remove an action of a state, or of a composite."""

    state: str
    index: int | str
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        inside, index = split(self.index)
        for present in children_in(definition, self.state, inside):
            del present[index]

    def trace(self, draft: Draft) -> Trace:
        action = action_at(draft, self.state, str(self.index))
        is_inner = split(self.index)[0] is not None
        return draft.built.construction(action) if is_inner else draft.trace(action)

    def patches(self, draft: Draft) -> Iterator[Patch]:
        inside, index = split(self.index)
        if inside is None:
            yield from removals(draft, self.trace(draft))
            return
        action_at(draft, self.state, str(self.index))
        parent = ParentCall(draft, self.state, inside)
        yield Patch(parent.source, [parent.without(index)])


def _is_same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError):
        return False
    return True


NOTHING: Final = object()

BY_NAME_ALONE: Final = 1000
"""The place of an argument that is given by its name."""
