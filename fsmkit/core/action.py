"""FsmAction: what a state does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias

from fsmkit.core.failing import homeless, note_child
from fsmkit.core.finishing import finish, finish_child
from fsmkit.core.parameters import parameters, remembered, shown
from fsmkit.core.types import ENTER, EXIT, UPDATE, ActionContextT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from fsmkit.core.fsm import Fsm
    from fsmkit.core.state import FsmState


Finishes: TypeAlias = Literal["at once", "in time", "never"]
"""Within `on_enter`; later, but certainly; not before the state is left."""


class _InitSignature:
    """What `inspect.signature` and `help` show of an action: the parameters of its `__init__`.

    Without it they would show those of `__new__`, which takes anything.
    """

    def __get__(self, _action: object, owner: Any) -> object:
        from inspect import Parameter, Signature, signature  # here, as it is slow to import

        if owner.__init__ is object.__init__:
            return Signature()
        parameters = list(signature(owner.__init__).parameters.values())
        return Signature([p for p in parameters[1:] if p.kind is not Parameter.VAR_KEYWORD])


class FsmAction(Generic[ActionContextT]):
    """One thing a state does, from entering it to leaving it.

    Subclass it and override any of `on_enter`, `on_update`, `on_exit` and `on_event`. A subclass
    needs no `super().__init__()`. What is not overridden costs nothing.

    >>> from fsmkit import Fsm, FsmAction
    >>> class Greet(FsmAction):
    ...     def on_enter(self):
    ...         print("hello from", self.state.name)
    >>> fsm = Fsm("Door")
    >>> _ = fsm.add_state("Open").add_action(Greet())
    >>> fsm.start("Open")
    hello from Open
    """

    __slots__ = ("_enabled", "_finished", "_parent", "_under_way", "fsm", "state")

    __signature__ = _InitSignature()

    state: FsmState[ActionContextT]
    """The state it belongs to; None before it is added to one."""

    fsm: Fsm[ActionContextT]
    """The machine it belongs to; None before it is added to a state."""

    finish_event: str | None = None
    """Sent by `finish()`, before the state's own `FINISHED`."""

    _parent: FsmAction[Any] | None
    _enabled: bool
    _finished: bool
    _under_way: bool

    def __new__(cls, *_args: object, **_kwargs: object) -> Self:
        """Prepare what the machine needs, so that a subclass may forget super().__init__()."""
        self = object.__new__(cls)
        self.state = self.fsm = None  # type: ignore[assignment]  # until it is added to a state
        self._parent = None
        self._enabled = True
        self._finished = self._under_way = False
        return self

    # What a subclass overrides

    def on_enter(self) -> None:
        """Called when the state is entered."""

    def on_update(self) -> None:
        """Called in every update of the machine, until the action has finished."""

    def on_exit(self) -> None:
        """Called when the state is left, if `on_enter` was completed."""

    def on_event(self, event: str, data: object) -> bool:  # noqa: ARG002  # for those who override it
        """Called with every event for the machine; True means: consumed, nobody else gets it."""
        return False

    @property
    def sends(self) -> Sequence[str]:
        """The events it may send, beside its `finish_event`; read by checks and pictures."""
        return ()

    @property
    def machines(self) -> Sequence[Fsm[Any]]:
        """The nested machines it runs; read by checks, pictures and the inspector."""
        return tuple(machine for child in self.children for machine in child.machines)

    @property
    def children(self) -> Sequence[FsmAction[Any]]:
        """The actions it runs itself, with `enter_child`, `update_child` and `exit_child`."""
        return ()

    @property
    def finishes(self) -> Finishes | None:
        """When it finishes by itself: `"at once"`, `"in time"` or `"never"`; read by checks.

        None means that it cannot be known before it runs.
        """
        return None

    # What a subclass uses

    @property
    def context(self) -> ActionContextT:
        """The context of the machine."""
        return self._machine().context

    @property
    def delta_time(self) -> float:
        """Seconds that the current update stands for."""
        return self._machine().delta_time

    @property
    def finished(self) -> bool:
        """True from `finish()` until the state is left."""
        return self._finished

    @property
    def enabled(self) -> bool:
        """Whether it takes part in a visit; read when the state is entered."""
        return self._enabled

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self._enabled = enabled
        if self.state is not None:
            self.state._visit = None

    def finish(self) -> None:
        """End this action's part in the visit: no more `on_update`, still `on_exit`.

        Sends `finish_event`, and `FINISHED` if it was the last unfinished action of its state.
        Without effect in `on_exit`, outside a visit and a second time.
        """
        if self._parent is not None:
            finish_child(self)
        elif self.fsm is not None:
            finish(self.fsm, self)

    # What an action uses that runs other actions

    def enter_child(self, child: FsmAction[Any]) -> None:
        """Enter one of `children`. If its `on_enter` raises, it counts as not entered."""
        child._finished = False
        child._under_way = True
        try:
            child.on_enter()
        except BaseException as error:
            child._under_way = False
            note_child(error, child, ENTER)
            raise
        if observers := self.fsm._observers:
            observers.action_entered(child)

    def update_child(self, child: FsmAction[Any]) -> None:
        """Update one of `children` that was entered, unless it has finished."""
        if child._finished:
            return
        try:
            child.on_update()
        except BaseException as error:
            note_child(error, child, UPDATE)
            raise

    def exit_child(self, child: FsmAction[Any]) -> None:
        """Leave one of `children` that was entered. Its `on_exit` may not change the state."""
        fsm = self.fsm
        phase, fsm._phase = fsm._phase, EXIT
        child._under_way = False
        try:
            child.on_exit()
        except BaseException as error:
            note_child(error, child, EXIT)
            raise
        finally:
            fsm._phase = phase
            child._finished = False
            if observers := fsm._observers:
                observers.action_left(child)

    def _fitting(self, state: FsmState[ActionContextT]) -> Self:  # noqa: ARG002  # a type, no code
        """Never called: tells type checkers which states this action fits; see `Fitting`."""
        return self

    def _family(self) -> Sequence[FsmAction[Any]]:
        """This action and all that it runs, directly or not."""
        if not self.children:
            return (self,)
        return (self, *(member for child in self.children for member in child._family()))

    def __repr__(self) -> str:
        values = {**parameters(self), **remembered(self)}
        return f"{type(self).__name__}({', '.join(f'{k}={shown(v)}' for k, v in values.items())})"

    def _machine(self) -> Fsm[ActionContextT]:
        if self.fsm is None:
            raise homeless(self)
        return self.fsm
