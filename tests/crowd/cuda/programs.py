"""Programs for crowds on a card: every kind that runs there, and how to fill their columns."""

import math

import numpy as np
from attrs import define, field

from fsmkit import FINISHED
from fsmkit.crowd import (
    Crowd,
    CrowdAction,
    CrowdFsm,
    CrowdGuard,
    Table,
    exponential,
    library,
    normal,
    random,
    spawn,
    uniform,
)


@define
class Npc:
    x: float = 0.0
    y: float = 1.0
    n: int = 3
    m: int = 7
    ok: bool = False
    yes: bool = True


@define
class World:
    player: float = 0.5
    k: int = 2
    on: bool = True
    heights: Table[float] = field(factory=Table)
    steps: Table[int] = field(factory=Table)
    walls: Table[bool] = field(factory=Table)
    row: Table[float] = field(factory=Table)


def see(npc, world):
    npc.x += npc.y * world.dt
    if abs(npc.x - world.player) < 2.0:
        return "SEE"
    return None


def lose(npc, world, own):
    own.seconds += world.dt
    if own.seconds > own.most:
        own.seconds = 0.0
        return "LOSE"
    return None


def light() -> CrowdFsm:
    """Actions, events, parameters and memory."""
    machine = CrowdFsm("Light", Npc, World)
    patrol, chase = machine.add_state("Patrol"), machine.add_state("Chase")
    patrol.add_action(CrowdAction(on_update=see))
    chase.add_action(
        CrowdAction(on_update=lose, memory={"seconds": 0.0}, parameters={"most": 0.25})
    )
    patrol.add_transition("SEE", chase)
    chase.add_transition("LOSE", patrol)
    machine.add_global_transition("HOME", patrol)
    return machine


def height(npc, world):
    if world.walls[npc.n, npc.m]:
        return world.heights[npc.n, npc.m] + world.steps[npc.m, npc.n]
    return -1.5


def pace(npc, world, left):
    row = left * 2.0 + npc.x
    changed = row / npc.y
    return changed if changed < 3.0 else row


def everything(npc, world, own):
    own.calls += 1
    npc.x += pace(npc, world, npc.y) * world.dt
    npc.y = math.sqrt(abs(npc.x)) + math.copysign(npc.y, npc.x) + math.radians(npc.x) * npc.y
    npc.n = (npc.n * 3 - world.k + int(npc.x)) % 11 + (npc.x > 0.0) + (npc.y > 1.0)
    npc.m = abs(npc.m - npc.n) // 2 + math.floor(npc.x) - math.ceil(npc.y) + round(npc.x)
    npc.m += (npc.ok & npc.yes) + (npc.n ^ 3) + math.trunc(math.degrees(npc.y))
    npc.ok = not npc.yes or (npc.x < world.player and world.on)
    npc.yes = math.isfinite(npc.x) and not math.isnan(npc.y) and not math.isinf(npc.y)
    if npc.x % 2.0 < 1.0:
        npc.x = npc.x // 0.3 + npc.x * npc.y - npc.n * npc.x + float(npc.n) / 3.0 + npc.y / -4.0
        return "GO"
    npc.x = min(npc.x, npc.y, 5) + max(npc.n, 2.5)
    if own.calls > 3:
        own.calls = 0
        return "FAR"
    return None


def throw(npc, world):
    npc.x = uniform(npc, -3.0, 3.0) * npc.y + random(npc)
    npc.y = height(npc, world)


def leave(npc, world):
    npc.n = npc.n - 1
    npc.m = npc.m * npc.n


def again(npc, world):
    return "GO"


def is_near(npc, world):
    return npc.x / world.player < 1.0


def heavy() -> CrowdFsm:
    """All arithmetic, guards, tables, random numbers, errors and endless state changes."""
    machine = CrowdFsm("Heavy", Npc, World, max_transitions=6)
    patrol, chase, endless = (machine.add_state(name) for name in ("Patrol", "Chase", "End less"))
    patrol.add_action(CrowdAction(on_update=everything, on_exit=leave, memory={"calls": 0}))
    chase.add_action(CrowdAction(on_enter=throw, on_update=everything, memory={"calls": 2}))
    endless.add_action(CrowdAction(on_enter=again))
    patrol.add_transition("GO", chase, when=CrowdGuard(is_near))
    patrol.add_transition("GO", patrol)
    patrol.add_transition("FAR", endless)
    chase.add_transition("GO", patrol)
    chase.add_transition("FAR", patrol)
    endless.add_transition("GO", endless)
    return machine


