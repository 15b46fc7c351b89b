from types import SimpleNamespace

from making.gallery.curves import curves
from making.gallery.strip import Strip

from actions import ScaleByDuration, SetColorByDuration, Tween
from actions.easing import ease_out_bounce
from fsmkit import Fsm
from fsmkit.space import Transform


def tween() -> Strip:
    sound = {"volume": 1.0}
    fsm = Fsm("Music")
    fade = fsm.add_state("Fade")
    fade.add_action(Tween(sound, "volume", None, 0.0, duration=2.0))
    return curves(fsm, 2.5, lambda: sound["volume"], name="volume", kind=Tween)


def scale_by_duration() -> Strip:
    balloon = Transform(scale=1.0)
    fsm = Fsm("Balloon")
    blow = fsm.add_state("Blow")
    grow = ScaleByDuration(balloon, None, 3.0, duration=2.0, easing=ease_out_bounce)
    blow.add_action(grow)
    return curves(
        fsm,
        2.5,
        lambda: balloon.scale,
        (1.0, 3.0),
        name="scale",
        kind=ScaleByDuration,
    )


def set_color_by_duration() -> Strip:
    lamp = SimpleNamespace(color=(255, 200, 0))
    fsm = Fsm("Lamp")
    dim = fsm.add_state("Dim")
    dim.add_action(SetColorByDuration(lamp, None, (40, 0, 120), duration=3.0))
    return curves(
        fsm,
        3.5,
        lambda: 0.0,
        name="color",
        colour=lambda: lamp.color,
        kind=SetColorByDuration,
    )
