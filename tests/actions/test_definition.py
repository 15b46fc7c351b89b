"""`define_action`: how classes of actions are defined, in the library and in a game."""

import copy
from typing import Any

import attrs
import pytest
from attrs import field

import actions
from actions.definition import define_action
from fsmkit import Fsm, FsmAction


def _is_short(action: object, attribute: attrs.Attribute, value: int) -> None:
    if value > 9:
        raise ValueError(f"to must be at most 9, got {value!r}")


@define_action
class Count(FsmAction):
    to: int = field(validator=_is_short)
    done: int = field(default=0, init=False)

    def on_enter(self) -> None:
        self.done = 0

    def on_update(self) -> None:
        self.done += 1
        if self.done == self.to:
            self.finish()


@define_action(init=False)
class CountDown(Count):
    """A class with a constructor of its own."""

    def __init__(self, *, start: int) -> None:
        self.__attrs_init__(start)


def entered(action: Count) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(action)
    fsm.start()
    return fsm


@pytest.mark.parametrize("action", [Count(3), CountDown(start=3)], ids=["its own", "another"])
def test_it_has_parameters_and_a_memory_which_tools_see(action: Count) -> None:
    fsm = entered(action)
    fsm.update(0.1)
    assert repr(action) == f"{type(action).__name__}(to=3, done=1)"
    assert [each.name for each in attrs.fields(type(action)) if each.init] == ["to"]


def test_actions_with_the_same_parameters_are_two() -> None:
    assert Count(3) != Count(3)
    assert len({Count(3), Count(3)}) == 2


def test_a_copy_goes_on_as_the_original_would() -> None:
    fsm = entered(Count(2))
    fsm.update(0.1)
    twin = copy.deepcopy(fsm)
    twin.update(0.1)
    assert twin.states["A"].actions[0].finished
    assert not fsm.states["A"].actions[0].finished


def test_validators_run_in_the_constructor_and_no_write_pays_for_them() -> None:
    with pytest.raises(ValueError, match="at most 9"):
        Count(10)
    count = Count(3)
    count.to = 10
    assert count.to == 10
    assert type(count).__setattr__ is object.__setattr__


def test_a_class_below_one_of_attrs_loses_its_hook() -> None:
    @attrs.define(eq=False, repr=False, slots=False)
    class Old(FsmAction):
        to: int = field(validator=_is_short)

    @define_action
    class New(Old):
        pass

    assert Old.__setattr__ is not object.__setattr__
    assert New.__setattr__ is object.__setattr__
    with pytest.raises(ValueError, match="at most 9"):
        New(10)


HOOKED = {"WaitUntil"}
"""It checks a predicate that is set later."""


def test_no_write_to_an_action_of_the_library_has_a_hook() -> None:
    kinds: list[Any] = [getattr(actions, name) for name in actions.__all__]
    hooked = {
        kind.__name__
        for kind in kinds
        if isinstance(kind, type)
        and issubclass(kind, FsmAction)
        and kind.__setattr__ is not object.__setattr__
    }
    assert hooked == HOOKED
