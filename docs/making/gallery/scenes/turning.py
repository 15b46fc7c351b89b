from making.gallery.courses import courses, moving
from making.gallery.curves import curves
from making.gallery.strip import Strip

from actions import LookAt, Rotate, RotateConstantly, RotateTowards
from fsmkit import Fsm
from fsmkit.space import Transform


def rotate() -> Strip:
    door = Transform(rotation=0.0)
    fsm = Fsm("Door")
    opening = fsm.add_state("Opening")
    opening.add_action(Rotate(door, None, 80.0, duration=2.0))
    return turned(fsm, 2.5, door, (0.0, 80.0), Rotate)


def rotate_towards() -> Strip:
    turret = Transform((0.0, 0.0))
    fsm = Fsm("Turret")
    aim = fsm.add_state("Aim")
    aim.add_action(RotateTowards(turret, (0.0, 5.0), speed=60.0))
    return turned(fsm, 2.0, turret, (0.0, 90.0), RotateTowards)


def rotate_constantly() -> Strip:
    coin = Transform(rotation=0.0)
    fsm = Fsm("Coin")
    spin = fsm.add_state("Spin")
    spin.add_action(RotateConstantly(coin, speed=180.0))
    return turned(fsm, 2.0, coin, (0.0, 180.0, 360.0), RotateConstantly)


def look_at() -> Strip:
    eye, fly = Transform((0.0, 0.0)), Transform((-4.0, 2.0))
    fsm = Fsm("Eye")
    watch = fsm.add_state("Watch")
    watch.add_action(LookAt(eye, fly))
    return courses(
        fsm,
        4.0,
        every=1.0,
        facing=True,
        eye=eye,
        fly=fly,
        others=[moving(fly, 2.0, 0.0)],
    )


def turned(
    fsm: Fsm, seconds: float, thing: Transform, marks: tuple[float, ...], kind: type
) -> Strip:
    """Return the curve of an angle, with arrows along it."""

    def angle() -> float:
        return thing.rotation

    return curves(
        fsm,
        seconds,
        angle,
        marks,
        name="rotation",
        unit="°",
        heading=angle,
        kind=kind,
    )
