"""An action of the library in a machine, and its twin: the same written by hand.

The machine has two states. In "Work" the action is at work, in "Rest" nothing is; the event GO
leads from one to the other, and HIT is for actions that handle an event. A twin is a class of its
own, with `if`/`elif` on the state and everything inlined, made from texts: classes that shared
their methods would share CPython's inline caches.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from math import atan2, cos, degrees, expm1, hypot, pi, remainder, sin, sqrt, tau
from random import Random
from textwrap import dedent, indent
from typing import Any, Final, TypeAlias

from actions.easing import ease_in_out_sine
from fsmkit import FsmAction
from fsmkit.pathfinding import Grid

LONG: Final = 1e6
"""Seconds that an action takes which is at work."""

TWIN: Final = """
class Twin:
    __slots__ = SLOTS
    def __init__(self, thing, d):
        self.thing = thing
        self.d = d
        self.time = 0.0
        <setup>
        self.state = "Rest"
    def send_event(self, event, data=None):
        if self.state == "Work":
            if event == "GO":
                <leave>
                self.state = "Rest"
                return True
            <event>
        elif self.state == "Rest":
            if event == "GO":
                self.state = "Work"
                <enter>
                return True
        return False
    def update(self, dt):
        self.time += dt
        if self.state == "Work":
            <update>
"""
TIMED: Final = """
self.t += dt
if self.t >= self.d - 1e-9:
{}
    FINISH
else:
    s = self.t / self.d
{}
"""
FIELD: Final = Grid(["." * 200, "#" * 199 + ".", "." * 200]).field([(0, 2)])
SILENT: Final = logging.getLogger("silent")
SILENT.setLevel(logging.ERROR)


class Pool:
    """An executor whose work is never done."""

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        return Future()


POOL: Final = Pool()


def add(thing: Bag) -> None:
    thing.value += 1.0


def forever(state: object) -> Iterator[None]:
    while True:
        yield


def once(state: object) -> Iterator[None]:
    yield


FUNCTIONS: Final = (
    *(atan2, cos, degrees, expm1, hypot, remainder, sin, sqrt),
    *(Random, ease_in_out_sine, once, forever, add),
)
NAMES: Final[dict[str, Any]] = {each.__name__: each for each in FUNCTIONS} | {
    "asyncio": asyncio,
    "pi": pi,
    "tau": tau,
    "FIELD": FIELD,
    "POOL": POOL,
    "SILENT": SILENT,
}
"""What the texts may use."""


class Bag:
    """A thing with attributes of its own."""

    def __init__(self) -> None:
        self.value = 10.0
        self.lit = False
        self.color = (255, 255, 0)
        self.count = 0

    def play(self) -> None:
        self.count += 1

    def set_trigger(self, name: str) -> None:
        self.count += 1


Make: TypeAlias = Callable[[Any, float], FsmAction[Any] | tuple[FsmAction[Any], ...]]
"""Makes an action, or several, for a thing; it gets the seconds that one is to take."""


@dataclass(frozen=True, eq=False)
class Case:
    """One action, and the texts of its twin by name: `setup`, `enter`, `update`, `leave`, `event`.

    In `update`, FINISH stands for what happens when it has finished: `leave`, and `enter` again.
    """

    name: str
    make: Make
    thing: Callable[[], Any]
    texts: Mapping[str, str]

    @property
    def ends_on_enter(self) -> bool:
        """Whether the action finishes as soon as it is entered."""
        return "ends on enter" in self.texts

    @property
    def kinds(self) -> list[str]:
        """Return what is measured of it."""
        has = {
            "update": "update" in self.texts,
            "event": "event" in self.texts,
            "visit": True,
            "finish": self.ends_on_enter or "FINISH" in self.texts.get("update", ""),
        }
        without = self.texts.get("without", "").split(", ")
        return [kind for kind, is_measured in has.items() if is_measured and kind not in without]


def read_cases(
    actions: Mapping[str, Make], twins: str, thing: Callable[[], Any]
) -> dict[str, Case]:
    """Read the texts of twins: a name, below it `setup: ...`, and so on, each further in.

    `each` and `last` are an `update` that lasts for `self.d` seconds: what is done with the
    progress `s`, and what at the end.
    """
    found = {}
    for paragraph in re.split(r"\n(?=\S)", twins.strip()):
        name, *parts = re.split(r"\n  (?=\S)", paragraph)
        texts = {}
        for part in parts:
            names, _, text = part.partition(":")
            words = [names] if names == "ends on enter" else names.split(", ")
            texts |= dict.fromkeys(words, dedent(text.strip(" ")).strip("\n"))
        if "each" in texts:
            texts["update"] = TIMED.format(
                *(indent(texts[word], "    ") for word in ("last", "each"))
            )
        found[name] = Case(name, actions[name], thing, texts)
    return found


@cache
def twin_class(case: Case, *, ends: bool) -> Callable[[Any, float], Any]:
    """Write the class that does by hand what the machine of a case does."""
    texts = {
        word: case.texts.get(word, "") for word in ("setup", "enter", "update", "leave", "event")
    }
    again = "\n".join(filter(None, [texts["leave"], texts["enter"]])) or "pass"
    texts["update"] = re.sub(
        r"^( *)FINISH$", lambda found: indent(again, found[1]), texts["update"], flags=re.MULTILINE
    )
    if ends and case.ends_on_enter:
        texts["enter"] = "\n".join([texts["enter"], texts["leave"], "self.state = 'Rest'"])
    code = re.sub(
        r"^( *)<(\w+)>$",
        lambda found: indent(texts[found[2]] or "pass", found[1]),
        TWIN,
        flags=re.MULTILINE,
    )
    slots = set(re.findall(r"self\.(\w+)\b(?!\()", code)) - {"send_event", "update"}
    space = dict(NAMES)
    exec(
        compile(code.replace("SLOTS", repr(tuple(slots))), f"<{case.name} by hand>", "exec"), space
    )
    twin: Callable[[Any, float], Any] = space["Twin"]
    return twin
