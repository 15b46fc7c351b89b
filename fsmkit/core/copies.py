"""Copies of machines: what `copy.deepcopy` and `pickle` include, and what stays behind.

Rule 23: a copy continues exactly as the original would. A machine includes the contents of its
states, and a state only names its machine, so that a chain of states of any length needs no
recursion. A visit includes its hooks by the names of the callbacks. Observers stay behind, and so
do groups, unless the group itself is copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from sys import _getframe as current_frame
from types import (
    AsyncGeneratorType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MemberDescriptorType,
)
from typing import Any, Final, Never

from fsmkit.core.checks.functions import Adapted, described
from fsmkit.core.errors import CopyError, FsmError
from fsmkit.core.words.quoting import quote

LEFT_BEHIND: Final = {"_observers_", "_groups_", "_acting_", "_states_"}
RUNNING: Final = (GeneratorType, CoroutineType, AsyncGeneratorType)


class Copying:
    """The part of an `Fsm` that makes copies of it."""

    __slots__ = ()

    def __copy__(self: Any) -> Never:
        raise TypeError(
            f"Fsm {self.name!r}: a shallow copy would share its states with the original. "
            "Use copy.deepcopy()."
        )

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        kind: Any = type(self)
        copy = memo[id(self)] = kind.__new__(kind)
        contents = self.__getstate__()
        _check(self.context, f"Fsm {self.name!r}, context", memo)
        for title, action in _actions(self):
            _check_action(action, title, memo)
        copy.__setstate__(deepcopy(contents, memo))
        return copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        for title, value in _parts(self):
            reason = _refused_by_pickle(value)
            if reason and not _has_a_pickler_of_its_own():
                raise CopyError(f"{title}: {reason}")
        return super().__reduce_ex__(protocol)

    def __getstate__(self: Any) -> dict[str, Any]:
        if self.phase is not None:
            raise FsmError(
                f"Fsm {self.name!r}: a copy from inside one of its own callbacks. "
                "Copy a machine from outside, between two calls to it."
            )
        contents = {name: v for name, v in _attributes(self).items() if name not in LEFT_BEHIND}
        return contents | {"_states_": {n: s.__getstate__() for n, s in self.states.items()}}

    def __setstate__(self: Any, contents: dict[str, Any]) -> None:
        states = contents.pop("_states_")
        for name, value in contents.items():
            object.__setattr__(self, name, value)
        for name, nothing in (("_observers_", None), ("_acting_", None), ("_groups_", 0)):
            object.__setattr__(self, name, getattr(self, name, nothing))
        self._states_ = {name: self._state_to_come_(name) for name in states}
        for name, state in self.states.items():
            state.__setstate__(states[name])
        self._renew_visits_()


# What cannot be copied


def _check(part: object, title: str, memo: dict[int, Any]) -> None:
    """Copy `part` into `memo`; raise CopyError, by `title`, if that is not possible."""
    try:
        deepcopy(part, memo)
    except FsmError:  # it already says where
        raise
    except Exception as error:
        what = "a running generator" if isinstance(part, RUNNING) else f"this {type(part).__name__}"
        what = described(part.function) if isinstance(part, Adapted) else what
        raise CopyError(f"{title}: {what} cannot be copied ({error}).") from error


def _check_action(action: Any, title: str, memo: dict[int, Any]) -> None:
    """Check an action; the error names the attribute that cannot be copied."""
    try:
        _check(action, title, memo)
    except CopyError as error:
        if error.__cause__ is not None:
            # Unfinished copies are in the memo, and would seem complete: keep machines only. One
            # action leads to all beside it, each of which has a place of its own.
            family = filter(_is_saved_as_it_is, action._fsmkit_family())
            begun: dict[int, Any] = {id(member): member for member in family}
            begun |= {key: thing for key, thing in memo.items() if isinstance(thing, Copying)}
            for place, value in reversed([*_attributes_within(action, title)]):
                _check(value, place, {**begun})
        raise


def _refused_by_pickle(value: object) -> str:
    """Why pickle refuses `value`, a function or a generator; empty for anything else."""
    if isinstance(value, RUNNING):
        return "a running generator cannot be pickled."
    while isinstance(value, Adapted | partial):
        value = value.function if isinstance(value, Adapted) else value.func
    if isinstance(value, FunctionType) and "<" in value.__qualname__:
        return (
            f"{described(value)} cannot be pickled, because pickle finds functions by their names. "
            "Define it with def, directly in a module."
        )
    return ""


def _has_a_pickler_of_its_own() -> bool:
    """Whether a custom pickler is running, such as cloudpickle, which may save functions."""
    from pickle import Pickler  # here, because most programs never need it

    frame: FrameType | None = current_frame()
    while frame is not None:
        pickler = frame.f_locals.get("self")
        if isinstance(pickler, Pickler) and type(pickler) is not Pickler:
            return True
        frame = frame.f_back
    return False


# The parts of a machine, with their places


def _parts(fsm: Any) -> Iterator[tuple[str, object]]:
    """The values that a pickle of the machine holds directly, with their places."""
    title = f"Fsm {fsm.name!r}"
    yield f"{title}, context", fsm.context
    if _is_saved_as_it_is(fsm.context):
        for name, value in _attributes(fsm.context).items():
            yield f"{title}, context.{name}", value
    yield from _functions(f"{title}, from any state", fsm.global_transitions)
    for source in (*fsm.states.values(), *fsm.groups.values()):
        yield from _functions(str(source), source.transitions)
    for place, action in _actions(fsm):
        yield from _attributes_within(action, place)


def _actions(fsm: Any) -> Iterator[tuple[str, Any]]:
    for state in fsm.states.values():
        for index, action in enumerate(state.actions):
            yield f"{state}, actions[{index}] ({type(action).__name__})", action


def _functions(title: str, transitions: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    for event, each in transitions.items():
        for transition in each:
            for name in ("when", "do"):
                if (function := getattr(transition, name)) is not None:
                    yield f"{title}, transition for {quote(event)}, {name}", function


def _attributes_within(action: Any, title: str) -> Iterator[tuple[str, object]]:
    """The attributes of an action and of all that it runs, those of the children last."""
    if _is_saved_as_it_is(action):
        for name, value in _attributes(action).items():
            if not name.startswith("_fsmkit_"):
                yield f"{title}, {name.lstrip('_')}", value
    for index, child in enumerate(action.children):
        place = f"{title}.children[{index}] ({type(child).__name__})"
        yield from _attributes_within(child, place)


def _attributes(thing: object) -> dict[str, Any]:
    slots = {
        name: getattr(thing, name)
        for kind in type(thing).__mro__
        for name, member in vars(kind).items()
        if isinstance(member, MemberDescriptorType) and hasattr(thing, name)
    }
    return {**slots, **getattr(thing, "__dict__", {})}


def _is_saved_as_it_is(thing: object) -> bool:
    """Whether its class leaves the contents of a copy to Python, or to attrs."""
    kind = type(thing)
    is_plain = kind.__getstate__ is object.__getstate__ or hasattr(kind, "__attrs_attrs__")
    return is_plain and kind.__reduce__ is object.__reduce__
