"""CudaEngine: runs the kernels of a crowd, and the loops for the agents that they leave over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from warnings import catch_warnings, simplefilter

from fsmkit.crowd.cuda.exactness import check_exactness
from fsmkit.crowd.cuda.kernel_text import KernelText
from fsmkit.crowd.cuda.packages import NumbaPerformanceWarning, check_card, cuda, is_simulated
from fsmkit.crowd.cuda.store import CardStore
from fsmkit.crowd.cuda.tables import CardTables
from fsmkit.crowd.engine.compiled import Compiled, load
from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.packages import np
from fsmkit.crowd.table import Table

if TYPE_CHECKING:
    from fsmkit.crowd.compiler.layout import Layout
    from fsmkit.crowd.compiler.plan import Plan

THREADS: Final = 128
"""Threads in a block of the card: one for each agent."""


class CudaEngine:
    """Runs a machine on a card, where the columns stay between the steps.

    Agents that need an error, or change their state without end, come back to the loops on the
    processor, with their rows only.

    Raises SubsetError for a function whose result differs there, unless `exact` is False, and
    CrowdError if there is no card.
    """

    def __init__(
        self, layout: Layout, plan: Plan, size: int, seed: int, threads: int, *, exact: bool
    ) -> None:
        if exact:
            check_exactness(layout)
        check_card()
        self._plan = plan
        self._kernels = KernelText(plan, is_simulated=is_simulated())
        self._module = load(self._kernels.text)
        self.store = CardStore(plan, size, seed)
        self._tables = CardTables()
        self._rest = Store(plan, 0, seed)
        """The rows of the agents that are left over."""
        self._loops = Compiled(plan, self._rest, threads)
        self._left: Any = None

    def update(self, world: Mapping[str, Any]) -> Report:
        """Update every agent."""
        rows = self._launch("update", (), world)
        if not len(rows):
            return Report()
        self._fetch(rows)
        report = self._loops.update(world)
        self._send(rows, "update")
        return report.by_index(rows.item)

    def change(
        self, where: Any, event: int, world: Mapping[str, Any], moved: Any, first: int = 0
    ) -> Report:
        """Send an event, or start, in the rows from `first` on where `where` is true."""
        chosen = np.zeros(first + len(where), np.bool_)
        chosen[first:] = where
        agents = self.store.seen("state").taken(np.arange(len(chosen)))
        have_moved, report = self._change(chosen[agents], event, world)
        chosen[agents] = have_moved
        moved[:] = chosen[first:]
        return report

    def _change(self, where: Any, event: int, world: Mapping[str, Any]) -> tuple[Any, Report]:
        """Send an event, or start, for the agents in `where`; return who has moved."""
        on_card = cuda.to_device(np.zeros(len(where), np.bool_))
        rows = self._launch("change", (cuda.to_device(where), on_card, event), world)
        moved = on_card.copy_to_host()
        if not len(rows):
            return moved, Report()
        self._fetch(rows)
        have_moved = np.zeros(len(rows), np.bool_)
        report = self._loops.change(np.ones(len(rows), np.bool_), event, world, have_moved)
        moved[rows] = have_moved
        self._send(rows, "change")
        return moved, report.by_index(rows.item)

    def assembly(self) -> str:
        """Return the PTX of the kernels that have run so far; empty in the simulator."""
        if is_simulated():
            return ""
        kernels = (getattr(self._module, name) for name in self._kernels.written)
        return "\n".join(text for each in kernels for text in each.inspect_asm().values())

    def _launch(self, name: str, chosen: Sequence[Any], world: Mapping[str, Any]) -> Any:
        """Run a kernel for all agents; return the indices of those that it has left over."""
        store, size = self.store, len(self.store)
        left, count = self._marks(size)
        values = [
            self._tables.on_card(each, value) if isinstance(value, Table) else value
            for each, value in world.items()
        ]
        shared = store.time, store.seed, store.step, *values, *self._plan.parameters.values()
        columns = self.store.on_card()
        self._run(name, size, left, count, *chosen, *shared, *columns.values())
        store.note_kernel(self._kernels.written[name])
        if not count.copy_to_host()[0]:
            return np.zeros(0, np.int64)
        return np.flatnonzero(left.copy_to_host())

    def _marks(self, size: int) -> tuple[Any, Any]:
        """Return the column on the card that marks agents who are left over, and their number."""
        if self._left is None or len(self._left) != size:
            self._left = cuda.device_array(size, np.bool_)
        return self._left, cuda.to_device(np.zeros(1, np.int64))

    def _run(self, name: str, size: int, *arguments: Any) -> None:
        """Run a kernel with a thread for each of `size` agents."""
        if not size:
            return
        with catch_warnings():
            simplefilter("ignore", NumbaPerformanceWarning)  # few agents leave most threads idle
            getattr(self._module, name)[-(-size // THREADS), THREADS](*arguments)

    def _fetch(self, rows: Any) -> None:
        """Copy the rows of some agents from the card."""
        store, rest, on_card = self.store, self._rest, cuda.to_device(rows)
        found = {}
        for name, column in self.store.on_card().items():
            cells = cuda.device_array(len(rows), column.dtype)
            self._run("gather", len(rows), column, on_card, cells)
            found[name] = cells.copy_to_host()
        rest.replace(found)
        rest.time, rest.delta_time, rest.step = store.time, store.delta_time, store.step

    def _send(self, rows: Any, kernel: str) -> None:
        """Copy the rows of some agents back to the card, as far as they may have changed."""
        on_card, cells = cuda.to_device(rows), self._rest.arrays()
        columns = self.store.on_card()
        for name in self._kernels.written[kernel]:
            self._run("scatter", len(rows), columns[name], on_card, cuda.to_device(cells[name]))
