"""The edits of transitions. `source` is a state or a group by name, None for any state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from fsmkit import FsmState
from fsmkit.editing.definition import InAnyOrder, MachineData
from fsmkit.editing.draft import Draft, Patch
from fsmkit.editing.edits.edit import flat, table_of
from fsmkit.editing.edits.importing import code_of_event, code_of_target, target_in, target_of
from fsmkit.editing.edits.removing import removals
from fsmkit.editing.origins import argument, items_of_loops
from fsmkit.editing.refusal import RefusedEditError
from fsmkit.editing.trial import Trace
from fsmkit.introspection import walk

ADDING = ("add_transition", "add_global_transition", "add_action", "add_state")


@frozen
class AddTransition:
    """Add a transition for `event` from a state, a group or, without a source, any state.

    The target may be `BACK`, the state that was suspended last, unless a state has that name.
    """

    source: str | None
    event: str
    target: str
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        target = target_in(definition, self.target)
        added = {"target": target, "when": ("NoneType", "None"), "do": ("NoneType", "None")}
        table = table_of(definition, self.source)
        table.setdefault(self.event, []).append({**added, "suspend": False})

    def patches(self, draft: Draft) -> Iterator[Patch]:
        owner, target = draft.owner(self.source), target_of(draft, self.target)
        mine = [
            draft.built.trace_of_transition(owner, each.event, each.rank)
            for each in walk.own_transitions(owner)
        ]
        needs = [] if target is None else [draft.built.trace(target)]
        if isinstance(owner, FsmState):
            needs.append(draft.built.trace(owner))
        method = "add_global_transition" if self.source is None else "add_transition"
        parts = [each for each in (owner, target, draft.machine) if each is not None]
        scopes = [*draft.scopes(*parts)]
        for scope in scopes:
            if (expression := draft.expression(owner, scope)) is not None:
                event, imports = code_of_event(self.event, draft, scope)
                where, more = code_of_target(self.target, draft, scope)
                code = f"{expression}.{method}({event}, {where})"
                line = draft.added_line(
                    scope, code, behind=mine, methods=(method, *ADDING), needs=needs
                )
                yield Patch(scope.source, [line, *dict.fromkeys([*imports, *more])])
        if not scopes:
            raise RefusedEditError(f"no name stands for {owner.name!r} where it is built")


@frozen
class Retarget:
    """Change the target of a transition to a state or `BACK`.

    `rank` counts those of the same event, from 0.
    """

    source: str | None
    event: str
    target: str
    rank: int = 0
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        transition = flat(table_of(definition, self.source), self.event, self.rank)
        transition["target"] = target_in(definition, self.target)

    def trace(self, draft: Draft) -> Trace:
        return draft.transition_trace(self.source, self.event, self.rank)

    def patches(self, draft: Draft) -> Iterator[Patch]:
        target = target_of(draft, self.target)
        trace = self.trace(draft)
        before = walk.table(draft.owner(self.source))[self.event][self.rank].target
        given = argument(draft, trace, 1, "state")
        if given is None:
            raise draft.made_together(trace)
        names = {getattr(before, "name", None)}
        for source, node in (*items_of_loops(draft, given, names, before), given):
            scope = draft.scope_of(source, node)
            text, imports = code_of_target(self.target, draft, scope)
            yield Patch(source, [source.replaced(node, text), *imports])
            quoted = source.quoted(self.target)
            if target is not None and text != quoted:
                yield Patch(source, [source.replaced(node, quoted)])
        if target is None:
            return
        source, node = given
        statement, scope = source.statement(node), draft.scope_of(source, node)
        makes = draft.making_statement(scope, [draft.built.trace(target)])
        if makes is not None and makes.lineno > statement.lineno:  # the target is not there yet
            change = source.replaced(node, source.quoted(self.target))
            yield Patch(source, source.moved_below(statement, makes, change))


@frozen
class RenameEvent:
    """Change the event of a transition; its guard and effect stay."""

    source: str | None
    event: str
    to: str
    rank: int = 0
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        table = table_of(definition, self.source)
        changed = table[self.event].pop(self.rank)
        if not table[self.event]:
            del table[self.event]
        in_order_of_lines: Any = InAnyOrder([*table.get(self.to, ()), changed])
        table[self.to] = in_order_of_lines

    def trace(self, draft: Draft) -> Trace:
        return draft.transition_trace(self.source, self.event, self.rank)

    def patches(self, draft: Draft) -> Iterator[Patch]:
        trace = self.trace(draft)
        given = argument(draft, trace, 0, "event")
        if given is None:
            raise draft.made_together(trace)
        for source, node in (*items_of_loops(draft, given, {self.event}, None), given):
            text, imports = code_of_event(self.to, draft, draft.scope_of(source, node))
            yield Patch(source, [source.replaced(node, text), *imports])


@frozen
class RemoveTransition:
    """Remove a transition."""

    source: str | None
    event: str
    rank: int = 0
    machine: str | None = None

    def expect(self, definition: MachineData) -> None:
        table = table_of(definition, self.source)
        del table[self.event][self.rank]
        if not table[self.event]:
            del table[self.event]

    def trace(self, draft: Draft) -> Trace:
        return draft.transition_trace(self.source, self.event, self.rank)

    def patches(self, draft: Draft) -> Iterator[Patch]:
        yield from removals(draft, self.trace(draft))
