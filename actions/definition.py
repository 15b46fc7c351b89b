"""How a class of actions is defined: its parameters and its memory are fields of attrs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["define_action"]

if TYPE_CHECKING:
    # A `dataclass_transform` of our own would be understood too, but mypy mixes no fields of such a
    # class with those of a class of attrs, and a game may have defined its actions with `define`.
    from attrs import define as define_action
else:
    from attrs import define
    from attrs.setters import NO_OP

    def define_action(kind: type | None = None, /, *, init: bool = True) -> Any:
        """Define a class of actions with attrs: what it annotates become its fields.

        The fields are its parameters, which the constructor takes, and with
        `attrs.field(init=False)` its memory of a visit. With `init=False` the class has an
        `__init__` of its own, which calls `self.__attrs_init__`.

        Actions with equal parameters are not equal, the `repr` is that of `FsmAction`, which shows
        parameters and memory, and copies keep all that belongs to an action. Validators run in the
        constructor only: writing to a field costs no more than to any other attribute.

        >>> from attrs import field
        >>> from fsmkit import FsmAction
        >>> @define_action
        ... class Count(FsmAction):
        ...     to: int
        ...     done: int = field(default=0, init=False)
        ...
        ...     def on_enter(self) -> None:
        ...         self.done = 0
        ...
        ...     def on_update(self) -> None:
        ...         self.done += 1
        ...         if self.done == self.to:
        ...             self.finish()
        >>> Count(3)
        Count(to=3)
        """
        # With slots, attrs would add a `__getstate__` that knows only the fields: a copy would lose
        # what `FsmAction` stores. NO_OP, as a hook on writes takes 320 ns a write instead of 5.
        defined = define(eq=False, repr=False, slots=False, init=init, on_setattr=NO_OP)
        return defined if kind is None else defined(kind)
