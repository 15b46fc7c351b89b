"""What the laws of all engines need of one, and machines for them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from fsmkit import Fsm, FsmGroup

Stop = Callable[[], object]


class Rig(Protocol):
    """An engine at work, with as many things as a law asks for."""

    thing_option: str
    """`"sprite"`, `"node"` or `"entity"`: the option of `attach` for a lifetime."""
    left: Any
    right: Any
    """Two keys, as a user of the engine writes them."""
    has_lifetimes: bool
    can_be_written_when_gone: bool
    """True if the engine keeps the place of what it has removed."""
    goes_on_after_errors: bool
    """True if what has raised an error is called again in the next frame."""
    has_mouse: bool
    has_gamepad: bool

    def thing(self, position: Sequence[float]) -> Any:
        """Make a thing about 20 units wide that is drawn and can be touched, at (x, y)."""

    def transform(self, thing: Any) -> Any:
        """Return a transform of it, in two axes."""

    def group(self, *things: Any) -> Any:
        """Return a collection of them, as the engine has it."""

    def kill(self, thing: Any) -> None:
        """Remove a thing from the engine, as its programmer would."""

    def attach(self, machines: Fsm[Any] | FsmGroup, **options: Any) -> Stop:
        """Call `attach`."""

    def send_keys(self, machines: Any, pressed: Mapping[Any, str], **options: Any) -> Stop:
        """Call `send_keys`."""

    def send_collisions(
        self, machines: Any, things: Any, others: Any, event: str, **options: Any
    ) -> Stop:
        """Call `send_collisions`."""

    def send_mouse(self, machines: Any, things: Any, **events: Any) -> Stop:
        """Call `send_mouse`."""

    def press(self, key: Any) -> None:
        """Press a key, through the engine's own events."""

    def release(self, key: Any) -> None:
        """Release it."""

    def lose_focus(self) -> None:
        """Have the window lose the keyboard."""

    def move_axis(self, axis: str, position: float) -> None:
        """Move an axis of the first gamepad, by its name."""

    def press_button(self, button: str) -> None:
        """Press a button of the first gamepad, by its name."""

    def point(self, position: Sequence[float]) -> None:
        """Move the mouse to the place on the screen where a thing at (x, y) is drawn."""

    def click(self) -> None:
        """Press the left button of the mouse, and release it."""

    def press_mouse(self) -> None:
        """Press the left button of the mouse, and hold it."""

    def forget(self) -> None:
        """Drop the functions that stop what was attached and sent, as a game does not keep them."""

    def frames(self, count: int = 1) -> None:
        """Let the engine run so many frames."""


def running(*actions: Any) -> Fsm[None]:
    fsm = Fsm[None]("Any")
    state = fsm.add_state("Only")
    for action in actions:
        state.add_action(action)
    fsm.start()
    return fsm
