"""Messages: text, or a function of the state that gives it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from actions.context import ContextT
from fsmkit import FsmState

Message: TypeAlias = str | Callable[[FsmState[ContextT]], object]
"""A text, or a function that is called with the state when the text is needed."""


def text_of(message: Message[ContextT], state: FsmState[ContextT]) -> str:
    """The text of a message now."""
    return message if isinstance(message, str) else str(message(state))
