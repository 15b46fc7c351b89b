"""CardTables: the tables of a crowd's world on a card."""

from __future__ import annotations

from typing import Any

from fsmkit.crowd.cuda.packages import cuda
from fsmkit.crowd.packages import np
from fsmkit.crowd.table import Table, is_same


class CardTables:
    """Copies tables to a card, again when their numbers have changed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Any, Any]] = {}
        """Name -> the numbers as they were copied, and the copy on the card."""

    def on_card(self, name: str, table: Table[Any]) -> Any:
        """Return a table on the card."""
        numbers = np.ascontiguousarray(table.array)
        known = self._known.get(name)
        if known is None or not is_same(known[0], numbers):
            known = self._known[name] = numbers.copy(), cuda.to_device(numbers)
        return known[1]