def fill(crowd: Crowd) -> None:
    rng = np.random.default_rng(3)
    size, world = len(crowd), crowd.world
    crowd.write("x", rng.uniform(-9.0, 9.0, size))
    crowd.write("y", rng.uniform(-2.0, 2.0, size))
    crowd.write("n", rng.integers(0, 4, size))
    crowd.write("m", rng.integers(-2, 4, size))
    crowd.write("ok", rng.integers(0, 2, size) > 0)
    world.heights = rng.uniform(-1.0, 1.0, (4, 4))
    world.steps = rng.integers(-5, 5, (4, 4)).astype("int16")
    world.walls = rng.integers(0, 2, (4, 4)) > 0


SPEEDS = (0.5, 1.5, -2.0)


def drawn(npc, world):
    return random(npc) * npc.x + SPEEDS[npc.n]


def wander(npc, world):
    for lane in range(2):
        npc.x += lane * world.row[npc.m]
    match npc.n:
        case 1:
            npc.n = 2
        case 2:
            npc.n = npc.id & 3
        case _:
            npc.n = 1
    npc.y += drawn(npc, world) + normal(npc, 0.0, 1.0)
    if npc.n in (1, 3) and world.time > 0.1 and npc.time_in_state > 0.05:
        return "GO"
    return None


def wanderers() -> CrowdFsm:
    """Loops, `match`, rows of tables, draws in helpers; inexact, by `normal`."""
    machine = CrowdFsm("Wanderers", Npc, World)
    out, home = machine.add_state("Out"), machine.add_state("Home")
    out.add_action(CrowdAction(on_update=wander))
    home.add_action(CrowdAction(on_enter=wander, on_update=wander))
    out.add_transition("GO", home)
    home.add_transition("GO", out)
    return machine


def stroll(npc, world):
    for lane in range(2):
        npc.x += lane * world.row[npc.m & 1]
    match npc.n:
        case 1:
            npc.n = 2
        case 2:
            npc.n = npc.id & 3
        case _:
            npc.n = 1
    npc.y += random(npc) * npc.x + SPEEDS[npc.n % 3] + uniform(npc, -1.0, 1.0)
    if npc.n in (1, 3) and world.time > 0.1 and npc.time_in_state > 0.05:
        return "GO"
    return None


def strollers() -> CrowdFsm:
    """The same without inexact functions."""
    machine = CrowdFsm("Strollers", Npc, World)
    out, home = machine.add_state("Out"), machine.add_state("Home")
    out.add_action(CrowdAction(on_update=stroll))
    home.add_action(CrowdAction(on_enter=stroll, on_update=stroll))
    out.add_transition("GO", home)
    home.add_transition("GO", out)
    return machine


def live(npc, world):
    npc.x += random(npc) * npc.y
    if npc.x > 4.0:
        npc.x = 1.0
        spawn(npc, start="Young", x=npc.x / npc.n)
        spawn(npc, n=npc.n + 1)
    return "DIE" if npc.x < -4.0 else None


def grow(npc, world):
    npc.n += 1
    return "GROW" if npc.n > 4 else None


def living() -> CrowdFsm:
    """Births and deaths."""
    machine = CrowdFsm("Living", Npc, World, on_unhandled="ignore")
    old, young = machine.add_state("Old"), machine.add_state("Young")
    dead = machine.add_state("Dead", retire=True)
    old.add_action(CrowdAction(on_update=live))
    young.add_action(CrowdAction(on_enter=live, on_update=grow))
    young.add_transition("GROW", old)
    old.add_transition("DIE", dead)
    return machine


def is_far(npc, world):
    return npc.x > world.player


def travellers() -> CrowdFsm:
    """The library's actions."""
    machine = CrowdFsm("Travellers", Npc, World, on_unhandled="ignore")
    start, walk, tour, rest, drift = (
        machine.add_state(name) for name in ("Start", "Walk", "Tour", "Rest", "Drift")
    )
    start.add_action(library.SendRandomEvent({"WALK": 1.0, "TOUR": 2.0, "REST": 1.0}))
    walk.add_action(library.Move("x", start=None, end=4.0, duration=0.35))
    walk.add_action(library.MoveTowards(("x", "y"), (1.0, "world.player"), 2.5))
    tour.add_action(library.FollowWaypoints(("x", "y"), [(1.0, 0.5), (2.0, -1.0)], 9.0))
    rest.add_action(library.TimedWait(0.15))
    drift.add_action(library.MoveConstantly("x", 2.0))
    drift.add_action(library.SendEventWhen(is_far, "AGAIN"))
    for event, state in (("WALK", walk), ("TOUR", tour), ("REST", rest)):
        start.add_transition(event, state)
    for state in (walk, tour, rest):
        state.add_transition(FINISHED, drift)
    drift.add_transition("AGAIN", start)
    return machine


