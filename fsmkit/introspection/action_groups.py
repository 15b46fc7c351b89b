"""The groups of the library of actions, as its gallery shows them."""

from __future__ import annotations

from typing import Final

ACTION_GROUPS: Final = {
    "Delegates": (
        "Your own functions as actions, for jobs too small for a class.",
        ["DelegateAction", "Coroutine"],
    ),
    "Time": (
        "Wait, and build your own actions that take time.",
        ["TimedWait", "RandomWait", "WaitFrames", "WaitUntil", "Cooldown", "TimedAction"],
    ),
    "Motion": (
        "Move things from one place to another.",
        [
            "Move",
            "MoveBy",
            "MoveTowards",
            "MoveConstantly",
            "Flee",
            "Wander",
            "SmoothFollow",
            "Shake",
            "FollowWaypoints",
            "PathMode",
            "FollowPath",
            "FollowField",
            "Jump",
        ],
    ),
    "Turning": (
        "Turn things, or make them face something.",
        ["Rotate", "RotateTowards", "RotateConstantly", "LookAt"],
    ),
    "Change over time": (
        "Change a value gradually, along a curve of your choice.",
        ["Tween", "ScaleByDuration", "SetColorByDuration"],
    ),
    "Events": (
        "Handle, ignore, defer and send events: now, later, at random, or when something is true.",
        [
            "OnEvent",
            "IgnoreEvents",
            "Defer",
            "SendEvent",
            "HOST",
            "SendRandomEvent",
            "SequenceEvent",
            "SendEventWhen",
            "Broadcast",
            "Switch",
            "Compare",
            "OnChange",
        ],
    ),
    "Conditions": (
        "Questions about the world, for guards, `SendEventWhen` and other parameters.",
        ["Sees", "InRange"],
    ),
    "Work elsewhere": (
        "Wait for a task or a thread without blocking the game.",
        ["Await", "InThread"],
    ),
    "Values": (
        "Read and write the attributes of the things you control.",
        ["SetValue", "AddValue", "Toggle"],
    ),
    "Composition": (
        "Actions made of actions: in sequence, in parallel, repeatedly, or for a limited time.",
        [
            "Sequence",
            "Parallel",
            "Race",
            "ForEach",
            "Repeat",
            "Retry",
            "Timeout",
            "When",
            "Composite",
        ],
    ),
    "Choosing": (
        "Run one of several actions: the first that may run, or the one with the highest score.",
        ["Selector", "Utility", "Option"],
    ),
    "Machines": (
        "Machines inside states: hierarchy, parallel regions and history.",
        ["RunFsm", "Regions"],
    ),
    "Presentation": (
        "What a player sees and hears, and what you want to know while developing.",
        ["Play", "TriggerAnimator", "Log", "Assert"],
    ),
}
"""Group of actions -> its purpose, and its actions. A new action gets its one entry here."""
