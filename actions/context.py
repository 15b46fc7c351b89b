"""The type variable of the context that an action asks for."""

from typing import Any

from typing_extensions import TypeVar

ContextT = TypeVar("ContextT", default=Any)
"""The context of the machine, known to a type checker inside lambdas."""
