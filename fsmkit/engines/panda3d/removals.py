"""Removals: nodes that are gone from the scene they were in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import define, field


@define(eq=False)
class Removals:
    """Tells whether nodes have been removed, or cut off from the scene that they were in.

    Below a node whose parent is removed or detached, Panda3D leaves everything as it was; all that
    changes is the top. So it is remembered, for two frames, what each node hung below: it is gone
    when the top is one of these. One that was moved below another scene is not, nor is a stashed or
    hidden one.
    """

    nodes: Iterable[Any] = ()
    """Some that are there from the beginning."""
    _before: dict[int, frozenset[Any]] = field(factory=dict, init=False)
    _now: dict[int, frozenset[Any]] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        for node in self.nodes:
            self.is_gone(node)

    def is_gone(self, node: Any) -> bool:
        """Return True for a node that has been removed or cut off."""
        if node.isEmpty():
            return True
        key = node.getKey()
        *inside, top = [each.node() for each in node.getAncestors()]
        known = self._now.get(key, self._before.get(key, frozenset()))
        is_cut_off = top in known
        self._now[key] = known if is_cut_off else frozenset(inside)
        return is_cut_off

    def next_frame(self) -> None:
        """Forget the nodes about which nobody has asked since the last call."""
        self._before, self._now = self._now, {}
