"""Cancellable: stands before a delayed event, so that a call of its `cancel` is heard of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen


@frozen(eq=False, repr=False)
class Cancellable:
    """What `send_event_after` returns while it is listened to: `delayed`, but for `cancel`."""

    delayed: Any
    cancel: Callable[[], None]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.delayed, name)

    def __repr__(self) -> str:
        return repr(self.delayed)
