"""The library's compositions against a plain second model, in worlds made up at random."""

from collections import Counter

import pytest
from composition_worlds import LISTS, Leaf, Maker, World, play


def kinds_in(specs: list) -> list[str]:  # type: ignore[type-arg]
    return [kind for spec in specs for kind in (spec.kind, *kinds_in(spec.children))]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2_000, 500))
def test_random_compositions_follow_the_model(first: int) -> None:
    for number in range(first, first + 500):
        play_one(number)


@pytest.mark.long
@pytest.mark.parametrize("first", range(100_000, 150_000, 10_000))
def test_many_random_compositions_follow_the_model(first: int) -> None:
    for number in range(first, first + 10_000):
        play_one(number)


def test_every_kind_of_composition_occurs() -> None:
    kinds = Counter(kind for number in range(200) for kind in kinds_in(Maker(number).specs))
    assert kinds.keys() == {
        "leaf", "cooldown", "region", "regions", "parallel", "sequence", "race", "repeat",
        "timeout", "when", "retry", "selector", "utility",
    }  # fmt: skip


class Watched(Leaf):
    """Notes where its callbacks end, too."""

    def run(self, callback: str) -> None:
        try:
            super().run(callback)
        except BaseException:
            self.note(f"failed {self.spec.name}")
            raise
        self.note(f"done {self.spec.name}")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1_000, 500))
def test_exits_mirror_enters_around_composites_of_ones_own(first: int) -> None:
    for number in range(first, first + 500):
        maker = Maker(number, (*LISTS, "own", "own"))
        world = World(maker.specs, maker.transitions, Watched)
        for _ in range(2):
            world.call("start", "")
            for _ in range(8):
                kind = maker.rng.choice(("update", "update", "send", "finish"))
                argument = {"send": ("E1", "E2", "E3"), "finish": maker.everyone}.get(kind, ("",))
                world.call(kind, maker.rng.choice(argument))
            world.call("stop", "")
            world.call("stop", "")
        for leaf in maker.leaves:
            check_mirrored(leaf.name, world.journal)


def check_mirrored(name: str, journal: list[str]) -> None:
    """Each completed enter has one exit; no callback outside, no exit inside another callback."""
    is_inside = False
    stack: list[str] = []
    for line in journal:
        words = line.split()
        if words[-1] == name and words[0] in ("done", "failed"):
            callback = stack.pop()
            if callback == "enter":
                is_inside = words[0] == "done"
        elif words[-1] == name and words[0] in ("enter", "update", "exit"):
            assert is_inside == (words[0] != "enter"), line
            assert not stack, f"{line} inside {stack}"
            stack.append(words[0])
            is_inside = words[0] == "update"
        elif words[0] == name and words[1] == "hears":
            assert is_inside, line
            stack.append("hears")
    assert not is_inside
    assert not stack


def play_one(number: int) -> None:
    try:
        play(number)
    except AssertionError as error:
        error.add_note(f"play it with: python tests/actions/composition_worlds.py {number}")
        raise
