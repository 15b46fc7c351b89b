"""The library of actions by its groups."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Final

from making.names import summary

GROUPS: Final = {
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
        "Questions about the world, wherever a function may be: in `SendEventWhen`, as a guard.",
        ["Sees", "InRange"],
    ),
    "Work elsewhere": (
        "Wait for what a task or a thread does, without holding up the game.",
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
        "One of several actions at a time: the first that may run, or the one that is worth most.",
        ["Selector", "Utility", "Option"],
    ),
    "Machines": (
        "Machines inside states: hierarchy, parallel regions and history.",
        ["RunFsm", "Regions"],
    ),
    "Presentation": (
        "For what a player sees and hears, and for what you want to know while developing.",
        ["Play", "TriggerAnimator", "Log", "Assert"],
    ),
}
"""Group of actions -> its purpose, and its actions. A new action gets its one entry here."""


def faults(actions: Iterable[str]) -> list[str]:
    """Return the faults of `GROUPS`, one sentence each."""
    grouped = [name for _, names in GROUPS.values() for name in names]
    known = set(actions)
    return [
        *(
            f"{name} is in no group of docs/making/library.py."
            for name in sorted(known - set(grouped))
        ),
        *(f"{name} is not (or no longer) an action." for name in grouped if name not in known),
        *(f"{name} is in two groups." for name in sorted(set(grouped)) if grouped.count(name) > 1),
    ]


def overview(_page: Path, _arguments: str) -> str:
    """`actions`: a table of all actions by their groups, with what each of them does.

    A group leads to its page in the gallery, which is whole in the repository, too.
    """
    actions = import_module("actions")
    lines = []
    for title, (_, names) in GROUPS.items():
        page = f"{slug(title)}.md"
        reference = f"[reference](reference/actions_{page})"
        lines.append(f"| **[{title}](gallery/{page})** | {reference} |")
        lines += (f"| `{name}` | {summary(getattr(actions, name))} |" for name in names)
    return "\n".join(["| action | what it does |", "| --- | --- |", *lines])


def directives(_page: Path, group: str) -> str:
    """`action-directives GROUP`: what has Sphinx print the docstrings of a group."""
    actions = import_module("actions")
    purpose, names = next(each for title, each in GROUPS.items() if slug(title) == group)
    kinds = {
        name: "class" if isinstance(getattr(actions, name), type) else "data" for name in names
    }
    lines = "\n\n".join(f".. auto{kind}:: actions.{name}" for name, kind in kinds.items())
    return f"{purpose}\n\n```{{eval-rst}}\n{lines}\n```"


def slug(title: str) -> str:
    """Return a title as part of the name of a file."""
    return title.lower().replace(" ", "_")
