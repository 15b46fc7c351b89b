"""The children of composites, which are arguments of the call that makes their parent."""

from __future__ import annotations

import ast
from typing import Any

from fsmkit import FsmAction
from fsmkit.editing.definition import MachineData
from fsmkit.editing.draft import Draft, Scope
from fsmkit.editing.holders import holder_of
from fsmkit.editing.refusal import RefusedEditError
from fsmkit.editing.source import Replacement, SourceFile
from fsmkit.introspection import walk


def action_at(draft: Draft, state: str, path: str) -> FsmAction[Any]:
    here = dict(walk.paths(draft.state(state)))
    if path not in here:
        raise RefusedEditError(
            f"{state!r} has no action {path}; it has {', '.join(here) or 'none'}"
        )
    return here[path]


class ParentCall:
    """The call that makes a composite, with its actions. Raises RefusedEditError."""

    def __init__(self, draft: Draft, state: str, path: str) -> None:
        parent = action_at(draft, state, path)
        self.name = type(parent).__name__
        self.holder = holder_of(type(parent))
        if self.holder is None or not self.holder.takes_many:
            raise RefusedEditError(f"{self.name} does not take any number of actions")
        trace = draft.built.construction(parent)
        call = draft.node(trace[0]) if trace else None
        if call is None:
            raise RefusedEditError("no file of the program has made it")
        self._call = call
        self.source: SourceFile = draft.source(trace[0].path)
        self.scope: Scope = draft.scope_of(self.source, call)
        is_computed = any(isinstance(each, ast.Starred) for each in call.args)
        if is_computed or len(call.args) != len(parent.children):
            raise self._refusal(f"the actions of {self.name} are computed")

    def _refusal(self, reason: str) -> RefusedEditError:
        return RefusedEditError(reason, self.source.place(self._call))

    def with_child(self, code: str, at: int | None) -> Replacement:
        """Return the piece that adds a child, before the one at `at`."""
        source, given = self.source, self._call.args
        index = len(given) if at is None else min(at, len(given))
        if not given:
            comma = ", " if self._call.keywords else ""
            _, end, _ = source.behind(self._call.func, "")
            return Replacement(end + 1, end + 1, f"{code}{comma}")
        is_below = given[0].lineno > self._call.lineno
        comma = f",{source.newline}{' ' * given[0].col_offset}" if is_below else ", "
        if index < len(given):
            return source.before(given[index], f"{code}{comma}")
        return source.behind(given[-1], f"{comma}{code}")

    def with_moved(self, index: int, to: int) -> list[Replacement]:
        """Return the pieces that put a child at another place among the children."""
        given = self._call.args
        if not {index, to} <= {*range(len(given))} or index == to:
            raise self._refusal(f"{self.name} has {len(given)} actions, counted from 0")
        self._check_comments()
        order = [*given]
        order.insert(to, order.pop(index))
        return [
            self.source.replaced(before, self.source.text_of(after))
            for before, after in zip(given, order, strict=True)
            if before is not after
        ]

    def without(self, index: int) -> Replacement:
        """Return the piece that takes a child out."""
        source, given = self.source, self._call.args
        if len(given) == 1:
            raise self._refusal(f"it is the last action of {self.name}; remove that instead")
        self._check_comments()
        if index == 0:
            return source.between(given[0], given[1], "")
        return source.between_ends(given[index - 1], given[index], "")

    def _check_comments(self) -> None:
        begin, end, _ = self.source.replaced(self._call, "")
        if self.source.comments_between(begin, end):
            raise self._refusal("a comment stands among the actions")


def children_in(definition: MachineData, state: str, path: str | None) -> list[list[Any]]:
    """Return the lists that hold the actions of a state, or of the composite at a path.

    A composite of options has two of the same length: the actions, and the options.
    """
    if path is None:
        return [definition["states"][state]["actions"]]
    parent = action_in(definition, state, path)
    options = parent["parameters"].get("options")
    return [parent["children"], *([options[1]] if options is not None else [])]


def action_in(definition: MachineData, state: str, path: str) -> MachineData:
    first, *below = map(int, path.split("/"))
    action: MachineData = definition["states"][state]["actions"][first]
    for index in below:
        action = action["children"][index]
    return action


def split(index: int | str) -> tuple[str | None, int]:
    """Return the path of the parent of an action, None for the state, and its place there."""
    parent, _, place = str(index).rpartition("/")
    return parent or None, int(place)
