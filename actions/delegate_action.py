"""DelegateAction: an action made of plain functions."""

from __future__ import annotations

from attrs import define, field

from actions.parts.finishing import Finishes
from actions.parts.functions import is_function
from actions.parts.parameters import ContextT, Function
from fsmkit import FsmAction


@define(eq=False, repr=False, slots=False)
class DelegateAction(FsmAction[ContextT]):
    """Call `on_enter`, `on_update` and `on_exit`, functions that take the state or nothing.

    Without `on_update` there is nothing to wait for: it finishes on enter. What the functions
    return is ignored. Raises TypeError for other functions, and for async and generator functions.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Ship", context="pew")
    >>> fire = fsm.add_state("Fire")
    >>> fire.add_action(DelegateAction(lambda state: print(state.context)))
    DelegateAction(on_enter=<lambda>)
    >>> fsm.start("Fire")
    pew
    """

    _on_enter: Function[ContextT] | None = field(
        default=None, alias="on_enter", validator=is_function
    )
    _on_update: Function[ContextT] | None = field(
        default=None, alias="on_update", validator=is_function
    )
    _on_exit: Function[ContextT] | None = field(
        default=None, alias="on_exit", validator=is_function
    )

    @property
    def finishes(self) -> Finishes | None:
        return "at once" if self._on_update is None else "never"

    def on_enter(self) -> None:
        if self._on_enter is not None:
            self._on_enter(self.state)  # type: ignore[call-arg]  # takes the state by now
        if self._on_update is None:
            self.finish()

    def on_update(self) -> None:
        if self._on_update is not None:
            self._on_update(self.state)  # type: ignore[call-arg]  # takes the state by now

    def on_exit(self) -> None:
        if self._on_exit is not None:
            self._on_exit(self.state)  # type: ignore[call-arg]  # takes the state by now
