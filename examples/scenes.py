"""The scenes of a game, with a fade between any two of them.

    fsmkit run examples/scenes.py --seconds 12
    python examples/scenes.py

There is one fade for all changes of scene, not one for each. It asks the machine which event led to
it, so it knows the next scene. Keys pressed during a fade are ignored, because no scene is then the
current state.
"""

from dataclasses import dataclass

from actions import DelegateAction, Sequence, SetValue, Switch, Tween
from fsmkit import FINISHED, Fsm, FsmState

LOGGED_IN, ENTER_SHOP, LEAVE_SHOP, LOG_OUT = (
    "LOGGED_IN",
    "ENTER_SHOP",
    "LEAVE_SHOP",
    "LOG_OUT",
)
SHOW_LOGIN, SHOW_MAIN, SHOW_SHOP = "SHOW_LOGIN", "SHOW_MAIN", "SHOW_SHOP"
LEADS_TO = {
    LOGGED_IN: SHOW_MAIN,
    ENTER_SHOP: SHOW_SHOP,
    LEAVE_SHOP: SHOW_MAIN,
    LOG_OUT: SHOW_LOGIN,
}

PRESSES = [
    (0.5, LOGGED_IN),
    (2.0, LOG_OUT),
    (3.5, ENTER_SHOP),
    (6.5, LEAVE_SHOP),
    (9.0, LOG_OUT),
]
"""The second is too early: the main scene is not there yet."""


@dataclass
class Game:
    brightness: float = 1.0
    wish: str | None = None
    """The event that the fade is to answer."""


def show(state: FsmState[Game]) -> None:
    print(f"    The scene: {state.name}")


def build() -> Fsm[Game]:
    game = Game()
    fsm = Fsm("Scenes", context=game, on_unhandled="ignore")
    login, main, shop = (
        fsm.add_state(name) for name in ("Login", "Main", "Shop")
    )
    fade_out, fade_in = fsm.add_state("FadeOut"), fsm.add_state("FadeIn")

    for scene in (login, main, shop):
        scene.add_action(DelegateAction(show))
    fade_out.add_action(
        SetValue(game, "wish", lambda state: state.fsm.last_event)
    )
    fade_out.add_action(Tween(game, "brightness", None, 0.0, duration=1.0))
    fade_in.add_action(
        Sequence(
            Tween(game, "brightness", None, 1.0, duration=1.0),
            Switch(lambda: game.wish, LEADS_TO),
        )
    )

    login.add_transition(LOGGED_IN, fade_out)
    main.add_transition(ENTER_SHOP, fade_out)
    main.add_transition(LOG_OUT, fade_out)
    shop.add_transition(LEAVE_SHOP, fade_out)
    fade_out.add_transition(FINISHED, fade_in)
    fade_in.add_transition(SHOW_LOGIN, login)
    fade_in.add_transition(SHOW_MAIN, main)
    fade_in.add_transition(SHOW_SHOP, shop)

    for seconds, press in PRESSES:
        fsm.send_event_after(seconds, press)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    while fsm.time < 12.0:
        fsm.update(0.5)
        assert fsm.current_state is not None
        light = "#" * round(20 * fsm.context.brightness)
        print(
            f"{fsm.time:4.1f} s  {fsm.current_state.name:7}  {light}".rstrip()
        )


if __name__ == "__main__":
    main()
