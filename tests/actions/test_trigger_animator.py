"""TriggerAnimator: set a trigger of an animation."""

import pytest

from actions.trigger_animator import TriggerAnimator
from fsmkit import FINISHED, Fsm


class Puppet:
    def __init__(self) -> None:
        self.triggers: list[str] = []

    def set_trigger(self, name: str) -> None:
        self.triggers.append(name)


def test_each_enter_sets_the_trigger_once_and_finishes() -> None:
    puppet = Puppet()
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(TriggerAnimator(puppet, "jump"))
    a.add_transition(FINISHED, b)
    b.add_transition("AGAIN", a)
    fsm.start()
    assert (puppet.triggers, fsm.current_state) == (["jump"], b)
    fsm.send_event("AGAIN")
    assert puppet.triggers == ["jump", "jump"]


def test_an_animator_has_the_method() -> None:
    with pytest.raises(TypeError, match=r"animator must have a method set_trigger\(name\), got 3"):
        TriggerAnimator(3, "jump")  # type: ignore[arg-type]
