"""Writes the text of the loops that run a crowd: one for updates, one for events and starts.

This is the one place that knows what a target looks like. Another target (a GPU, a cluster) would
be another such file; see docs/decisions/crowds-elsewhere.md.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from textwrap import indent
from typing import Any, Final

from fsmkit import FINISHED, FsmState
from fsmkit.crowd import randomness
from fsmkit.crowd.compiler import arithmetic
from fsmkit.crowd.compiler.binding import OF_THE_LOOP, identifier
from fsmkit.crowd.compiler.expressions import Expressions
from fsmkit.crowd.compiler.functions import Library
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.compiler.reading import Source, events_of, source_of
from fsmkit.crowd.compiler.selecting import LEFT
from fsmkit.crowd.compiler.statements import Statements
from fsmkit.crowd.compiler.sweep import COMPILED, IMPORTS, sweep

HEADING: Final = '''"""{name}: the loops that run a crowd, made of the machine by fsmkit.crowd."""

import math

import numpy as np
from numba import njit as compile
{imports}
njit = compile(nogil=True, cache=True, error_model="python")

STAY = -1
'''

LOOP: Final = """@njit
def {name}({parameters}):
    for i in range(len(state)):{begin}
        s = state[i]
        to = STAY
{decide}
        changes = {counted}
        while to != STAY:
            if changes == {bound}:  # without end: the first such agent is noted, and how many
                if notes[1, 0] == 0:
                    notes[1, 1] = i
                    trails[1] = trails[0]
                notes[1, 0] += 1
                break
{leave}            s = to
            to = STAY
            state[i] = s
            entered_at[i] = now
            if changes >= {remembered}:
                trails[0, changes - {remembered}] = s
            changes += 1
{enter}"""


class Emitter:
    """The text for one machine."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.library = Library()
        self.places: list[str] = []
        """What may raise, by number: the function, the file and the line."""
        self.draws = False
        self._prefixes: list[str] = []
        self._counts_entered = any(
            self._may_change(state, action, "on_enter")
            for state in layout.states
            for action in state.actions[:-1]
        )

    def module(self) -> str:
        """The whole module."""
        enter, leave = self._dispatch(self._enter), self._dispatch(self._leave)
        updates = self._dispatch(self._update)
        events = "\n".join(self._events())
        swept = sweep(self.layout, self._begin, updates, leave, enter)
        update = self._loop("update", updates, leave, enter, [LEFT] if swept else [])
        change = self._loop("change", events, leave, enter, ["where", "moved", "event"])
        helpers = list(self.library.texts.values())
        constants = [f"{self.layout.constant(s)} = {n}" for n, s in enumerate(self.layout.states)]
        parts = [
            self._heading(IMPORTS if swept else "") + "\n".join(constants),
            *([randomness.COMPILED.strip()] if self.draws else []),
            *_needed(arithmetic.COMPILED, "\n".join([*helpers, update, change])),
            *helpers,
            *([COMPILED, swept] if swept else []),
            update,
            change,
        ]
        return "\n\n\n".join(parts) + "\n"

    def _heading(self, imports: str) -> str:
        return HEADING.format(name=self.layout.machine.name, imports=imports)

    # The loops

    def _loop(self, name: str, decide: str, leave: str, enter: str, own: Sequence[str]) -> str:
        begin = f"if not {own[0]}[i]:\n    continue\n" if own else ""
        begin = indent(f"\n{begin}{self._begin}".rstrip(), " " * 8)
        after = "            moved[i] = True\n" if name == "change" else ""
        return LOOP.format(
            name=name,
            parameters=", ".join(self.layout.parameters(*own)),
            begin=begin,
            decide=indent(decide or "pass", " " * 8),
            counted="0" if name == "update" else f"-1 if event >= {len(self.layout.events)} else 0",
            bound=self.layout.machine.max_transitions,
            remembered=self.layout.machine.max_transitions - self.layout.trail,
            leave=indent(leave, " " * 12) + ("\n" if leave else ""),
            enter=after + indent(enter or "pass", " " * 12),
        )

    @property
    def _begin(self) -> str:
        """What every agent begins with."""
        begin = "call = 0\n" if self.draws else ""
        return begin + (f"entered = {self._most}\n" if self._counts_entered else "")

    @property
    def _most(self) -> int:
        return max((len(state.actions) for state in self.layout.states), default=0)

    def _dispatch(self, write: Callable[[FsmState[Any]], str]) -> str:
        """What `write` says for each state, behind `if s == STATE`."""
        lines: list[str] = []
        for state in self.layout.states:
            text = write(state)
            if text:
                word = "elif" if lines else "if"
                lines += [f"{word} s == {self.layout.constant(state)}:", indent(text, "    ")]
        return "\n".join(lines)

    def _events(self) -> Iterator[str]:
        """What an event leads to, or a start."""
        word = "if"
        for number, event in enumerate(self.layout.events):
            yield f"{word} event == {number}:  # {event}"
            yield indent(self._targets(event), "    ")
            word = "elif"
        first = len(self.layout.events)
        yield f"{word} event >= {first}:  # start"
        yield f"    to = event - {first}"

    def _targets(self, event: str) -> str:
        lines: list[str] = []
        for state in self.layout.states:
            if event in state.transitions:
                target = self.layout.constant(state.transitions[event])
                lines += [
                    f"{'elif' if lines else 'if'} s == {self.layout.constant(state)}:",
                    f"    to = {target}",
                ]
        anywhere = self.layout.machine.global_transitions.get(event)
        if anywhere is not None:
            target = self.layout.constant(anywhere)
            lines += [
                f"{'elif' if lines else 'if'} s != STAY and s != {target}:",
                f"    to = {target}",
            ]
        return "\n".join(lines)

    # The states

    def _update(self, state: FsmState[Any]) -> str:
        return self._walk(state, "on_update")

    def _enter(self, state: FsmState[Any]) -> str:
        if not state.actions:
            return "\n".join(ast.unparse(each) for each in self._decided(state, FINISHED))
        walk = self._walk(state, "on_enter")
        if not self._counts_entered:
            return walk
        return f"entered = {self._most}\n{walk}".rstrip()

    def _leave(self, state: FsmState[Any]) -> str:
        parts: list[str] = []
        for index, action in enumerate(state.actions):
            text = self._call(state, index, action, "on_exit")
            if text and self._counts_entered and index:
                text = f"if entered > {index}:\n{indent(text, '    ')}"
            if text:
                parts.append(text)
        return "\n".join(parts)

    def _walk(self, state: FsmState[Any], phase: str) -> str:
        """The functions of the actions, one after the other, until one has decided a change."""
        parts: list[str] = []
        may_have_changed = False
        for index, action in enumerate(state.actions):
            text = self._call(state, index, action, phase)
            changes = self._may_change(state, action, phase)
            if text and phase == "on_enter" and self._counts_entered and changes:
                text += f"\nif to != STAY:\n    entered = {index + 1}"
            if text and may_have_changed:
                text = f"if to == STAY:\n{indent(text, '    ')}"
            if text:
                parts.append(text)
            may_have_changed = may_have_changed or changes
        return "\n".join(parts)

    def _call(self, state: FsmState[Any], index: int, action: Any, phase: str) -> str:
        """The text of one function of an action, with what it is and where it stands."""
        function = action.functions.get(phase)
        if function is None:
            return ""
        source = source_of(function)
        binding = self.layout.binding(state, index)
        expressions = Expressions(
            source, binding, self._prefix(source),
            lambda inner, given: self.library.call(binding, inner, given),
        )  # fmt: skip
        decide = (lambda event: self._decided(state, event)) if phase != "on_exit" else _nothing
        statements = Statements(source, expressions, action, decide, self.places)
        translated = statements.translate()
        self.draws = self.draws or expressions.draws > 0
        text = ast.unparse(ast.Module(translated, []))
        if text == "pass":
            return ""
        return f"{source.heading}\n{text}"

    def _decided(self, state: FsmState[Any], event: str) -> Sequence[ast.stmt]:
        target = self.layout.target(state, event)
        if target is None:
            return []
        return ast.parse(f"to = {self.layout.constant(target)}").body

    def _may_change(self, state: FsmState[Any], action: Any, phase: str) -> bool:
        return any(self.layout.target(state, event) for event in events_of(action, [phase]))

    def _prefix(self, source: Source) -> str:
        """What the variables of a function begin with, so that they are no others."""
        name = identifier(source.name.strip("<>"))
        number, prefix = 1, f"{name}_"
        while self._is_taken(prefix):
            number += 1
            prefix = f"_{number}_{name}_"  # in front: else a `walk_` would take all `walk_home`s
        self._prefixes.append(prefix)
        return prefix

    def _is_taken(self, prefix: str) -> bool:
        others = (*OF_THE_LOOP, *self.layout.parameters())
        return any(other.startswith(prefix) for other in (*others, *self._prefixes)) or any(
            prefix.startswith(other) for other in self._prefixes
        )


def _nothing(_event: str) -> Sequence[ast.stmt]:
    return []


def _needed(text: str, wanted: str) -> list[str]:
    """The functions of `text` that `wanted` calls, and those that they call."""
    functions = {
        part.split("(")[0].split()[-1]: part.strip() for part in text.strip().split("\n\n\n")
    }
    needed: dict[str, None] = {}

    def add(calling: str) -> None:
        for name, part in functions.items():
            if f"{name}(" in calling and name not in needed and part != calling:
                needed[name] = None
                add(part)

    add(wanted)
    return [part for name, part in functions.items() if name in needed]
