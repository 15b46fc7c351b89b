"""The parts of the pages that are generated from the code, and a check that none is missing."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.logging import getLogger

GROUPS = {
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

MODULES = (
    "fsmkit",
    "fsmkit.space",
    "fsmkit.timing",
    "fsmkit.sound",
    "fsmkit.testing",
    "fsmkit.diagram",
    "fsmkit.checking",
    "fsmkit.recording",
    "fsmkit.pathfinding",
    "fsmkit.goap",
    "fsmkit.classic",
    "fsmkit.inspector",
    "fsmkit.crowd",
    "fsmkit.crowd.library",
    "actions.easing",
)
"""The modules whose public names must be documented in the reference."""

EXAMPLES: Final = Path(__file__).parents[1] / "examples"


def faults(actions: Iterable[str]) -> list[str]:
    """Return the faults of `GROUPS`, one sentence each."""
    grouped = [name for _, names in GROUPS.values() for name in names]
    known = set(actions)
    return [
        *(f"{name} is in no group of docs/catalogue.py." for name in sorted(known - set(grouped))),
        *(f"{name} is not (or no longer) an action." for name in grouped if name not in known),
        *(f"{name} is in two groups." for name in sorted(set(grouped)) if grouped.count(name) > 1),
    ]


def every_action() -> str:
    """Return the catalogue of the library in Markdown, made from the docstrings."""
    actions = import_module("actions")
    if found := faults(actions.__all__):
        raise ExtensionError("\n".join(found))
    groups = {title: group for title, group in GROUPS.items() if group[1]}
    overview = [row for title, (_, names) in groups.items() for row in rows(title, names, actions)]
    table = ["| action | what it does |", "| --- | --- |", *overview]
    sections = [section(title, *group) for title, group in groups.items()]
    return "\n".join([*table, "", *sections])


def rows(title: str, names: list[str], actions: Any) -> list[str]:
    """Return the lines of the overview for one group."""
    anchor = title.lower().replace(" ", "-")
    return [
        f"| **[{title}](#{anchor})** | |",
        *(
            f"| {{py:obj}}`~actions.{name}` | {first_line(getattr(actions, name))} |"
            for name in names
        ),
    ]


def first_line(thing: object) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def section(title: str, purpose: str, names: list[str]) -> str:
    """Return the section of one group: its purpose, then the docstring of each action."""
    actions = import_module("actions")
    kinds = {
        name: "class" if isinstance(getattr(actions, name), type) else "data" for name in names
    }
    directives = "\n\n".join(f".. auto{kind}:: actions.{name}" for name, kind in kinds.items())
    return f"## {title}\n\n{purpose}\n\n```{{eval-rst}}\n{directives}\n```\n"


class SourceText:
    """A part of a signature, shown as it is written in the source."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("[ContextT]", "")

    def __repr__(self) -> str:
        return self.text


def constructor(
    _app: Sphinx, what: str, _name: str, thing: Any, _options: object, given: str, _returns: str
) -> tuple[str, str] | None:
    """Return the signature of a class from its `__init__`; none if the page asks for `Name()`."""
    if what != "class":
        return None
    if given == "()" or not inspect.isfunction(thing.__init__):
        return "", ""
    signature = inspect.signature(thing.__init__)
    _self, *parameters = (as_written(parameter) for parameter in signature.parameters.values())
    return str(inspect.Signature(parameters)), ""


def as_written(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return `parameter` with its annotation unquoted and an enum default by its name."""
    if isinstance(parameter.annotation, str):
        parameter = parameter.replace(annotation=SourceText(parameter.annotation))
    if isinstance(parameter.default, Enum):
        parameter = parameter.replace(default=SourceText(str(parameter.default)))
    return parameter


def fill_in(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Replace the comments that ask for a part generated from the code."""
    text = source[0]
    if "<!-- every action -->" in text:
        text = text.replace("<!-- every action -->", every_action())
    text = re.sub(r"<!-- docstring of (\S+) -->", lambda found: docstring(found[1]), text)
    text = re.sub(r"<!-- example (\S+) -->", lambda found: example(found[1]), text)
    source[0] = re.sub(r"<!-- help of fsmkit (\S+) -->", lambda found: help_of(found[1]), text)


def docstring(module: str) -> str:
    """Return the docstring of a module, which is Markdown."""
    return inspect.getdoc(import_module(module)) or ""


def example(name: str) -> str:
    """Return the docstring of an example, its picture, and the function that builds its machine."""
    module = ast.parse((EXAMPLES / f"{name}.py").read_text("utf-8"))
    pictures = [
        f"```{{image}} _static/diagrams/{name}{file}.svg\n:alt: {name}\n:class: {look}\n```"
        for file, look in (("_actions", "only-light"), ("_actions_dark", "only-dark"))
    ]
    code = f"```{{literalinclude}} ../examples/{name}.py\n:language: python\n:pyobject: build\n```"
    story = ast.get_docstring(module) or ""
    return "\n\n".join([f"### `examples/{name}.py`", story, *pictures, code])


def help_of(command: str) -> str:
    """Return what `fsmkit COMMAND --help` prints, as a block."""
    done = subprocess.run(
        [sys.executable, "-m", "fsmkit", command, "--help"],
        env={**os.environ, "COLUMNS": "84"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise ExtensionError(f"fsmkit {command} --help failed: {done.stderr}")
    return f"```console\n$ fsmkit {command} --help\n{done.stdout}```"


def check_complete(_app: Sphinx, env: BuildEnvironment) -> None:
    """Warn about each public name that no page documents; with -W the build fails."""
    documented = env.get_domain("py").objects  # type: ignore[attr-defined]  # it is the Python one
    for module in MODULES:
        for name in public_names(module):
            if not any(f"{place}.{name}" in documented for place in MODULES):
                getLogger(__name__).warning(
                    "%s.%s must be in docs/reference.md, but is missing", module, name
                )


def public_names(module: str) -> list[str]:
    """Return the names in `__all__`, or else those that the module itself defines."""
    contents = vars(import_module(module))
    own = [
        name
        for name, thing in contents.items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module
    ]
    return list(contents.get("__all__", own))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.connect("source-read", fill_in)
    app.connect("autodoc-process-signature", constructor)
    app.connect("env-check-consistency", check_complete)
    return {"parallel_read_safe": True}
