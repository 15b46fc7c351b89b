"""Options of a program that changes while one of them runs."""

from typing import Any

CAT = """
    from actions import Option, Selector, TimedWait
    from fsmkit import Fsm

    def build(world):
        fsm = Fsm("Cat", world)
        fsm.add_state("Day").add_action(
            Selector(
                Option(TimedWait(9.0, "HUNTED"), when=lambda state: state.context["mouse"]),
                Option(TimedWait(8.0)),
                suspend=True,
            )
        )
        return fsm
"""
MORE = """Option(TimedWait(7.0), when=lambda: False),
                Option(TimedWait(8.0)),"""


def test_the_one_that_runs_and_those_that_are_suspended_go_on(game: Any) -> None:
    world = {"mouse": False}
    fsm = game.build(CAT, world)
    fsm.start()
    fsm.update(1.0)
    world["mouse"] = True
    fsm.update(1.0)
    fsm.update(1.0)
    new = game.replace("9.0", "3.0")
    [selector] = new.states["Day"].actions
    assert new is not fsm
    hunt, rest = selector.children
    assert (selector.position, hunt.elapsed, rest.elapsed) == (0, 1.0, 1.0)
    world["mouse"] = False
    new.update(1.0)
    new.update(1.0)
    assert (selector.position, rest.elapsed) == (1, 2.0)


def test_with_another_option_it_begins_anew(game: Any) -> None:
    world = {"mouse": False}
    fsm = game.build(CAT, world)
    fsm.start()
    fsm.update(1.0)
    new = game.replace("Option(TimedWait(8.0)),", MORE)
    [selector] = new.states["Day"].actions
    new.update(1.0)
    assert (selector.position, selector.children[2].elapsed) == (2, 1.0)
