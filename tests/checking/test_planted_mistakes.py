"""Twenty-two mistakes, planted one at a time into a guard that has none: each is named, and where.

The guard is one as games have it: it patrols between two points, rests, hears and sees things,
chases, fights in a machine of its own, is stunned, and falls. `check` alone names all of them: what
only walking through a machine can find, such as a guard that never agrees, is for `explore`.
"""

from collections.abc import Sequence
from typing import Any

from every import every
from planted import GUARD, MISTAKES, OUTSIDE, planted

from fsmkit.checking import Finding, check


def findings(source: str, inputs: Sequence[str] | None = OUTSIDE) -> list[Finding]:
    names: dict[str, Any] = {"__name__": "guard"}
    exec(source, names)
    return check(names["build"](), inputs=inputs)


@every("inputs", [None, OUTSIDE])
def test_the_guard_without_a_mistake_has_no_finding(inputs: Sequence[str] | None) -> None:
    assert findings(GUARD, inputs) == []


def test_there_are_twenty_two() -> None:
    assert len(MISTAKES) == 22


@every("name", MISTAKES)
def test_a_planted_mistake_is_named_with_its_place(name: str) -> None:
    mistake = MISTAKES[name]
    places = [(each.code, each.place) for each in findings(planted(mistake))]
    named = [(code, " ".join(filter(None, (place.state, place.action)))) for code, place in places]
    assert (mistake.code, mistake.place) in named
