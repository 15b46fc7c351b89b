"""Take the pictures of the inspector: python docs/making/inspector_pictures.py. Needs chromium."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from threading import Thread
from time import sleep
from typing import Any, Literal, NamedTuple

from PIL import Image
from playwright.sync_api import Page

from actions import (
    Cooldown,
    FollowWaypoints,
    Move,
    RandomWait,
    RotateTowards,
    RunFsm,
    SendEvent,
    SendRandomEvent,
    Sequence,
    TimedWait,
)
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.crowd import Crowd
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.inspector import inspect, inspect_recording
from fsmkit.recording import Recording
from fsmkit.space import Transform

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "_static" / "inspector"

sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "docs")]

import town  # noqa: E402  # needs the path
from making.chromium import chromium, playground  # noqa: E402


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


def knight() -> Fsm[Any]:
    """Return the knight of the examples."""
    import knight as example

    fsm = example.build()
    fsm.start()
    return fsm


def flock() -> FsmGroup:
    """Return five wolves; one that hunts calls the next."""
    wolves = [wolf(number, name) for number, name in enumerate(FLOCK, 1)]
    for caller, called in pairwise([*wolves, wolves[0]]):
        caller.states["Hunt"].add_action(SendEvent("SMELL_DEER", to=called))
    return FsmGroup(wolves)


def crowd() -> Any:
    """Return the spectators of the examples, who begin to get hungry."""
    import stadium as example

    people = Crowd(example.build(), 600, start="Arriving", seed=7, engine="python")
    people.world.appetite = 0.02
    return people


def thief() -> GoapAgent[None]:
    """Return a thief who does not get the lock open, and then takes the window."""

    def wait(seconds: float) -> Callable[[], list[Any]]:
        return lambda: [TimedWait(seconds)]

    agent: GoapAgent[None] = GoapAgent(
        "Thief",
        actions=[
            GoapAction("Sneak", 1, {}, {"at_house": True}, run=wait(2.0)),
            GoapAction(
                "PickLock", 1, {"at_house": True}, {"inside": True},
                run=lambda: [SendEvent("FAILED", delay=3.0)],
            ),
            GoapAction("SmashWindow", 4, {"at_house": True}, {"inside": True}, run=wait(0.8)),
            GoapAction("TakeJewels", 1, {"inside": True}, {"rich": True}, run=wait(4.0)),
        ],
        goals=[
            Goal("Hide", {"hidden": True}, 5, wanted=lambda: False),
            Goal("Bribe", {"guard_paid": True}, 3),
            Goal("GetRich", {"rich": True}, 2),
        ],
        sensors={"guard_near": lambda: False, "dark": lambda: True},
        facts={"lamp": True},
        patience=2.0,
    )  # fmt: skip
    agent.start()
    return agent


def village() -> FsmGroup:
    """Return the people of a town, on their way."""
    group = town.build()
    group.start()
    return group


def open_lanes(page: Page) -> None:
    """Show the lanes and the log of all machines."""
    page.locator("#timeline-all").click()
    page.locator("#log-all").click()


def open_sends(page: Page) -> None:
    """Show who sends to whom."""
    page.locator("#sends-show").click()


def open_map(page: Page) -> None:
    """Show where everybody is, and select one of them."""
    page.locator("#map-open").click()
    page.locator("#machines-list").get_by_text("Cora").click()


def open_condition(page: Page) -> None:
    """Begin a breakpoint with a condition."""
    page.locator('#graph-pane [data-state="Hunt"]').click()
    page.locator("#state-menu-more").click()
    page.locator("#breakpoint-form [name=condition]").fill("health < 20")


def open_transition(page: Page) -> None:
    """Open the menu of an arrow."""
    page.locator('#graph-pane .label[data-event="HIT"]').first.click()


def leave_alone(_: Page) -> None:
    """Show the page as it opens."""


class Picture(NamedTuple):
    """What is shown at which second, in which window, after which clicks."""

    build: Callable[[], Any]
    size: tuple[int, int]
    scheme: Literal["light", "dark"]
    seconds: float
    click: Callable[[Page], None] = leave_alone


FLOCK = ("Grey", "White", "Brown", "Lame", "Young")
LARGE, MEDIUM, TALL, PHONE = (1440, 900), (1280, 720), (1280, 960), (390, 844)

PICTURES = {
    "guard": Picture(guard, MEDIUM, "light", 13.0),
    "wolf": Picture(wolf, LARGE, "dark", 17.0),
    "pack": Picture(lambda: pack(200), LARGE, "light", 14.0),
    "pack_dark": Picture(lambda: pack(200), LARGE, "dark", 14.0),
    "phone": Picture(wolf, PHONE, "dark", 9.0),
    "all": Picture(lambda: pack(40), LARGE, "light", 20.0, open_lanes),
    "sends": Picture(flock, MEDIUM, "light", 12.0, open_sends),
    "map": Picture(village, LARGE, "light", 28.0, open_map),
    "crowd": Picture(crowd, MEDIUM, "dark", 30.0),
    "why": Picture(thief, TALL, "light", 8.5),
    "why_dark": Picture(thief, TALL, "dark", 8.5),
    "condition": Picture(wolf, MEDIUM, "light", 3.0, open_condition),
    "transition": Picture(knight, MEDIUM, "light", 7.5, open_transition),
}

COLOURS = 256
DT = 1 / 60
FASTER = 4
"""Times: how fast the game runs for its picture."""


def take(page: Page, picture: Picture, path: Path) -> None:
    """Take one picture."""
    machines = picture.build()
    with inspect(machines, announce=None) as inspector:
        going_on, has_arrived = True, False

        def play() -> None:
            nonlocal has_arrived
            left = round(picture.seconds / DT)
            while going_on:
                machines.update(DT if left > 0 else 0.0)
                left -= 1
                has_arrived = left < 0
                sleep(DT / FASTER)

        game = Thread(target=play, daemon=True)
        page.goto(inspector.url)
        game.start()
        page.locator("#graph-pane .state").first.wait_for()
        picture.click(page)
        while not has_arrived:
            page.wait_for_timeout(100)
        page.wait_for_timeout(1_000)
        page.screenshot(path=path)
        going_on = False
        game.join()


def take_comparison(page: Page, path: Path) -> None:
    """Take the picture of two recordings: in the second one, the wolf is shot at."""
    runs = []
    for is_shot in (False, True):
        beast = wolf()
        with Recording(beast) as run:
            for number in range(1_200):
                beast.update(DT)
                if is_shot and number == 720:
                    beast.send_event("SHOT")
        runs.append(run)
    with inspect_recording(*runs, announce=None) as inspector:
        page.goto(inspector.url)
        page.locator("#difference-next").wait_for()
        page.wait_for_timeout(2_000)
        page.screenshot(path=path)


def take_playground(page: Page, path: Path) -> None:
    """Take the picture of a program that runs without a server, with its code."""
    with playground() as address:
        page.goto(address)
        page.locator("#graph-pane .state.lit").wait_for(timeout=120_000)
        page.wait_for_timeout(5_000)
        page.screenshot(path=path)


def compress(path: Path) -> None:
    """Write a picture with few colours, which nobody sees."""
    with Image.open(path) as image:
        few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


OTHERS = {
    "comparison": take_comparison,
    "playground": take_playground,
    "playground_dark": take_playground,
}


def main() -> None:
    """Take all pictures, or the named ones."""
    with chromium() as browser:
        for name in sys.argv[1:] or [*PICTURES, *OTHERS]:
            picture = PICTURES.get(name)
            width, height = picture.size if picture else MEDIUM
            page = browser.new_page(
                viewport={"width": width, "height": height},
                color_scheme=picture.scheme if picture else "dark" if "dark" in name else "light",
                device_scale_factor=2 if name == "phone" else 1,
            )
            path = FOLDER / f"{name}.png"
            if picture:
                take(page, picture, path)
            else:
                OTHERS[name](page, path)
            page.close()
            compress(path)


if __name__ == "__main__":
    main()
