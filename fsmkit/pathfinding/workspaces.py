"""Workspaces: what searches of one map write into, kept for the next one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

WorkspaceT = TypeVar("WorkspaceT")


class Workspaces(Generic[WorkspaceT]):
    """The workspaces of a map, each for one search at a time.

    To make one takes time in proportion to the map; a short way would cost as much as a long one.
    A search gives its own back clean. One that is dropped half-way takes its own along.
    """

    def __init__(self, make: Callable[[], WorkspaceT]) -> None:
        self._make = make
        self._spare: list[WorkspaceT] = []

    def borrow(self) -> WorkspaceT:
        """Return a clean workspace; safe to call from several threads."""
        try:
            return self._spare.pop()
        except IndexError:
            return self._make()

    def give_back(self, workspace: WorkspaceT) -> None:
        """Take back a workspace that is clean."""
        self._spare.append(workspace)

    def __getstate__(self) -> dict[str, Any]:
        return {"_make": self._make, "_spare": []}  # a copy begins without any
