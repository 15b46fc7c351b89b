"""What a condition remembers is kept when the program is changed while it runs."""

from typing import Any

from fsmkit.space import Transform
from fsmkit.space.hysteresis import holding

GUARD = """
    from actions import InRange, SendEventWhen
    from fsmkit import Fsm
    from fsmkit.polled import not_

    def build(hero):
        near = InRange((0.0, 0.0), hero, 3.0, until=6.0)
        fsm = Fsm("Guard")
        closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
        closed.add_action(SendEventWhen(near, "OPEN"))
        opened.add_action(SendEventWhen(not_(near), "CLOSE"))
        closed.add_transition("OPEN", opened)
        opened.add_transition("CLOSE", closed)
        return fsm
"""


def test_a_condition_keeps_its_memory_when_its_numbers_change(game: Any) -> None:
    hero = Transform((2.0, 0.0))
    game.build(GUARD, hero).start()
    hero.position = (5.0, 0.0)
    game.frame(0.1)
    fsm = game.replace("until=6.0", "until=8.0")
    hero.position = (7.0, 0.0)
    game.frame(0.1)
    assert (game.machines is fsm, fsm.current_state.name) == (True, "Open")
    hero.position = (8.5, 0.0)
    game.frame(0.1)
    assert fsm.current_state.name == "Closed"


def test_a_condition_that_is_gone_is_released(game: Any) -> None:
    hero = Transform((2.0, 0.0))
    game.build(GUARD, hero).start()
    fsm = game.replace("not_(near)", "lambda: True").current_state.fsm
    game.replace("SendEventWhen(near", "SendEventWhen(lambda: False")
    fsm = game.frame(0.1)
    assert (fsm.current_state.name, holding(fsm)) == ("Closed", [])
