"""Events that say what their data is (rule 27): mypy and pyright read this, pytest runs it.

Both report an ignore that is not needed, so each one here says that both refuse its line. The codes
are those of mypy. In `add_transition` it names one or the other by what it has checked before.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypeVar, assert_type

import pytest

from actions import (
    HOST,
    Broadcast,
    Defer,
    DelegateAction,
    IgnoreEvents,
    OnEvent,
    RunFsm,
    SendEvent,
    SendEventWhen,
    Sequence,
    TimedWait,
)
from fsmkit import BACK, FINISHED, Event, Fsm, FsmGroup, FsmState


@dataclass
class Damage:
    amount: int


@dataclass
class Burn(Damage):
    heat: int = 1


class Knight:
    health = 10

    def hurt(self, amount: int) -> None:
        self.health -= amount

    def is_alone(self) -> bool:
        return True


HIT = Event[Damage]("HIT")
NOISE = Event[tuple[float, float] | None]("NOISE")
DIED = Event[None]("DIED")
ANYTHING = Event[Any]("ANYTHING")


class Names(StrEnum):
    HIT = "HIT"


def is_deadly(state: FsmState[Knight], hit: Damage) -> bool:
    return hit.amount >= state.context.health


def is_anything(state: FsmState[Knight], data: object) -> bool:
    return bool(data) and state.context.is_alone()


def is_a_word(state: FsmState[Knight], word: str) -> bool:
    return word == state.name


def is_weak(state: FsmState[Knight]) -> bool:
    return state.context.health < 3


def is_hot(state: FsmState[Knight], burn: Burn) -> bool:
    return burn.heat > 3 and state.context.is_alone()


def rolled() -> Damage:
    return Damage(3)


def a_word() -> str:
    return "a lot"


def a_machine() -> Fsm[Knight]:
    fsm = Fsm("Knight", context=Knight(), on_unhandled="ignore")
    fsm.add_state("Fight")
    fsm.start()
    return fsm


# 24 right uses


def test_01_an_event_is_sent_with_its_data() -> None:
    assert_type(a_machine().send_event(HIT, Damage(5)), bool)
    a_machine().send_event(HIT, data=Damage(5))


def test_02_a_subclass_of_the_data_will_do() -> None:
    a_machine().send_event(HIT, Burn(5))


def test_03_an_event_without_data_is_sent_alone() -> None:
    a_machine().send_event(DIED)
    a_machine().send_event(DIED, None)


def test_04_data_that_may_be_none_may_be_left_out() -> None:
    a_machine().send_event(NOISE)
    a_machine().send_event(NOISE, (1.0, 2.0))


def test_05_strings_are_sent_with_anything() -> None:
    fsm, name = a_machine(), "HIT"
    fsm.send_event("HIT")
    fsm.send_event("HIT", "a lot")
    fsm.send_event(name, 3)
    fsm.send_event(f"{name}S", data=Damage(3))
    fsm.send_event(Names.HIT, 3)
    fsm.send_event(FINISHED)
    fsm.send_event(ANYTHING)
    fsm.send_event(ANYTHING, 3)


def test_06_it_is_offered_posted_and_delayed() -> None:
    fsm = a_machine()
    assert_type(fsm.offer_event(HIT, Damage(5)), bool)
    assert_type(fsm.post_event(HIT, Damage(5)), None)
    fsm.send_event_after(3.0, HIT, Damage(5), keep=True).cancel()
    fsm.send_event_after(3.0, DIED).cancel()
    fsm.carry_event(HIT, Damage(5))
    fsm.send_in_time(HIT, Damage(5), 0.1)


def test_07_a_state_sends_it() -> None:
    state = a_machine().states["Fight"]
    assert_type(state.send_event(HIT, Damage(5)), bool)
    state.send_event(DIED)


def test_08_a_group_of_machines_gets_it() -> None:
    assert_type(FsmGroup([a_machine()]).broadcast(HIT, Damage(5)), int)
    FsmGroup().broadcast("HIT", 5)


def test_09_a_lambda_as_a_guard_knows_the_data() -> None:
    fsm = Fsm("Knight", context=Knight())
    fight, hurt = fsm.add_state("Fight"), fsm.add_state("Hurt")
    fight.add_transition(HIT, hurt, when=lambda state, hit: hit.amount > state.context.health)
    fsm.start()
    assert fsm.send_event(HIT, Damage(11))


def test_10_a_lambda_as_an_effect_knows_the_data() -> None:
    fsm = Fsm("Knight", context=Knight())
    fight = fsm.add_state("Fight")
    fight.add_transition(HIT, fight, do=lambda state, hit: state.context.hurt(hit.amount))
    fsm.start()
    fsm.send_event(HIT, Damage(3))
    assert fsm.context.health == 7


def test_11_functions_of_every_number_of_arguments_fit() -> None:
    fight = a_state()
    fight.add_transition(HIT, fight, when=is_deadly, do=is_anything)
    fight = a_state()
    fight.add_transition(HIT, "Fight", when=is_weak, do=is_deadly)
    fight.add_transition(HIT, BACK, when=Knight().is_alone)
    fight.add_transition(HIT, fight, when=lambda state: state.context.is_alone())
    fight.add_transition(NOISE, fight, when=is_anything)


def test_12_global_transitions_know_it_too() -> None:
    fsm = Fsm("Knight", context=Knight())
    fall = fsm.add_state("Fall")
    fsm.add_global_transition(HIT, fall, when=is_deadly, do=lambda state, hit: hit.amount)
    fsm.add_global_transition(DIED, fall, when=lambda state: state.context.is_alone())


def test_13_transitions_of_groups_of_states_know_it_too() -> None:
    fsm = Fsm("Knight", context=Knight())
    alive = fsm.add_group("Alive", fsm.add_state("Fight"), fsm.add_state("Rest"))
    dead = fsm.add_state("Dead")
    alive.add_transition(HIT, dead, when=lambda state, hit: hit.amount > state.context.health)
    alive.add_transition(DIED, dead, do=lambda state: state.context.hurt(3))


def test_14_handlers_know_it() -> None:
    fight = a_state()
    fight.add_action(
        OnEvent(
            HIT,
            lambda state, hit: assert_type(state.context, Knight).hurt(
                assert_type(hit, Damage).amount
            ),
        )
    )
    fight.add_action(OnEvent(HIT, is_deadly))
    fight.add_action(OnEvent(HIT, is_weak))
    assert_type(OnEvent(HIT, is_deadly), OnEvent[Knight])


def test_15_handlers_in_composites_know_it() -> None:
    a_state().add_action(
        Sequence(
            TimedWait(1.0),
            OnEvent(HIT, lambda state, hit: state.context.hurt(hit.amount)),
        )
    )


def test_16_actions_send_it() -> None:
    SendEvent(HIT, Damage(3))
    SendEvent(HIT, rolled, delay=2.0)
    SendEvent(HIT, lambda: Damage(3))
    SendEvent(HIT, lambda state: Damage(len(state.name)))
    SendEvent(DIED)
    SendEvent("HIT", lambda state: state.fsm.event_data)


def test_17_actions_send_it_to_others() -> None:
    SendEvent(HIT, Damage(3), to=HOST)
    SendEvent(DIED, to=a_machine())
    SendEvent(HIT, Burn(3), to=FsmGroup)


def test_18_actions_send_it_on_a_condition() -> None:
    fight = a_state()
    fight.add_action(SendEventWhen(lambda state: state.context.is_alone(), HIT, data=rolled))
    fight.add_action(SendEventWhen(is_weak, DIED, background=True))
    fight.add_action(SendEventWhen(is_weak, "HIT", data=3))


def test_19_actions_send_it_to_all() -> None:
    Broadcast(FsmGroup(), HIT, Damage(3))
    Broadcast(FsmGroup(), DIED)
    Broadcast(FsmGroup(), NOISE, (1.0, 2.0))


def test_20_it_is_deferred_ignored_and_delegated() -> None:
    Defer(HIT, DIED, until=Knight().is_alone)
    IgnoreEvents(HIT, DIED)
    a_state().add_action(DelegateAction(on_event={HIT: is_deadly, DIED: is_weak}))


def test_21_actions_finish_with_it_and_machines_end_with_it() -> None:
    TimedWait(1.0, DIED)
    game = Fsm("Game")
    game.add_state("Lost", final=True)
    RunFsm(game, {"Lost": DIED}, finish_event=NOISE)


def test_22_it_is_a_string() -> None:
    fight = a_state()
    fight.add_transition(HIT, fight, when=is_deadly)
    counts: dict[str, int] = {HIT: 1}
    assert counts["HIT"] == 1
    assert HIT in fight.transitions
    assert HIT.lower() == "hit"
    fight.remove_transition(HIT)


Data = TypeVar("Data")


class Sends(Protocol):
    def send_event(self, event: str, data: object = None) -> bool: ...


def test_23_functions_hand_it_on() -> None:
    def shout(fsm: Fsm[Any], event: Event[Data], data: Data) -> bool:
        return fsm.send_event(event, data)

    def send(fsm: Sends, event: str) -> bool:
        return fsm.send_event(event) or fsm.send_event(event, 3)

    shout(a_machine(), HIT, Damage(3))
    send(a_machine(), HIT)
    press: Callable[[str], object] = a_machine().send_event
    press("HIT")


def test_24_a_machine_that_adds_to_sending_may_take_any_event() -> None:
    class Loud(Fsm[None]):
        def send_event(self, event: Any, data: Any = None) -> bool:
            return super().send_event(event, data)

    Loud("Loud", on_unhandled="ignore").send_event(HIT, Damage(3))


# 24 wrong uses


def test_wrong_01_other_data() -> None:
    a_machine().send_event(HIT, "a lot")  # type: ignore[arg-type]


def test_wrong_02_no_data() -> None:
    a_machine().send_event(HIT)  # type: ignore[arg-type]


def test_wrong_03_none_for_data() -> None:
    a_machine().send_event(HIT, None)  # type: ignore[arg-type]


def test_wrong_04_data_where_there_is_none() -> None:
    a_machine().send_event(DIED, 3)  # type: ignore[misc]


def test_wrong_05_a_misspelt_event() -> None:
    with pytest.raises(NameError):
        a_machine().send_event(HTI, Damage(3))  # type: ignore[name-defined]  # noqa: F821


def test_wrong_06_no_event() -> None:
    with pytest.raises(TypeError):
        a_machine().send_event(3)  # type: ignore[call-overload]


def test_wrong_07_other_data_offered() -> None:
    a_machine().offer_event(HIT, 5)  # type: ignore[arg-type]


def test_wrong_08_other_data_posted() -> None:
    a_machine().post_event(HIT, 5)  # type: ignore[arg-type]


def test_wrong_09_other_data_delayed() -> None:
    a_machine().send_event_after(3.0, HIT, 5)  # type: ignore[arg-type]


def test_wrong_10_no_data_delayed() -> None:
    a_machine().send_event_after(3.0, HIT, keep=True)  # type: ignore[arg-type]


def test_wrong_11_other_data_carried() -> None:
    a_machine().carry_event(HIT, 5)  # type: ignore[arg-type]


def test_wrong_12_other_data_from_a_state() -> None:
    a_machine().states["Fight"].send_event(NOISE, 5)  # type: ignore[misc]


def test_wrong_13_other_data_to_a_group_of_machines() -> None:
    FsmGroup().broadcast(HIT, (1.0, 2.0))  # type: ignore[arg-type]


def test_wrong_14_a_guard_of_other_data() -> None:
    fight = a_state()
    fight.add_transition(HIT, fight, when=is_a_word)  # type: ignore[call-overload, arg-type, unused-ignore]


def test_wrong_15_a_guard_that_wants_more_than_it_gets() -> None:
    fight = a_state()
    fight.add_transition(HIT, fight, when=is_hot)  # type: ignore[call-overload, arg-type, unused-ignore]


def test_wrong_16_what_the_data_does_not_have_in_a_guard() -> None:
    fight = a_state()
    fight.add_transition(HIT, fight, when=lambda state, hit: hit.amont > 3)  # type: ignore[attr-defined]


def test_wrong_17_what_the_data_does_not_have_in_an_effect() -> None:
    fight = a_state()
    fight.fsm.add_global_transition(HIT, fight, do=lambda state, hit: hit.pain())  # type: ignore[attr-defined]


def test_wrong_18_data_of_an_event_without_any() -> None:
    fight = a_state()
    fight.fsm.add_global_transition(DIED, fight, do=is_deadly)  # type: ignore[call-overload, arg-type, misc, unused-ignore]


def test_wrong_19_a_guard_of_other_data_in_a_group_of_states() -> None:
    fight = a_state()
    alive = fight.fsm.add_group("Alive", fight)
    alive.add_transition(HIT, fight, when=is_a_word)  # type: ignore[call-overload, arg-type, unused-ignore]
    alive.add_transition(NOISE, fight, when=lambda state, place: place.x)  # type: ignore[union-attr]


def test_wrong_20_a_handler_of_other_data() -> None:
    fight = a_state()
    fight.add_action(OnEvent(HIT, is_a_word))  # type: ignore[arg-type]
    fight.add_action(OnEvent(HIT, lambda state, hit: hit.amont))  # type: ignore[attr-defined]
    fight.add_action(OnEvent(DIED, is_deadly))  # type: ignore[misc]


def test_wrong_21_an_action_that_sends_other_data() -> None:
    SendEvent(HIT, "a lot")  # type: ignore[arg-type]
    SendEvent(HIT, a_word)  # type: ignore[arg-type]
    SendEvent(HIT, lambda: "a lot")  # type: ignore[arg-type]
    SendEvent(HIT)  # type: ignore[arg-type]
    SendEvent(DIED, 3)  # type: ignore[misc]


def test_wrong_22_an_action_that_sends_other_data_elsewhere() -> None:
    SendEvent(HIT, 3, to=HOST)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        SendEvent(HIT, Damage(3), to="Knight")  # type: ignore[call-overload]
    Broadcast(FsmGroup(), HIT, 3)  # type: ignore[arg-type]
    Broadcast(FsmGroup(), HIT)  # type: ignore[arg-type]


def test_wrong_23_an_action_that_sends_other_data_on_a_condition() -> None:
    SendEventWhen(is_weak, HIT, data=3)  # type: ignore[arg-type]
    SendEventWhen(is_weak, HIT)  # type: ignore[arg-type]


def test_wrong_24_an_outcome_that_is_no_event_and_an_event_that_has_no_name() -> None:
    with pytest.raises(TypeError):
        RunFsm(Fsm("Game"), {"Won": Event})  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        Event[Damage](3)  # type: ignore[arg-type]


def a_state() -> FsmState[Knight]:
    return Fsm("Knight", context=Knight()).add_state("Fight")
