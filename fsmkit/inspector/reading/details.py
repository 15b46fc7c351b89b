"""The details of a machine for the page: its state, actions and context, and what may come next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias, cast

from fsmkit import FINISHED, Fsm, FsmAction
from fsmkit.checking.transitions import is_always_taken
from fsmkit.core.words.parameters import parameters
from fsmkit.diagram.wording import function_text
from fsmkit.inspector.reading import page_values
from fsmkit.inspector.reading.candidates import (
    destination,
    labelled,
    leading,
    state_name,
    takes_data,
)
from fsmkit.inspector.reading.entries import MachineNaming
from fsmkit.inspector.reading.guard_answers import GuardAnswers
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import is_option, option_of, running_inside
from fsmkit.introspection.run_state import (
    failed_actions,
    failure_words,
    is_entered,
    is_suspended,
    unfinished,
)
from fsmkit.recording.action_fields import fields_of, remembered_by

Detail: TypeAlias = dict[str, Any]


def detail_of(
    machine: Fsm[Any],
    names: MachineNaming,
    reader: page_values.PartReader,
    answers: GuardAnswers | None = None,
) -> Detail:
    """Return the details of `machine` and the machines nested in it.

    `answers` are those of the guards, if they were noted. Unreadable parts are replaced by a text
    that says so.
    """
    running = [machine, *running_inside(machine)]

    def waiting() -> list[Detail]:
        return [row for each in running for row in waiting_for(each, names)]

    return {
        **bare_detail(machine, names),
        "previous": getattr(machine.previous_state, "name", None),
        "time_in_state": machine.time_in_state if machine.current_state is not None else 0.0,
        "last_event": machine.last_event,
        "suspended": [state.name for state in machine.suspended],
        "events": reader.attempt("events", lambda: list(_events(running, names, answers)), []),
        "states": list(machine.states),
        "actions": _ActionRows(names, reader).read(machine),
        "context": reader.rows(
            "context", lambda: page_values.context_rows(machine.context), lambda text: ["", text]
        ),
        "kinds": _context_kinds(machine.context),
        "waiting": reader.attempt("pending actions", waiting, []),
        "inner": [
            {
                "machine": names[inner],
                "running": inner.is_running,
                "state": state_name(inner),
            }
            for inner in running[1:]
        ],
    }


def bare_detail(machine: Fsm[Any], names: MachineNaming) -> Detail:
    """Return the details that remain if a machine cannot be read."""
    return {
        "machine": names[machine],
        "running": machine.is_running,
        "state": state_name(machine),
        "previous": None, "time": machine.time, "time_in_state": 0.0, "last_event": None,
        "suspended": [], "events": [], "states": [], "actions": [], "context": [], "inner": [],
        "waiting": [],
    }  # fmt: skip


def _context_kinds(context: object) -> dict[str, str]:
    """Return name -> kind of the fields of the context that the page can plot, edit or open."""
    try:
        return page_values.kinds_of(page_values.named_fields(context))
    except Exception:  # it cannot be read, which its rows say
        return {}


# Events


def _events(
    machines: Sequence[Fsm[Any]], names: MachineNaming, answers: GuardAnswers | None
) -> Iterator[Detail]:
    for machine in machines:
        place = "" if machine is machines[0] else f"{machine.name}: "
        state = machine.current_state
        if state is None:
            continue
        taken: set[str] = set()
        for owner in walk.sources(state):
            found = {e: asked for e, asked in walk.table(owner).items() if e not in taken}
            taken.update(event for event, asked in found.items() if is_always_taken(asked))
            for each, label in chain.from_iterable(map(labelled, found.values())):
                if owner is state or each.target is not state:
                    answered = answers and each.when and answers.row_of(each)
                    yield {
                        "name": each.event, "target": f"{place}{destination(machine, each)}",
                        "global": owner is machine, "machine": names[machine],
                        **({} if label == each.event else {"label": label}),
                        **({"takes_data": True} if takes_data(each) else {}),
                        **({"answered": answered} if answered else {}),
                    }  # fmt: skip


# What it waits for


def waiting_for(machine: Fsm[Any], names: MachineNaming) -> Iterator[Detail]:
    """Yield what the current state waits for, if it has a transition for FINISHED.

    No guard is asked. For the page: the actions that have not finished, how many were missed
    because of an error, those that have failed, and where FINISHED leads.
    """
    leads = list(_leads(machine))
    if not leads:
        return
    waiting, missed = unfinished(machine)
    counts = Counter(type(action).__name__ for action in waiting)
    yield {
        "machine": names[machine],
        "actions": [
            {"text": _waiting_text(action, counts), "endless": _is_endless(action)}
            for action in waiting
        ],
        "missed": missed,
        "failed": [_failed_text(action) for action in failed_actions(machine)],
        "leads": leads,
    }


def _leads(machine: Fsm[Any]) -> Iterator[str]:
    """Yield the targets of FINISHED in the order of asking, with their guards."""
    for each in leading(machine, FINISHED):
        guard = f" if [{function_text(each.when)}]" if each.when is not None else ""
        yield f"{destination(machine, each)}{guard}"


def _waiting_text(action: FsmAction[Any], counts: Mapping[str, int]) -> str:
    """Return the name of an action and what it still needs, as `TimedWait 1.2 of 2.0 s`."""
    name = type(action).__name__
    if counts[name] > 1:
        name = f"actions[{walk.index_of(action)}] {name}"
    words = _endless_words(action) if _is_endless(action) else _waiting_words(action)
    return page_values.shortened(f"{name} {words}".strip())


def _failed_text(action: FsmAction[Any]) -> str:
    return page_values.shortened(f"{type(action).__name__} {failure_words(action)}")


def _is_endless(action: FsmAction[Any]) -> bool:
    try:
        return action.finishes == "never"
    except Exception:  # a user's property may raise anything
        return False


def _endless_words(action: FsmAction[Any]) -> str:
    return f"(has no end): {action._answer_}" if action._answer_ else "(has no end)"


def _waiting_words(action: FsmAction[Any]) -> str:
    """Return what an action says of itself, or how far it has got."""
    try:
        words: object = action.waits_for
    except Exception:  # a user's property may raise anything
        return ""
    if words and isinstance(words, str):
        return words
    progress = _progress(action)
    return "" if progress is None else f"{100 * progress:.0f} %"


def _progress(action: FsmAction[Any]) -> float | None:
    """Return the `progress` of an action, from 0 to 1; None if it has none."""
    if action.finished and not action.failed:
        return 1.0
    try:
        progress = action.progress  # type: ignore[attr-defined]  # it may have none: see below
        is_number = isinstance(progress, (int, float))
        return float(progress) if is_number and 0 <= progress <= 1 else None
    except Exception:  # it has none, or none yet
        return None


# Actions


class _ActionRows:
    def __init__(self, names: MachineNaming, reader: page_values.PartReader) -> None:
        self._names = names
        self._reader = reader

    def read(self, machine: Fsm[Any]) -> list[Detail]:
        def titled(text: str) -> Detail:
            return {"place": "", "depth": 0, "machine": self._names[machine], "title": text}

        return self._reader.rows("actions", lambda: self._of_machine(machine, 0), titled)

    def _of_machine(self, machine: Fsm[Any], depth: int) -> Iterator[Detail]:
        state = machine.current_state
        if state is not None:
            owner = self._names[machine], state.name
            for index, action in enumerate(walk.own_actions(state)):
                yield from self._of_action(action, str(index), owner, depth)

    def _of_action(
        self, action: FsmAction[Any], place: str, owner: tuple[str, str], depth: int
    ) -> Iterator[Detail]:
        children = self._reader.attempt("children of an action", lambda: action.children, ())
        given, kinds = self._values(
            parameters, lambda each: fields_of(type(each)).parameters, action, children
        )
        remembered, more_kinds = self._values(remembered_by, _remembered_names, action, children)
        entered, finished = is_entered(action), action.finished
        in_this_visit = entered or finished  # else it remembers an earlier one
        yield {
            "place": place,
            "depth": depth,
            "machine": owner[0],
            "state": owner[1],
            "name": type(action).__name__,
            "parameters": given,
            "values": remembered if in_this_visit else [],
            "kinds": {**kinds, **more_kinds},
            "progress": _progress(action) if in_this_visit else None,
            "finished": finished,
            "entered": entered,
            "enabled": action.enabled,
            "failed": failure_words(action),
            "suspended": entered and is_suspended(action),
            "answers": self._reader.attempt("answers", lambda: list(_answers(action, entered)), []),
        }
        for index, child in enumerate(children):
            yield from self._of_action(child, f"{place}/{index}", owner, depth + 1)
        for inner in () if children else action.machines:
            title = f"{inner.name}: {state_name(inner) or 'not running'}"
            inside = self._names[inner]
            yield {"place": place, "depth": depth + 1, "machine": inside, "title": title}
            yield from self._of_machine(inner, depth + 2)

    def _values(
        self,
        read: Callable[[FsmAction[Any]], Mapping[str, object]],
        names: Callable[[FsmAction[Any]], Iterable[str]],
        action: FsmAction[Any],
        children: Sequence[FsmAction[Any]],
    ) -> tuple[list[list[str]], dict[str, str]]:
        """Return names and texts, and name -> kind of what the page can plot or edit.

        Actions that are shown in rows of their own are left out.
        """
        try:
            values = read(action)
        except Exception:  # one of them cannot be read: read each separately
            return list(self._readable(names(action), action, children)), {}
        own = {name: each for name, each in values.items() if _is_own(each, children)}
        rows = [[name, page_values.text_of(each)] for name, each in own.items()]
        return rows, page_values.kinds_of(own)

    def _readable(
        self, names: Iterable[str], action: FsmAction[Any], children: Sequence[FsmAction[Any]]
    ) -> Iterator[list[str]]:
        for name in names:
            try:
                value = getattr(action, name)
            except AttributeError:
                continue
            except Exception as error:  # from the action's own class
                yield [name, self._reader.unreadable(name, error)]
            else:
                if _is_own(value, children):
                    yield [name, page_values.text_of(value)]


def _answers(action: FsmAction[Any], entered: bool) -> Iterator[Detail]:
    """Yield what an action was answered last, and what its own option said if it is one.

    Of an option that is scored, with its score beside the highest.
    """
    if entered and (answer := action._answer_):
        yield {"answer": page_values.shortened(answer), "share": None}
    chooser: Any = action._fsmkit_parent
    if option_of(action) is None or not is_entered(chooser):
        return
    index = next(n for n, each in enumerate(chooser.options) if each.action is action)
    scores = getattr(chooser, "scores", ())
    score = scores[index] if index < len(scores) else None
    highest = max((each for each in scores if each is not None), default=0.0)
    share = None if score is None else max(0.0, score) / max(1.0, highest)
    if answer := chooser.answer_of(index):
        yield {"answer": page_values.shortened(answer), "share": share}


def _remembered_names(action: FsmAction[Any]) -> Iterable[str]:
    kind = fields_of(type(action))
    undeclared = (name for name in vars(action) if name not in kind.known)
    return (*kind.remembered, *kind.extra_slots, *undeclared)


def _is_own(value: object, children: Iterable[FsmAction[Any]]) -> bool:
    """Return False for actions and machines, which have rows of their own."""
    if any(value is child for child in children) or issubclass(type(value), Fsm):
        return False
    if not issubclass(type(value), (list, tuple)):
        return True
    parts = cast("list[Any]", value)
    return not any(issubclass(type(each), FsmAction) or is_option(each) for each in parts)
