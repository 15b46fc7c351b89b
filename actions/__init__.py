"""The action library of fsmkit: ready-made actions for states.

An action is imported when it is first asked for. Easing functions for `easing=` are in
`actions.easing`; `define_action`, which defines a class of actions of your own as those here, is in
`actions.definition`.
"""

import re
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from actions.add_value import AddValue
    from actions.assertion import Assert
    from actions.awaiting import Await
    from actions.broadcast import Broadcast
    from actions.compare import Compare
    from actions.cooldown import Cooldown
    from actions.coroutine import Coroutine
    from actions.defer import Defer
    from actions.delegate_action import DelegateAction
    from actions.flee import Flee
    from actions.follow_field import FollowField
    from actions.follow_path import FollowPath
    from actions.follow_waypoints import FollowWaypoints, PathMode
    from actions.for_each import ForEach
    from actions.ignore_events import IgnoreEvents
    from actions.in_range import InRange
    from actions.in_thread import InThread
    from actions.jump import Jump
    from actions.log import Log
    from actions.look_at import LookAt
    from actions.move import Move
    from actions.move_by import MoveBy
    from actions.move_constantly import MoveConstantly
    from actions.move_towards import MoveTowards
    from actions.on_change import OnChange
    from actions.on_event import OnEvent
    from actions.option import Option
    from actions.parallel import Parallel
    from actions.parts.composite import Composite
    from actions.parts.timed_action import TimedAction
    from actions.play import Play
    from actions.race import Race
    from actions.random_wait import RandomWait
    from actions.regions import Regions
    from actions.repeat import Repeat
    from actions.retry import Retry
    from actions.rotate import Rotate
    from actions.rotate_constantly import RotateConstantly
    from actions.rotate_towards import RotateTowards
    from actions.run_fsm import RunFsm
    from actions.scale_by_duration import ScaleByDuration
    from actions.sees import Sees
    from actions.selector import Selector
    from actions.send_event import HOST, SendEvent
    from actions.send_event_when import SendEventWhen
    from actions.send_random_event import SendRandomEvent
    from actions.sequence import Sequence
    from actions.sequence_event import SequenceEvent
    from actions.set_color_by_duration import SetColorByDuration
    from actions.set_value import SetValue
    from actions.shake import Shake
    from actions.smooth_follow import SmoothFollow
    from actions.switch import Switch
    from actions.timed_wait import TimedWait
    from actions.timeout import Timeout
    from actions.toggle import Toggle
    from actions.trigger_animator import TriggerAnimator
    from actions.tween import Tween
    from actions.utility import Utility
    from actions.wait_frames import WaitFrames
    from actions.wait_until import WaitUntil
    from actions.wander import Wander
    from actions.when import When

__all__ = [
    "HOST",
    "AddValue",
    "Assert",
    "Await",
    "Broadcast",
    "Compare",
    "Composite",
    "Cooldown",
    "Coroutine",
    "Defer",
    "DelegateAction",
    "Flee",
    "FollowField",
    "FollowPath",
    "FollowWaypoints",
    "ForEach",
    "IgnoreEvents",
    "InRange",
    "InThread",
    "Jump",
    "Log",
    "LookAt",
    "Move",
    "MoveBy",
    "MoveConstantly",
    "MoveTowards",
    "OnChange",
    "OnEvent",
    "Option",
    "Parallel",
    "PathMode",
    "Play",
    "Race",
    "RandomWait",
    "Regions",
    "Repeat",
    "Retry",
    "Rotate",
    "RotateConstantly",
    "RotateTowards",
    "RunFsm",
    "ScaleByDuration",
    "Sees",
    "Selector",
    "SendEvent",
    "SendEventWhen",
    "SendRandomEvent",
    "Sequence",
    "SequenceEvent",
    "SetColorByDuration",
    "SetValue",
    "Shake",
    "SmoothFollow",
    "Switch",
    "TimedAction",
    "TimedWait",
    "Timeout",
    "Toggle",
    "TriggerAnimator",
    "Tween",
    "Utility",
    "WaitFrames",
    "WaitUntil",
    "Wander",
    "When",
]


MODULES: Final = {
    "HOST": "send_event",
    "Assert": "assertion",
    "Await": "awaiting",
    "Composite": "parts.composite",
    "PathMode": "follow_waypoints",
    "TimedAction": "parts.timed_action",
}
"""The modules of names that are not called after their module: `MoveBy` is in `move_by`."""


def __getattr__(name: str) -> object:
    if name == "easing":
        return import_module("actions.easing")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = MODULES.get(name) or re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    value = globals()[name] = getattr(import_module(f"actions.{module}"), name)
    return value


def __dir__() -> list[str]:
    """List the public names; the modules that define them are left out."""
    return __all__
