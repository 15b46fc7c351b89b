"""TriggerAnimator: set a trigger of an animation."""

from __future__ import annotations

from typing import Protocol

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.validators import is_text
from fsmkit import FsmAction


class Animator(Protocol):
    """A player of animations that switches between them by triggers."""

    def set_trigger(self, name: str, /) -> object: ...


@define_action
class TriggerAnimator(FsmAction):
    """Call `animator.set_trigger(trigger)`, and finish.

    Raises TypeError if `animator` has no method `set_trigger`.

    >>> from fsmkit import Fsm
    >>> class Puppet:
    ...     def set_trigger(self, name):
    ...         print("animation:", name)
    >>> fsm = Fsm("Hero")
    >>> _ = fsm.add_state("Jump").add_action(TriggerAnimator(Puppet(), "jump"))
    >>> fsm.start()
    animation: jump
    """

    animator: Animator
    trigger: str = field(validator=is_text)

    def __attrs_post_init__(self) -> None:
        if not callable(getattr(self.animator, "set_trigger", None)):
            raise TypeError(
                f"TriggerAnimator: animator must have a method set_trigger(name), "
                f"got {self.animator!r}."
            )

    @property
    def finishes(self) -> Finishes | None:
        return "at once"

    def on_enter(self) -> None:
        self.animator.set_trigger(self.trigger)
        self.finish()
