"""CardStore: the columns of a crowd whose newer copy may be on a card."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fsmkit.crowd.cuda.packages import cuda
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.errors import CrowdError

if TYPE_CHECKING:
    from fsmkit.crowd.compiler.plan import Plan
    from fsmkit.crowd.engine.rows import Rows


class CardStore(Store):
    """Copies columns to a card and back, each only when it is needed.

    Whoever asks for its rows gets them as they are now, and may write to them: then the card's are
    given up, and copied again for the next step. Who only reads asks for those columns by `seen`.
    """

    def __init__(self, plan: Plan, size: int, seed: int) -> None:
        self._on_card: dict[str, Any] = {}
        self._newer: set[str] = set()
        """The columns that the card has changed since they were copied back."""
        super().__init__(plan, size, seed)

    @property
    def rows(self) -> Rows:
        """The columns, brought back from the card; see `Store.rows`."""
        self._bring_back(self._newer)
        self._on_card = {}
        return self._rows

    def seen(self, *columns: str) -> Rows:
        """Return the rows to be read only, with these columns as they are now."""
        self._bring_back(self._newer.intersection(columns))
        return self._rows

    def grow(self, count: int) -> range:
        """Add new agents; return their rows. Raises CrowdError, also for a card without room."""
        size = len(self) + count
        needed = size * sum(each.itemsize for each in self._dtypes().values())
        there = sum(each.nbytes for each in self._on_card.values())
        free = cuda.current_context().get_memory_info().free + there
        if needed > free:
            raise CrowdError(
                f"Crowd of {self.plan.name!r}: not enough memory on the card for {size:,} agents: "
                f"they need {needed / 1e6:,.0f} MB, and it has {free / 1e6:,.0f}. Use fewer."
            )
        return super().grow(count)

    def write(self, column: str, cells: Any, agents: Any) -> None:
        """Write the cells of some agents, given by indices, a mask of all agents or a slice."""
        self.close_up()
        here = self.seen(column).columns[column]
        here[agents] = cells
        if column in self._on_card:
            self._on_card[column].copy_to_device(here)

    def on_card(self) -> dict[str, Any]:
        """Return all columns on the card, by name, without free rows."""
        self.close_up()
        if not self._on_card:
            columns = self._rows.columns
            self._on_card = {name: cuda.to_device(each) for name, each in columns.items()}
        return self._on_card

    def note_kernel(self, written: Iterable[str]) -> None:
        """Note that a kernel has written these columns on the card."""
        self._newer.update(written)

    def _bring_back(self, names: Iterable[str]) -> None:
        for name in list(names):
            self._on_card[name].copy_to_host(self._rows.columns[name])
            self._newer.remove(name)
