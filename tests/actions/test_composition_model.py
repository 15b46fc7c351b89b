"""The library's compositions against a plain second model, in worlds made up at random."""

from collections import Counter

import pytest
from composition_worlds import Maker, play


def kinds_in(specs: list) -> list[str]:  # type: ignore[type-arg]
    return [kind for spec in specs for kind in (spec.kind, *kinds_in(spec.children))]


@pytest.mark.parametrize("first", range(0, 2_000, 500))
def test_random_compositions_follow_the_model(first: int) -> None:
    for number in range(first, first + 500):
        play_one(number)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100_000, 200_000, 10_000))
def test_many_random_compositions_follow_the_model(first: int) -> None:
    for number in range(first, first + 10_000):
        play_one(number)


def test_every_kind_of_composition_occurs() -> None:
    kinds = Counter(kind for number in range(200) for kind in kinds_in(Maker(number).specs))
    assert kinds.keys() == {
        "leaf", "cooldown", "region", "regions", "parallel", "sequence", "race", "repeat",
        "timeout", "when", "retry",
    }  # fmt: skip


def play_one(number: int) -> None:
    try:
        play(number)
    except AssertionError as error:
        error.add_note(f"play it with: python tests/actions/composition_worlds.py {number}")
        raise
