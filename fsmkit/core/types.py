"""What the core's modules agree on: the phases of a call, and the types of a machine's context."""

from typing import Any, Final

from typing_extensions import TypeVar

ENTER: Final = "on_enter"
UPDATE: Final = "on_update"
EXIT: Final = "on_exit"
EVENT: Final = "on_event"
BETWEEN: Final = "between callbacks"

ContextT = TypeVar("ContextT", default=None)
"""What `fsm.context` is. A machine that is given none has the context None."""

ActionContextT = TypeVar("ActionContextT", default=Any)
"""The context an action asks for. One that does not say so fits every machine."""