def divide(npc, world):
    npc.x = npc.x // world.player
    npc.n = npc.n // world.k


def take_rest(npc, world):
    npc.y = npc.y % world.player
    npc.m = npc.m % world.k


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.1, -0.3, 7.5, -7.5, 1e300, 5e-324, math.inf, -math.inf, math.nan]
WHOLE = [0, 1, -1, 3, -3, 7, 2**63 - 1, -(2**63)]


def rests() -> CrowdFsm:
    """Quotients and remainders."""
    machine = CrowdFsm("Rests", Npc, World)
    state = machine.add_state("Once")
    state.add_action(CrowdAction(on_update=divide))
    state.add_action(CrowdAction(on_update=take_rest))
    return machine


@define
class Watcher:
    x: float = 0.0
    y: float = 0.0
    place: int = 0
    near: int = 0
    who: int = 0
    mean: float = 0.0
    gap: float = 0.0
    share: float = 0.0


def watch(agent, world):
    agent.x += (agent.mean - agent.x) * 0.25 * world.dt
    return "FLEE" if agent.near > 3 or agent.gap < 0.05 or agent.share > 0.5 else None


def flee(agent, world):
    agent.y += 3.0 * world.dt
    agent.place = (agent.place + agent.who + 1) % 50
    return "CALM" if agent.near < 2 else None


def watchers() -> CrowdFsm:
    """Neighbours: what `Cells` and `Places` write is read on the card."""
    machine = CrowdFsm("Watchers", Watcher, World)
    watching, fleeing = machine.add_state("Watch"), machine.add_state("Flee")
    watching.add_action(CrowdAction(on_update=watch))
    fleeing.add_action(CrowdAction(on_update=flee))
    watching.add_transition("FLEE", fleeing)
    fleeing.add_transition("CALM", watching)
    return machine


def scatter(crowd: Crowd, size: int) -> None:
    rng = np.random.default_rng(7)
    side = max(2.0, size**0.5)
    crowd.write("x", rng.uniform(0.0, side, size))
    crowd.write("y", rng.uniform(0.0, side, size))
    crowd.write("place", rng.integers(0, 50, size))


def draw(npc, world):
    npc.x += (random(npc) - 0.5) * npc.y * world.dt
    npc.y += npc.x % 3.0 / 7.0


def drawing() -> CrowdFsm:
    """The light machine, in which every agent draws a number and takes a remainder in each step."""
    machine = light()
    for state in machine.states.values():
        state.add_action(CrowdAction(on_update=draw))
    return machine


def sine(npc, world):
    npc.y = math.sin(npc.x)


def cosine(npc, world):
    npc.y = math.cos(npc.x)


def tangent(npc, world):
    npc.y = math.tan(npc.x)


def arc_sine(npc, world):
    npc.y = math.asin(npc.x)


def arc_cosine(npc, world):
    npc.y = math.acos(npc.x)


def arc_tangent(npc, world):
    npc.y = math.atan(npc.x) + math.atan2(npc.x, npc.y)


def growth(npc, world):
    npc.y = math.exp(npc.x)


def logarithm(npc, world):
    npc.y = math.log(npc.x) + math.log2(npc.x) + math.log10(npc.x)


def hyperbolic(npc, world):
    npc.y = math.tanh(npc.x)


def bell(npc, world):
    npc.y = normal(npc, 0.0, 1.0)


def decay(npc, world):
    npc.y = exponential(npc, 2.0)


INEXACT = {
    "sin": sine, "cos": cosine, "tan": tangent, "asin": arc_sine, "acos": arc_cosine,
    "atan, atan2": arc_tangent, "exp": growth, "log, log2, log10": logarithm, "tanh": hyperbolic,
    "normal": bell, "exponential": decay,
}  # fmt: skip
"""Functions that no two libraries round alike -> an action that calls them."""


def once(function) -> CrowdFsm:
    """Return a machine whose only action calls a function."""
    machine = CrowdFsm("Once", Npc, World)
    machine.add_state("Once").add_action(CrowdAction(on_update=function))
    return machine


def inexact() -> CrowdFsm:
    """Return a machine with a state for each of the inexact functions."""
    machine = CrowdFsm("Inexact", Npc, World)
    for name, function in INEXACT.items():
        machine.add_state(name).add_action(CrowdAction(on_update=function))
    return machine
