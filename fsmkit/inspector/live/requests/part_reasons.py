"""PartReasons: which edits of the parts of a machine are possible, and why the others are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from inspect import signature
from time import monotonic
from typing import Any, Final, TypeAlias

from attrs import evolve

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.core.words.parameters import parameters
from fsmkit.editing import (
    AddAction,
    AddToGroup,
    AddTransition,
    Edit,
    Editor,
    MoveAction,
    Name,
    RefusedEditError,
    RemoveAction,
    RemoveFromGroup,
    RemoveState,
    RemoveTransition,
    RenameEvent,
    RenameState,
    Retarget,
    SetFinal,
    SetParameter,
    SharedEditError,
)
from fsmkit.editing.action_forms import choices_of
from fsmkit.editing.holders import holder_of
from fsmkit.editing.refusal import UnchangedMachineError
from fsmkit.editing.trial import Built
from fsmkit.editing.values import AsWritten, code_for
from fsmkit.inspector.live.requests.page_request import PageAnswer, RequestError
from fsmkit.inspector.reading.page_values import text_of
from fsmkit.introspection import walk

Why: TypeAlias = dict[str, Any] | None
"""Why something is not possible, for a page; None if it is."""

LONGEST: Final = 0.1
"""Seconds in which edits are tried; one more may be in progress then."""

UNUSED: Final = "A_NAME_THAT_IS_TRIED"
"""A name that machines hardly have."""


class PartReasons:
    """Tries the edits of the parts of a machine; `shown` turns a refusal into data for a page.

    What was `tried` is not tried again. To try an edit may take as long as the machines take to be
    built, and the game waits meanwhile: after a while, what is left is done when it is asked again.
    """

    def __init__(
        self,
        editor: Editor,
        shown: Callable[[RefusedEditError], dict[str, Any]],
        built: Built,
        machine: str | None,
        tried: dict[str, Why],
    ) -> None:
        name = next(iter(built.machines)) if machine is None else machine
        if name not in built.machines:
            raise RequestError(f"The code builds no machine {text_of(machine)}.")
        self._editor = editor
        self._shown = shown
        self._name = name
        self._tried = tried
        self._end = monotonic() + LONGEST
        self._is_complete = True
        self._machine: Fsm[Any] = built.machines[name]

    def of(self, name: str | None) -> PageAnswer:
        """Return the reasons of a state or a group by its name; of the machine for None."""
        owner = self._owner(name)
        source = None if isinstance(owner, Fsm) else owner.name
        answer: PageAnswer = {
            "state": {"rename": None, "remove": None},
            "transitions": {},
            "actions": [],
            "add_action": None,
            "add_transition": None,
        }
        if isinstance(owner, FsmState):  # what its menu shows comes first
            answer["state"] = {
                "rename": self._why(RenameState(owner.name, UNUSED, self._name)),
                "remove": self._why(RemoveState(owner.name, self._name)),
                "final": self._why(SetFinal(owner.name, not owner.final, self._name)),
            }
            answer["final"] = owner.final
            answer["groups"] = [*self._of_groups(owner)]
            answer["add_action"] = self._why(self._waiting(owner.name))
            answer["actions"] = [*self._of_actions(owner)]
        answer["transitions"] = self._of_transitions(owner, source)
        addition = AddTransition(source, UNUSED, self._any_state, self._name)
        answer["add_transition"] = self._why(addition)
        return {**answer, "complete": self._is_complete}

    def _owner(self, name: str | None) -> walk.TransitionOwner:
        if name is None:
            return self._machine
        for table in (self._machine.states, self._machine.groups):
            if name in table:
                return table[name]
        raise RequestError(f"The code builds no state {text_of(name)} of {self._name!r}.")

    def _waiting(self, state: str, inside: str | None = None) -> AddAction:
        given = {"duration": 1.0}
        return AddAction(state, "TimedWait", given, inside=inside, machine=self._name)

    @property
    def _any_state(self) -> str:
        return next(iter(self._machine.states))

    def _of_groups(self, state: FsmState[Any]) -> Iterator[dict[str, Any]]:
        for group in walk.groups(self._machine):
            edit = (RemoveFromGroup if state in group else AddToGroup)(
                group.name, state.name, self._name
            )
            yield {"name": group.name, "has": state in group, "why": self._why(edit)}

    def _of_transitions(
        self, owner: walk.TransitionOwner, source: str | None
    ) -> dict[str, list[dict[str, Why]]]:
        found: dict[str, list[dict[str, Why]]] = {}
        for owned in walk.own_transitions(owner):
            event, rank = str(owned.event), owned.rank
            leads_to = getattr(owned.transition.target, "name", None)
            others = sorted(self._machine.states, key=(source, leads_to).count)
            other = next((each for each in others if each != leads_to), UNUSED)
            whys = {
                "retarget": self._why(Retarget(source, event, other, rank, self._name)),
                "rename": self._why(RenameEvent(source, event, UNUSED, rank, self._name)),
                "remove": self._why(RemoveTransition(source, event, rank, self._name)),
            }
            found.setdefault(event, []).append(whys)
        return found

    def _of_actions(self, state: FsmState[Any]) -> Iterator[dict[str, Any]]:
        here = dict(walk.paths(state))
        for place, action in here.items():
            parent, _, number = place.rpartition("/")
            index, last = int(number), len(here[parent].children if parent else state.actions) - 1
            move = MoveAction(state.name, place, index - 1 if index else 1, self._name)
            whys: dict[str, Why] = {
                "move": self._why(move) if last else None,
                "remove": self._why(RemoveAction(state.name, place, self._name)),
            }
            if (holder := holder_of(type(action))) is not None and holder.takes_many:
                whys["add"] = self._why(self._waiting(state.name, place))
            given = [*self._of_parameters(state.name, place, action)]
            yield {"index": place, "name": type(action).__name__, **whys, "parameters": given}

    def _of_parameters(
        self, state: str, place: str, action: FsmAction[Any]
    ) -> Iterator[dict[str, Any]]:
        """Yield the parameters that an action was given, as the file has them."""
        known = signature(type(action)).parameters
        for name, value in parameters(action).items():
            is_one = name in known and known[name].kind is not known[name].VAR_POSITIONAL
            if is_one and not isinstance(value, FsmAction):
                edit = SetParameter(state, place, name, None, self._name)
                try:
                    text = self._editor.argument(edit)
                except RefusedEditError:
                    text = None
                why = self._why(evolve(edit, value=_another(type(action), name, value, text)))
                yield {"name": name, "text": text or text_of(value), "why": why}

    def _why(self, edit: Edit) -> Why:
        known = repr(edit)
        if known not in self._tried:
            if monotonic() < self._end:
                self._tried[known] = self._why_refused(edit)
            else:
                self._is_complete = False
        return self._tried.get(known)

    def _why_refused(self, edit: Edit) -> Why:
        try:
            self._editor.proposed(edit)
        except (SharedEditError, UnchangedMachineError):  # for all of them, and for another name
            return None
        except RefusedEditError as error:
            return self._shown(error)
        return None


def _another(kind: type, name: str, value: object, text: str | None) -> object:
    """Return what may stand in place of the value of a parameter of a kind of action.

    For a literal it is one of its type, for a name a name, for anything else a number. `text` is
    what the file has for the value.
    """
    if choices := [each for each in choices_of(kind, name) if each != code_for(value)]:
        return AsWritten(choices[0])
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"{value}_"
    if isinstance(value, (int, float)):
        return value + 1
    if text and code_for(value) is None:
        with suppress(RefusedEditError):  # it is no name
            return Name(text)
    return 1
