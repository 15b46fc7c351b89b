"""What actions remember of their parameters is a copy, which a reload does not take for one."""

from typing import Any

import attrs
import pytest

from actions import (
    FollowWaypoints,
    Move,
    MoveBy,
    MoveConstantly,
    ScaleByDuration,
    SetColorByDuration,
    Shake,
    SmoothFollow,
    Tween,
)
from fsmkit import Fsm, FsmAction
from fsmkit.space import Transform


class Lamp:
    color = (255, 0, 0)
    size = (1.0, 1.0)


ACTIONS = [
    Move(Transform(), (0.0, 0.0), (8.0, 4.0), 2.0),
    MoveBy(Transform(), (8.0, 4.0), 2.0),
    MoveConstantly(Transform(), (4.0, 1.0)),
    ScaleByDuration(Transform(), (1.0, 1.0), (2.0, 2.0), 2.0),
    SetColorByDuration(Lamp(), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), 2.0),
    Tween(Lamp(), "size", (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), 2.0),
    Shake(Transform(), (1.0, 2.0), 2.0),
    SmoothFollow(Transform(), (8.0, 1.0), 2.0, offset=(1.0, 2.0)),
    FollowWaypoints(Transform(), ((8.0, 1.0), (9.0, 1.0)), 2.0),
]


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: type(action).__name__)
def test_it_is_never_the_parameter_itself(action: FsmAction) -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(action)
    fsm.start()
    fsm.update(0.25)
    fields = attrs.fields(type(action))
    given: list[Any] = [getattr(action, each.name) for each in fields if each.init]
    remembered = [getattr(action, each.name) for each in fields if not each.init]
    tuples = [value for value in remembered if isinstance(value, tuple) and value]
    assert tuples
    assert not [value for value in tuples if any(value is each for each in given)]
