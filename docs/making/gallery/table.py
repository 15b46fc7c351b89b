"""What cannot be read from the code: the name in Playmaker, and the scene that shows an action."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attrs import frozen
from making.gallery.scenes import (
    change,
    choosing,
    composition,
    conditions,
    delegates,
    elsewhere,
    events,
    machines,
    motion,
    presentation,
    turning,
    values,
    waiting,
)
from making.gallery.strip import Strip


@frozen
class Entry:
    """The scene of an action, and what Playmaker calls it."""

    scene: Callable[[], Strip]
    playmaker: tuple[str, ...] = ()

    def __init__(self, scene: Callable[[], Strip], *playmaker: str) -> None:
        self.__attrs_init__(scene, playmaker)


TABLE: Final = {
    "DelegateAction": Entry(
        delegates.delegate_action, "Call Method", "Invoke Method", "Send Message"
    ),
    "Coroutine": Entry(delegates.coroutine, "Start Coroutine"),
    "TimedWait": Entry(waiting.timed_wait, "Wait"),
    "RandomWait": Entry(waiting.random_wait, "Random Wait"),
    "WaitFrames": Entry(waiting.wait_frames, "Next Frame Event"),
    "WaitUntil": Entry(waiting.wait_until),
    "Cooldown": Entry(waiting.cooldown),
    "TimedAction": Entry(waiting.timed_action),
    "Move": Entry(motion.move, "Tween Position", "iTween Move To", "iTween Move From"),
    "MoveBy": Entry(motion.move_by, "iTween Move By", "iTween Move Add"),
    "MoveTowards": Entry(motion.move_towards, "Move Towards"),
    "MoveConstantly": Entry(motion.move_constantly, "Translate"),
    "Flee": Entry(motion.flee),
    "Wander": Entry(motion.wander),
    "SmoothFollow": Entry(motion.smooth_follow, "Smooth Follow Action"),
    "Shake": Entry(motion.shake, "iTween Shake Position", "iTween Punch Position", "Tween Punch"),
    "FollowWaypoints": Entry(motion.follow_waypoints),
    "PathMode": Entry(motion.path_mode),
    "FollowPath": Entry(motion.follow_path),
    "FollowField": Entry(motion.follow_field),
    "Jump": Entry(motion.jump),
    "Rotate": Entry(turning.rotate, "Tween Rotation", "iTween Rotate To", "iTween Rotate From"),
    "RotateTowards": Entry(turning.rotate_towards, "Smooth Look At"),
    "RotateConstantly": Entry(turning.rotate_constantly, "Rotate"),
    "LookAt": Entry(turning.look_at, "Look At", "iTween Look To"),
    "Tween": Entry(change.tween, "Tween Float", "Ease Float", "Ease Vector3", "Animate Float"),
    "ScaleByDuration": Entry(
        change.scale_by_duration, "Tween Scale", "iTween Scale To", "iTween Scale From"
    ),
    "SetColorByDuration": Entry(change.set_color_by_duration, "Tween Color", "Ease Color"),
    "OnEvent": Entry(events.on_event),
    "IgnoreEvents": Entry(events.ignore_events, "Block Events"),
    "Defer": Entry(events.defer),
    "SendEvent": Entry(events.send_event, "Send Event", "Send Event By Name", "Send Event To Fsm"),
    "HOST": Entry(events.host, "Host FSM"),
    "SendRandomEvent": Entry(events.send_random_event, "Send Random Event", "Random Event"),
    "SequenceEvent": Entry(events.sequence_event, "Sequence Event"),
    "SendEventWhen": Entry(
        events.send_event_when, "Bool Test", "Bool All True", "Bool Any True", "Fsm State Test"
    ),
    "Broadcast": Entry(events.broadcast, "Broadcast Event"),
    "Switch": Entry(
        events.switch,
        "Int Switch",
        "Float Switch",
        "String Switch",
        "Enum Switch",
        "Fsm State Switch",
    ),
    "Compare": Entry(
        events.compare, "Float Compare", "Int Compare", "String Compare", "Enum Compare"
    ),
    "OnChange": Entry(
        events.on_change, "Float Changed", "Int Changed", "Bool Changed", "String Changed"
    ),
    "Sees": Entry(conditions.sees, "Raycast"),
    "InRange": Entry(conditions.in_range, "Get Distance"),
    "Await": Entry(elsewhere.await_),
    "InThread": Entry(elsewhere.in_thread),
    "SetValue": Entry(
        values.set_value,
        "Set Property",
        "Set Bool Value",
        "Set Float Value",
        "Set Int Value",
        "Set String Value",
        "Set Position",
    ),
    "AddValue": Entry(values.add_value, "Float Add", "Float Subtract", "Int Add"),
    "Toggle": Entry(values.toggle, "Bool Flip"),
    "Sequence": Entry(composition.sequence),
    "Parallel": Entry(composition.parallel),
    "Race": Entry(composition.race),
    "ForEach": Entry(composition.for_each, "Array For Each"),
    "Repeat": Entry(composition.repeat),
    "Retry": Entry(composition.retry),
    "Timeout": Entry(composition.timeout),
    "When": Entry(composition.when),
    "Composite": Entry(composition.composite),
    "Selector": Entry(choosing.selector),
    "Utility": Entry(choosing.utility),
    "Option": Entry(choosing.option),
    "RunFsm": Entry(machines.run_fsm, "Run FSM"),
    "Regions": Entry(machines.regions),
    "Play": Entry(presentation.play, "Audio Play", "Play Sound", "Play Random Sound"),
    "TriggerAnimator": Entry(presentation.trigger_animator, "Set Animator Trigger"),
    "Log": Entry(presentation.log, "Debug Log"),
    "Assert": Entry(presentation.assert_, "Assert"),
}
"""Every action."""
