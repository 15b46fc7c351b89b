"""Which actions fit which machine: mypy and pyright read this, pytest runs it.

Both report an ignore that is not needed, so each one here says that both refuse its line.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

import collections.abc
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, assert_type

from attrs import define

from actions import (
    Composite,
    DelegateAction,
    ForEach,
    OnEvent,
    Parallel,
    Race,
    Repeat,
    Retry,
    RunFsm,
    Sequence,
    TimedWait,
    Timeout,
    When,
)
from actions.parts.composite import ActionList
from fsmkit import Fsm, FsmAction, FsmState


@dataclass
class Unit:
    hp: int = 3


@dataclass
class Boss(Unit):
    phase: int = 1


class HasHp(Protocol):
    hp: int


class HasPhase(Protocol):
    @property
    def phase(self) -> int: ...


class Charge(FsmAction[Unit]):
    def on_update(self) -> None:
        assert_type(self.context, Unit).hp += 1


class Bleed(FsmAction[HasHp]):
    def on_update(self) -> None:
        assert_type(self.context, HasHp).hp -= 1


class Rage(FsmAction[HasPhase]):
    def on_update(self) -> None:
        assert_type(self.context.phase, int)


class Enrage(FsmAction[Boss]):
    def on_update(self) -> None:
        assert_type(self.state, FsmState[Boss]).context.phase += 1


class Anywhere(FsmAction):
    """Asks for no certain context."""


class Everywhere(FsmAction[object]):
    """Is content with every context."""


class Unless(FsmAction[Unit | None]):
    """Does without a context too."""


@define(eq=False, slots=False)
class Hit(FsmAction[Unit]):
    damage: int


@dataclass(eq=False)
class Heal(FsmAction[HasHp]):
    share: float = 1.0


UnitT = TypeVar("UnitT", bound=Unit)
AnyT = TypeVar("AnyT")
AnyT_contra = TypeVar("AnyT_contra", contravariant=True)


class Watch(FsmAction[UnitT]):
    """A generic class of a user."""

    def on_enter(self) -> None:
        self.context.hp += 1


class Call(FsmAction[AnyT_contra]):
    def __init__(self, function: collections.abc.Callable[[AnyT_contra], object]) -> None:
        self.function = function

    def on_enter(self) -> None:
        self.function(self.context)


class Twice(Composite[AnyT]):
    """A composite of a user."""

    def __init__(self, action: FsmAction[AnyT]) -> None:
        self.action = action

    @property
    def children(self) -> collections.abc.Sequence[FsmAction[AnyT]]:
        return (self.action,)


class Both(ActionList[AnyT]):
    pass


class Holder(FsmAction[AnyT], Generic[AnyT]):
    def __init__(self, *actions: FsmAction[AnyT]) -> None:
        self.held = actions


class UnitSequence(Sequence[Unit]):
    pass


def a_boss() -> FsmState[Boss]:
    return Fsm("Boss", context=Boss()).add_state("Fight")


def a_unit() -> FsmState[Unit]:
    return Fsm("Unit", context=Unit()).add_state("Fight")


def a_word() -> FsmState[str]:
    return Fsm("Word", context="no unit").add_state("Fight")


def nothing() -> FsmState[None]:
    return Fsm("Lamp").add_state("On")


def test_an_action_for_a_base_class_or_a_protocol_fits() -> None:
    state = a_boss()
    assert_type(state.add_action(Charge()), Charge)
    assert_type(state.add_action(Bleed()), Bleed)
    assert_type(state.add_action(Rage()), Rage)
    assert_type(state.add_action(Enrage()), Enrage)
    assert_type(state.add_action(Hit(3)), Hit)
    assert_type(state.add_action(Heal(0.5)), Heal)
    state.fsm.start()
    state.fsm.update(0.1)
    assert (state.context.hp, state.context.phase) == (3, 2)


def test_it_does_not_fit_a_context_that_has_less() -> None:
    unit, word, lamp = a_unit(), a_word(), nothing()
    unit.add_action(Enrage())  # type: ignore[arg-type]
    unit.add_action(Rage())  # type: ignore[arg-type]
    word.add_action(Charge())  # type: ignore[arg-type]
    word.add_action(Bleed())  # type: ignore[arg-type]
    word.add_action(Hit(3))  # type: ignore[arg-type]
    word.add_action(Heal())  # type: ignore[arg-type]
    lamp.add_action(Charge())  # type: ignore[arg-type]
    lamp.add_action(Bleed())  # type: ignore[arg-type]


def test_an_action_for_any_context_fits_every_machine() -> None:
    assert_type(a_word().add_action(Anywhere()), Anywhere)
    assert_type(nothing().add_action(Anywhere()), Anywhere)
    assert_type(nothing().add_action(Everywhere()), Everywhere)
    assert_type(a_boss().add_action(Everywhere()), Everywhere)
    assert_type(nothing().add_action(Unless()), Unless)
    assert_type(a_boss().add_action(Unless()), Unless)
    a_word().add_action(Unless())  # type: ignore[arg-type]


def test_composites_fit_by_what_is_in_them() -> None:
    state = a_boss()
    assert_type(state.add_action(Sequence(Bleed(), TimedWait(1.0))).finished, bool)
    state.add_action(Sequence(Charge(), TimedWait(1.0)))
    state.add_action(Sequence(TimedWait(1.0), Charge()))
    state.add_action(Sequence(Charge(), Bleed(), Rage(), Enrage(), Anywhere(), Hit(1)))
    state.add_action(Parallel(Charge(), Sequence(Bleed(), Race(Rage(), TimedWait(1.0)))))
    state.add_action(Retry(Sequence(Charge(), Rage()), 3))
    state.add_action(Repeat(Timeout(Parallel(Rage(), Charge()), 3.0), 2))
    state.add_action(When(lambda state: state.context.phase > 1, Charge()))
    state.add_action(ForEach([1, 2], lambda _: Charge()))
    nothing().add_action(Sequence(TimedWait(1.0), Parallel(Anywhere(), TimedWait(1.0))))


def test_composites_of_actions_that_do_not_fit_are_refused() -> None:
    word = a_word()
    word.add_action(Sequence(Charge(), TimedWait(1.0)))  # type: ignore[arg-type]
    word.add_action(Sequence(TimedWait(1.0), Charge()))  # type: ignore[arg-type]
    word.add_action(Sequence(Charge(), Anywhere()))  # type: ignore[arg-type]
    word.add_action(Sequence(Anywhere(), Bleed(), Anywhere()))  # type: ignore[arg-type]
    word.add_action(Parallel(Bleed(), TimedWait(1.0), needed=1))  # type: ignore[arg-type]
    word.add_action(Race(Hit(1), TimedWait(1.0)))  # type: ignore[arg-type]
    word.add_action(Sequence(TimedWait(1.0), Sequence(Heal(), Anywhere())))  # type: ignore[arg-type]
    word.add_action(Retry(Sequence(Charge(), Anywhere()), 3))  # type: ignore[arg-type]
    word.add_action(Repeat(Timeout(Charge(), 3.0), 2))  # type: ignore[arg-type]
    word.add_action(When(lambda _: True, Charge()))  # type: ignore[arg-type]
    nothing().add_action(Sequence(Charge(), TimedWait(1.0)))  # type: ignore[arg-type]
    a_unit().add_action(Sequence(Charge(), Enrage(), Anywhere()))  # type: ignore[arg-type]


def test_a_composite_that_is_made_before_fits_too() -> None:
    charge, both = Sequence(Charge(), TimedWait(1.0)), Sequence(Charge(), Bleed())
    assert_type(charge, Sequence[Unit])
    assert_type(both, Sequence[Unit])
    assert_type(Sequence(TimedWait(1.0)), Sequence[Any])
    chosen: Sequence[Boss] = Sequence(Bleed(), Rage(), TimedWait(1.0))
    state = a_boss()
    assert_type(state.add_action(charge), Sequence[Unit])
    assert_type(state.add_action(Sequence(both, TimedWait(1.0))).finished, bool)
    assert_type(state.add_action(chosen), Sequence[Boss])
    a_word().add_action(Sequence(Charge(), TimedWait(1.0)))  # type: ignore[arg-type]
    a_word().add_action(Sequence[Unit](Charge()))  # type: ignore[arg-type]


def test_a_lambda_beside_an_action_for_a_base_class_knows_the_whole_context() -> None:
    state = a_boss()
    state.add_action(DelegateAction(lambda state: assert_type(state.context, Boss).phase))
    state.add_action(
        Sequence(
            Charge(),
            Anywhere(),
            Parallel(Bleed(), DelegateAction(lambda state: assert_type(state.context, Boss).hp)),
            DelegateAction(lambda state: assert_type(state.context, Boss).phase),
            OnEvent("HIT", lambda state, _: assert_type(state.context, Boss).phase),
        )
    )
    state.add_action(
        Retry(Sequence(DelegateAction(lambda state: assert_type(state.context, Boss).phase)), 3)
    )
    nothing().add_action(
        Sequence(Anywhere(), DelegateAction(lambda state: assert_type(state.context, None)))
    )
    Fsm("Dict", {"a": 1}).add_state("A").add_action(
        Sequence(Anywhere(), DelegateAction(lambda s: assert_type(s.context, dict[str, int])["a"]))
    )
    alone: FsmAction[Boss] = Sequence(
        Charge(), DelegateAction(lambda state: assert_type(state.context, Boss).phase)
    )
    state.add_action(alone)
    UnitSequence(Charge(), DelegateAction(lambda state: assert_type(state.context, Unit).hp))
    a_unit().add_action(DelegateAction(lambda state: state.context.phase))  # type: ignore[attr-defined]
    a_unit().add_action(Sequence(DelegateAction(lambda s: s.context.phase)))  # type: ignore[attr-defined]


def test_generic_classes_of_users_fit_by_their_parameter() -> None:
    state = a_boss()
    assert_type(state.add_action(Watch[Unit]()), Watch[Unit])
    assert_type(state.add_action(Watch[Boss]()), Watch[Boss])
    state.add_action(Call(lambda boss: assert_type(boss, Boss).phase))
    state.add_action(Sequence(Watch[Unit](), Call(lambda boss: assert_type(boss, Boss).hp)))
    state.add_action(UnitSequence(Charge(), Bleed(), TimedWait(1.0)))
    a_unit().add_action(Watch[Boss]())  # type: ignore[arg-type]
    a_unit().add_action(Sequence(Watch[Boss](), TimedWait(1.0)))  # type: ignore[arg-type]
    a_word().add_action(UnitSequence(TimedWait(1.0)))  # type: ignore[arg-type]


def test_composites_of_users_fit_by_what_is_in_them() -> None:
    state = a_boss()
    state.add_action(Twice(Charge()))
    state.add_action(Twice(Sequence(Charge(), Twice(Rage()))))
    state.add_action(Both(Charge(), Rage(), TimedWait(1.0)))
    state.add_action(Holder(Charge(), Rage(), DelegateAction(lambda s: s.context.phase)))
    a_word().add_action(Twice(Charge()))  # type: ignore[arg-type]
    a_word().add_action(Both(Charge(), TimedWait(1.0)))  # type: ignore[arg-type]
    a_word().add_action(Holder(TimedWait(1.0), Charge()))  # type: ignore[arg-type]


def test_an_action_for_a_base_class_is_one_for_more() -> None:
    state = a_boss()
    for_a_boss: FsmAction[Boss] = Charge()
    some: list[FsmAction[Boss]] = [Charge(), Bleed(), Rage(), Enrage(), TimedWait(1.0)]
    whatever: FsmAction[Any] = Enrage()
    for action in some:
        assert_type(state.add_action(action), FsmAction[Boss])
    actions: collections.abc.Sequence[FsmAction[Any]] = state.actions
    for action in actions:
        state.remove_action(action)
    state.add_action(for_a_boss)
    state.add_action(Sequence(*some))
    state.add_action(whatever)
    state.remove_action(whatever)
    charge = state.add_action(Charge())
    state.remove_action(charge)
    less: FsmAction[Unit] = Enrage()  # type: ignore[assignment]
    a_unit().add_action(less)


def test_a_nested_machine_has_a_context_of_its_own() -> None:
    inner = Fsm("Legs", context=Unit())
    inner.add_state("Walk").add_action(Charge())
    assert_type(a_word().add_action(RunFsm(inner)), RunFsm)
    a_boss().add_action(Sequence(Charge(), RunFsm(Fsm("Arms", context="two"))))
