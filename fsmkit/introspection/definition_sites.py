"""DefinitionSites: the lines of code that added the states, transitions and actions of machines.

They are noted while `noting_places` is active: meanwhile the methods that add are replaced by
versions that note the caller. Otherwise nothing is noted, and nothing is slower.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import wraps
from itertools import chain
from threading import Lock
from typing import Any, Final, TypeAlias
from weakref import ref

from fsmkit import Fsm, FsmAction, FsmState, StateGroup, Transition
from fsmkit.introspection.blocks import block
from fsmkit.introspection.code_place import CodePlace, calling_place
from fsmkit.introspection.walk import TransitionOwner, actions, transitions_for

Added: TypeAlias = "FsmState[Any] | StateGroup[Any] | FsmAction[Any]"


class DefinitionSites:
    """The lines that added states, transitions and actions; see `noting_places`.

    They are noted as long as the machines are held elsewhere.
    """

    def __init__(self) -> None:
        self._added: dict[int, tuple[ref[Added], CodePlace]] = {}
        """By identity, since actions may be equal, or have no hash."""
        self._transitions: dict[int, tuple[ref[TransitionOwner], TransitionLines]] = {}

    def of(self, added: Added) -> CodePlace | None:
        """Return the line that added a state, a group or an action; None if that is not known.

        An action inside another one was added with it.
        """
        return self._added.get(id(added), (None, None))[1]

    def of_transition(
        self, owner: TransitionOwner, transition: Transition[Any]
    ) -> CodePlace | None:
        """Return the line that added a transition; None if that is not known.

        `owner` is the state or the group it leads from, or the machine of a global transition.
        """
        _, lines = self._transitions.get(id(owner), (None, {}))
        noted = lines.get(transition.event)
        if noted is None:
            return None
        asked = transitions_for(owner, transition.event)
        index = next((i for i, each in enumerate(asked) if each == transition), None)
        return next((place for number, place in reversed(noted) if number == index), None)

    def __iter__(self) -> Iterator[tuple[Fsm[Any], CodePlace]]:
        """Yield each line, with the machine that it has added to; some lines several times."""
        for added, place in [*self._added.values()]:
            known = added()
            if known is not None and (machine := known.fsm) is not None:
                yield machine, place
        for found, lines in [*self._transitions.values()]:
            if (owner := found()) is not None:
                for _, place in chain.from_iterable(lines.values()):
                    yield owner if isinstance(owner, Fsm) else owner.fsm, place

    def note(self, _owner: object, added: Added, place: CodePlace) -> None:
        for each in actions(added) if isinstance(added, FsmAction) else (added,):
            self._added[id(each)] = _ref_in(self._added, each), place

    def note_transition(
        self, owner: TransitionOwner, added: Transition[Any], place: CodePlace
    ) -> None:
        if id(owner) not in self._transitions:
            self._transitions[id(owner)] = _ref_in(self._transitions, owner), {}
        number = len(transitions_for(owner, added.event)) - 1
        self._transitions[id(owner)][1].setdefault(added.event, []).append((number, place))


TransitionLines: TypeAlias = dict[str, list[tuple[int, CodePlace]]]
"""Event -> the number of each of its transitions, in the order of asking, with its line."""


def _ref_in(notes: dict[int, Any], thing: Any) -> Any:
    """Return a weak reference to a thing, which takes its note with it."""
    number = id(thing)
    return ref(thing, lambda _: notes.pop(number, None))


@block
def noting_places(places: DefinitionSites | None = None) -> Iterator[DefinitionSites]:
    """Note the lines that add to machines during the block, in any thread, in `places`.

    The line is the innermost one outside fsmkit and installed packages: that of the user's
    function that adds, not that of its caller.

        with noting_places() as places:
            fsm = build()
        places.of(fsm.states["Patrol"])  # CodePlace(file="/game/guard.py", line=12)
    """
    global _active, _times  # noqa: PLW0603  # classes are changed for the whole process
    places = DefinitionSites() if places is None else places
    with _lock:
        if not _replaced:
            _times += 1
            for (kind, name), note in {_defined(*m[:2]): m[2] for m in METHODS}.items():
                _replace(kind, name, note)
        _active = (*_active, places)
    try:
        yield places
    finally:
        with _lock:
            _active = tuple(each for each in _active if each is not places)
            while _replaced and not _active and _times < MAX_TIMES:
                setattr(*_replaced.pop())


# The methods that add, and how each notes what it has added

METHODS: Final[tuple[tuple[type, str, str], ...]] = (
    (Fsm, "add_state", "note"),
    (Fsm, "add_group", "note"),
    (Fsm, "add_global_transition", "note_transition"),
    (FsmState, "add_transition", "note_transition"),
    (StateGroup, "add_transition", "note_transition"),
    (FsmState, "add_action", "note"),
)

MAX_TIMES: Final = 100
"""How often the methods are replaced and put back. After that they stay, and note nothing at rest.

Python 3.13 stops caching the attributes of a class that has been changed a thousand times: every
machine of the process would be slower from then on.
"""

_lock = Lock()
_active: tuple[DefinitionSites, ...] = ()
_replaced: list[tuple[type, str, object]] = []
_times = 0


def _defined(kind: type, name: str) -> tuple[type, str]:
    """The class that has a method for `kind`; states and groups may share one, or not."""
    return next(each for each in kind.__mro__ if name in vars(each)), name


def _replace(kind: type, name: str, note: str) -> None:
    original: Any = vars(kind)[name]

    @wraps(original)
    def noting(owner: Any, *arguments: Any, **named: Any) -> Any:
        added = original(owner, *arguments, **named)
        if _active and (place := calling_place()) is not None:
            for places in _active:
                getattr(places, note)(owner, added, place)
        return added

    _replaced.append((kind, name, original))
    setattr(kind, name, noting)
