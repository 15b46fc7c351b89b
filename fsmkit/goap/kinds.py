"""Kinds: which facts are counts. Each fact is either one, or true or false, everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, TypeAlias

from fsmkit.goap.action import GoapAction
from fsmkit.goap.counts import Add, AtLeast

Places: TypeAlias = Mapping[str, Mapping[str, Any]]
"""What a mapping is called in an error message -> the mapping of facts."""

FLAGS: Final = {bool}


def counts_among(actions: Iterable[GoapAction], others: Places, what: str = "") -> frozenset[str]:
    """Return the facts that are counts in the actions and in `others`.

    Raises ValueError, which begins with `what`, if one is true or false in another place.
    """
    given = list(actions)
    of_actions = (facts for each in given for facts in (each.preconditions, each.effects))
    mappings = chain(others.values(), of_actions)
    if FLAGS.issuperset(map(type, chain.from_iterable(facts.values() for facts in mappings))):
        return frozenset()
    first: dict[str, tuple[str, Any]] = {}
    for place, mapping in [*others.items(), *_places(given)]:
        for fact, value in mapping.items():
            if not isinstance(value, (int, AtLeast, Add)):
                continue  # of the initial facts only those that matter are checked
            before, known = first.setdefault(fact, (place, value))
            if (type(known) is bool) is not (type(value) is bool):
                raise ValueError(
                    f"{what}{fact!r} must be either a count or true or false everywhere, got "
                    f"{known!r} in {before} and {value!r} in {place}. Rename one."
                )
    return frozenset(fact for fact, (_, value) in first.items() if type(value) is not bool)


def _places(actions: Iterable[GoapAction]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for action in actions:
        yield f"the preconditions of {action.name!r}", action.preconditions
        yield f"the effects of {action.name!r}", action.effects
