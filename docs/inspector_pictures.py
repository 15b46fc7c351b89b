"""Take the pictures of the inspector: python docs/inspector_pictures.py. Needs chromium."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Thread
from time import sleep
from typing import Any

from playwright.sync_api import Page, sync_playwright

from actions import (
    Cooldown,
    FollowWaypoints,
    Move,
    RandomWait,
    RotateTowards,
    RunFsm,
    SendRandomEvent,
    Sequence,
    TimedWait,
)
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.inspector import inspect
from fsmkit.space import Transform

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "_static" / "inspector"

sys.path.insert(0, str(ROOT / "examples"))


class Wolf:
    """A wolf."""

    def __init__(self, number: int) -> None:
        self.health = 100 - number % 40
        self.hunger = 0.25 + number % 7 / 10
        self.body = Transform((float(number % 20), float(number // 20)))
        self.pack = "grey" if number % 3 else "white"


def wolf(number: int = 1, name: str = "Wolf") -> Fsm[Wolf]:
    """Return a wolf that roams, hunts and fights; the fight is a nested machine."""
    rng = Random(number)
    beast = Wolf(number)
    fight: Fsm[Wolf] = Fsm("Fight", context=beast)
    circle, strike, dodge = (fight.add_state(state) for state in ("Circle", "Strike", "Dodge"))
    circle.add_action(RandomWait(0.6, 1.4, rng=rng))
    circle.add_action(FollowWaypoints(beast.body, [(0, 0), (2, 0), (2, 2)], speed=2.0))
    strike.add_action(Move(beast.body, None, (3.0, 3.0), duration=0.5))
    dodge.add_action(TimedWait(0.4))
    circle.add_transition("NEAR", strike)
    circle.add_transition("HIT", dodge)
    strike.add_transition(FINISHED, circle)
    dodge.add_transition(FINISHED, circle)
    circle.add_action(
        Sequence(RandomWait(0.5, 1.2, rng=rng), SendRandomEvent({"NEAR": 3, "HIT": 2}, rng=rng))
    )

    fsm: Fsm[Wolf] = Fsm(name, context=beast, on_unhandled="ignore")
    roam, hunt, fighting, sleep_ = (
        fsm.add_state(state) for state in ("Roam", "Hunt", "Fighting", "Sleep")
    )
    roam.add_action(FollowWaypoints(beast.body, [(0, 0), (9, 0), (9, 6), (0, 6)], speed=3.0))
    roam.add_action(Cooldown("HOWL", 2.0))
    roam.add_action(
        Sequence(
            RandomWait(1.5, 4.0, rng=rng),
            SendRandomEvent({"SMELL_DEER": 3, "TIRED": 1}, rng=rng),
        )
    )
    hunt.add_action(RotateTowards(beast.body, (9.0, 6.0), speed=90.0))
    hunt.add_action(Move(beast.body, None, (9.0, 6.0), duration=2.2, finish_event="CAUGHT_UP"))
    fighting.add_action(RunFsm(fight))
    fighting.add_action(TimedWait(6.0, finish_event="WON"))
    sleep_.add_action(TimedWait(3.0))
    roam.add_transition("SMELL_DEER", hunt)
    roam.add_transition("TIRED", sleep_)
    hunt.add_transition("CAUGHT_UP", fighting)
    fighting.add_transition("WON", sleep_)
    sleep_.add_transition(FINISHED, roam)
    fsm.add_global_transition("SHOT", roam)
    fsm.start()
    return fsm


def pack(count: int) -> FsmGroup:
    """Return a group of wolves."""
    return FsmGroup(wolf(number, f"Wolf {number:03}") for number in range(1, count + 1))


def guard() -> Fsm[Any]:
    """Return the guard of the examples."""
    import guard as example

    fsm = example.build()
    fsm.start()
    return fsm


PICTURES: dict[str, tuple[Callable[[], Any], tuple[int, int], str, float]] = {
    "guard": (guard, (1280, 720), "light", 13.0),
    "wolf": (wolf, (1440, 900), "dark", 17.0),
    "pack": (lambda: pack(200), (1440, 900), "light", 14.0),
    "pack_dark": (lambda: pack(200), (1440, 900), "dark", 14.0),
    "phone": (wolf, (390, 844), "dark", 9.0),
}
"""Name -> the machines, the window size, light or dark, and the second to show."""


def take(page: Page, name: str) -> None:
    """Take one picture."""
    build, _, _, seconds = PICTURES[name]
    machines = build()
    with inspect(machines, announce=None) as inspector:
        going_on = True

        def play() -> None:
            while going_on:
                machines.update(1 / 60)
                sleep(1 / 60)

        game = Thread(target=play)
        game.start()
        page.goto(inspector.url)
        page.wait_for_timeout(seconds * 1000)
        page.screenshot(path=FOLDER / f"{name}.png")
        going_on = False
        game.join()


def main() -> None:
    """Take all pictures, or the named ones."""
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name in sys.argv[1:] or PICTURES:
            _, (width, height), scheme, _ = PICTURES[name]
            page = chromium.new_page(
                viewport={"width": width, "height": height},
                color_scheme=scheme,  # type: ignore[arg-type]
                device_scale_factor=2 if name == "phone" else 1,
            )
            take(page, name)
            page.close()


if __name__ == "__main__":
    main()
