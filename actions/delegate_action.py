"""DelegateAction: an action made of plain functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from attrs import define, field

from actions.parts.finishing import Finishes
from actions.parts.parameters import ContextT
from actions.parts.validators import is_callable
from fsmkit import FsmAction, FsmState

Routine: TypeAlias = Callable[[FsmState[ContextT]], object]


@define(eq=False, repr=False, slots=False)
class DelegateAction(FsmAction[ContextT]):
    """Call `on_enter`, `on_update` and `on_exit`, each with the state as its argument.

    Without `on_update` there is nothing to wait for: it finishes on enter. What the functions
    return is ignored.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Ship", context="pew")
    >>> fire = fsm.add_state("Fire")
    >>> fire.add_action(DelegateAction(lambda state: print(state.context)))
    DelegateAction(on_enter=<lambda>)
    >>> fsm.start("Fire")
    pew
    """

    _on_enter: Routine[ContextT] | None = field(
        default=None, alias="on_enter", validator=is_callable
    )
    _on_update: Routine[ContextT] | None = field(
        default=None, alias="on_update", validator=is_callable
    )
    _on_exit: Routine[ContextT] | None = field(default=None, alias="on_exit", validator=is_callable)

    @property
    def finishes(self) -> Finishes | None:
        return "at once" if self._on_update is None else "never"

    def on_enter(self) -> None:
        if self._on_enter is not None:
            self._on_enter(self.state)
        if self._on_update is None:
            self.finish()

    def on_update(self) -> None:
        if self._on_update is not None:
            self._on_update(self.state)

    def on_exit(self) -> None:
        if self._on_exit is not None:
            self._on_exit(self.state)
