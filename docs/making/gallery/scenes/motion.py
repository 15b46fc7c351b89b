from random import Random

from making.gallery.courses import circle, courses, moving, square
from making.gallery.curves import curves
from making.gallery.strip import Strip

from actions import (
    Flee,
    FollowField,
    FollowPath,
    FollowWaypoints,
    Jump,
    Move,
    MoveBy,
    MoveConstantly,
    MoveTowards,
    PathMode,
    Shake,
    SmoothFollow,
    Wander,
)
from fsmkit import FINISHED, Fsm
from fsmkit.pathfinding import Grid
from fsmkit.space import Transform


def move() -> Strip:
    cart = Transform((0.0, 0.0))
    fsm = Fsm("Cart")
    roll = fsm.add_state("Roll")
    roll.add_action(Move(cart, None, (8.0, 2.0), duration=3.0))
    return courses(fsm, 3.0, cart=cart)


def move_by() -> Strip:
    pawn = Transform((3.0, 1.0))
    fsm = Fsm("Pawn")
    step, wait = fsm.add_state("Step"), fsm.add_state("Wait")
    step.add_action(MoveBy(pawn, (2.0, 0.5), duration=1.0))
    step.add_transition(FINISHED, wait)
    wait.add_transition("NEXT", step)
    return courses(
        fsm,
        3.0,
        every=0.25,
        pawn=pawn,
        targets={"first": (5.0, 1.5), "second": (7.0, 2.0)},
        at={1.5: "NEXT"},
    )


def move_towards() -> Strip:
    cat, mouse = Transform((0.0, 0.0)), Transform((2.0, 3.0))
    fsm = Fsm("Cat")
    hunt = fsm.add_state("Hunt")
    hunt.add_action(MoveTowards(cat, mouse, speed=3.5))
    return courses(
        fsm, 3.0, cat=cat, mouse=mouse, others=[moving(mouse, 2.4, -0.4)]
    )


def move_constantly() -> Strip:
    runner = Transform((0.0, 0.0))
    fsm = Fsm("Runner")
    run = fsm.add_state("Run")
    run.add_action(MoveConstantly(runner, velocity=(4.0, 1.0)))
    return courses(fsm, 3.0, runner=runner)


def flee() -> Strip:
    mouse, cat = Transform((1.0, 0.8)), Transform((-2.0, 0.0))
    fsm = Fsm("Mouse")
    run = fsm.add_state("Run")
    run.add_action(Flee(mouse, cat, speed=3.0, distance=4.5))
    return courses(fsm, 3.0, mouse=mouse, cat=cat, others=[moving(cat, 2.0, -0.3)])


def wander() -> Strip:
    hen = Transform((0.0, 0.0))
    fsm = Fsm("Hen")
    peck = fsm.add_state("Peck")
    peck.add_action(Wander(hen, 1.0, Random(7), radius=3.0))
    return courses(
        fsm, 30.0, every=5.0, each=15, shapes=[circle((0.0, 0.0), 3.0)], hen=hen
    )


def smooth_follow() -> Strip:
    camera, hero = Transform((0.0, 3.0)), Transform((0.0, 0.0))
    fsm = Fsm("Camera")
    follow = fsm.add_state("Follow")
    follow.add_action(SmoothFollow(camera, hero, smoothing=3.0))
    return courses(
        fsm,
        2.5,
        every=0.25,
        camera=camera,
        hero=hero,
        others=[moving(hero, 4.0, 0.0)],
    )


def shake() -> Strip:
    camera = Transform((0.0, 0.0))
    fsm = Fsm("Camera")
    hit = fsm.add_state("Hit")
    hit.add_action(Shake(camera, (0.0, 8.0), duration=1.0))
    return curves(
        fsm,
        1.4,
        lambda: camera.position[1],
        (-8.0, 8.0),
        name="height",
        kind=Shake,
        each=1,
    )


def follow_waypoints() -> Strip:
    guard = Transform((0.0, 0.0))
    corners = [(4.0, 3.0), (8.0, 3.0), (10.0, 0.0)]
    fsm = Fsm("Guard")
    patrol = fsm.add_state("Patrol")
    patrol.add_action(FollowWaypoints(guard, corners, speed=4.0))
    return courses(
        fsm,
        5.5,
        guard=guard,
        targets={f"{i}": place for i, place in enumerate(corners)},
    )


def path_mode() -> Strip:
    corners = [(0.0, 0.0), (4.0, 0.0), (2.0, 3.0)]
    fsm = Fsm("Guards")
    patrol = fsm.add_state("Patrol")
    for mode in PathMode:
        guard = Transform((0.0, 0.0))
        patrol.add_action(FollowWaypoints(guard, corners, 2.0, mode=mode))
    return curves(
        fsm,
        10.0,
        {
            action.mode.name: lambda action=action: min(action.next_index, 2)
            for action in patrol.actions
        },
        (0.0, 2.0),
        bands=True,
        each=1,
    )


def follow_path() -> Strip:
    courier = Transform((0.0, 0.0))
    path = [(3.0, 0.0), (4.0, 2.0), (8.0, 2.0)]
    fsm = Fsm("Courier")
    go = fsm.add_state("Go")
    go.add_action(FollowPath(courier, path, speed=2.5))
    return courses(fsm, 4.0, courier=courier, targets={"": path[-1]})


def follow_field() -> Strip:
    tiles = Grid(["......", ".####.", "......"], neighbours=4)
    field = tiles.field([(5, 1)])
    sheep, lamb = Transform((0.0, 1.0)), Transform((1.0, 0.0))
    fsm = Fsm("Sheep")
    home = fsm.add_state("Go home")
    home.add_action(FollowField(sheep, field, speed=2.0))
    home.add_action(FollowField(lamb, field, speed=1.5))
    return courses(
        fsm,
        4.0,
        sheep=sheep,
        lamb=lamb,
        shapes=[square((float(x), 1.0)) for x in range(1, 5)],
        targets={"": (5.0, 1.0)},
    )


def jump() -> Strip:
    runner = Transform((0.0, 0.0))
    fsm = Fsm("Runner")
    leap = fsm.add_state("Leap")
    leap.add_action(MoveConstantly(runner, (5.0, 0.0)))
    leap.add_action(Jump(runner, height=2.0, duration=1.0))
    return courses(fsm, 1.0, every=0.125, runner=runner)
