"""Polling: the base of actions that look at something on enter, or in every update as well."""

from __future__ import annotations

from attrs import define, field

from actions.parts.finishing import Finishes
from actions.parts.parameters import ContextT
from actions.parts.validators import is_flag
from fsmkit import FsmAction


@define(eq=False, repr=False, slots=False)
class Polling(FsmAction[ContextT]):
    """Look at something on enter, then finish.

    With `every_update` it does not finish but looks again in every update; in the `background` it
    does not hold the state's `FINISHED` back either. A subclass overrides `look`.
    """

    every_update: bool = field(default=False, kw_only=True, validator=is_flag)
    background: bool = field(default=False, kw_only=True, validator=is_flag)

    @property
    def finishes(self) -> Finishes | None:
        return "never" if self.every_update else "at once"

    def look(self) -> None:
        """See how things are, and act on it."""
        raise NotImplementedError

    def on_enter(self) -> None:
        self.look()
        if not self.every_update:
            self.finish()

    def on_update(self) -> None:
        self.look()
