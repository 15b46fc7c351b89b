"""No action has slots; see actions/parts/__init__.py."""

import copy
import pickle
from collections.abc import Callable

import pytest
from every import every

import actions
from actions import Parallel, TimedWait
from actions.parts import attributes, composite, conditions, timed_action
from fsmkit import FsmAction

CLASSES = {
    thing
    for module in (actions, attributes, composite, conditions, timed_action)
    for thing in vars(module).values()
    if isinstance(thing, type) and issubclass(thing, FsmAction) and thing is not FsmAction
}


@every("action", sorted(CLASSES, key=str))
def test_no_class_of_the_library_has_slots(action: type[FsmAction]) -> None:
    assert "__slots__" not in vars(action)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda action: pickle.loads(pickle.dumps(action))]
)
def test_a_copy_of_an_action_keeps_what_every_action_has(
    copied: Callable[[FsmAction], FsmAction],
) -> None:
    action = Parallel(TimedWait(1.0), TimedWait(2.0), finish_event="DONE")
    action.children[1].enabled = False
    two = copied(action)
    assert [child.enabled for child in two.children] == [True, False]
    assert (two.finish_event, two.finished, repr(two)) == ("DONE", False, repr(action))
