"""CudaEngine: runs the kernels of a crowd, and the loops on the CPU for agents that they skip."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final
from warnings import catch_warnings, simplefilter

from numba.core.errors import NumbaPerformanceWarning

from fsmkit.crowd.compiler.columns import CrowdPlan
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.cuda.exactness import check_exactness
from fsmkit.crowd.cuda.kernel_functions import cuda
from fsmkit.crowd.cuda.kernel_text import KernelText
from fsmkit.crowd.engine.compiled import Compiled, load
from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.engine.store import RowPool, Store
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np
from fsmkit.crowd.table import Table, is_same

if find_spec("numba_cuda") is None:  # numba alone brings an older one
    raise ImportError("A crowd on a GPU needs numba-cuda: pip install 'fsmkit[cuda]'.")

THREADS: Final = 128
"""Threads in a block of the card, one for each agent."""


class CudaEngine:
    """Runs a machine on a card, where the columns stay between the steps.

    Agents whose function would raise, or whose state changes do not end, are skipped: their rows
    alone are copied back for the loops on the CPU.

    Raises SubsetError for a function whose result differs there, unless `exact` is False, and
    CrowdError without a card.
    """

    def __init__(
        self, layout: Layout, plan: CrowdPlan, size: int, seed: int, threads: int, *, exact: bool
    ) -> None:
        if exact:
            check_exactness(layout)
        check_card()
        self._plan = plan
        self._kernels = KernelText(plan, is_simulated=is_simulated())
        self._module = load(self._kernels.text)
        self.store = CardStore(plan, size, seed)
        self._tables: dict[str, tuple[Any, Any]] = {}
        """Name -> the numbers of a table that were copied, and the copy on the card."""
        self._rest = Store(plan, 0, seed)
        """The rows of the agents that a kernel has skipped."""
        self._loops = Compiled(plan, self._rest, threads)
        self._left: Any = None

    def update(self, world: Mapping[str, Any]) -> Report:
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
        chosen = np.zeros(first + len(where), np.bool_)
        chosen[first:] = where
        agents = self.store.seen("state").taken(np.arange(len(chosen)))
        on_card = cuda.to_device(np.zeros(len(agents), np.bool_))
        rows = self._launch("change", (cuda.to_device(chosen[agents]), on_card, event), world)
        have_moved, report = on_card.copy_to_host(), Report()
        if len(rows):
            self._fetch(rows)
            of_rows = np.zeros(len(rows), np.bool_)
            report = self._loops.change(np.ones(len(rows), np.bool_), event, world, of_rows)
            have_moved[rows] = of_rows
            self._send(rows, "change")
        chosen[agents] = have_moved
        moved[:] = chosen[first:]
        return report.by_index(rows.item)

    def _launch(self, name: str, chosen: Sequence[Any], world: Mapping[str, Any]) -> Any:
        """Run a kernel for all agents; return the indices of those that it skipped."""
        store, size = self.store, len(self.store)
        if self._left is None or len(self._left) != size:
            self._left = cuda.device_array(size, np.bool_)
        left, count = self._left, cuda.to_device(np.zeros(1, np.int64))
        values = [
            self._table_on_card(each, value) if isinstance(value, Table) else value
            for each, value in world.items()
        ]
        shared = store.time, store.seed, store.step, *values, *self._plan.parameters.values()
        columns = self.store.on_card()
        self._run(name, size, left, count, *chosen, *shared, *columns.values())
        store.newer.update(self._kernels.written[name])
        if not count.copy_to_host()[0]:
            return np.zeros(0, np.int64)
        return np.flatnonzero(left.copy_to_host())

    def _table_on_card(self, name: str, table: Table[Any]) -> Any:
        """Return a table on the card; it is copied again when its numbers have changed."""
        numbers = np.ascontiguousarray(table.array)
        known = self._tables.get(name)
        if known is None or not is_same(known[0], numbers):
            known = self._tables[name] = numbers.copy(), cuda.to_device(numbers)
        return known[1]

    def _run(self, name: str, size: int, *arguments: Any) -> None:
        if not size:
            return
        with catch_warnings():
            simplefilter("ignore", NumbaPerformanceWarning)  # with few agents most threads idle
            getattr(self._module, name)[-(-size // THREADS), THREADS](*arguments)

    def _fetch(self, rows: Any) -> None:
        store, rest, on_card = self.store, self._rest, cuda.to_device(rows)
        found = {}
        for name, column in self.store.on_card().items():
            cells = cuda.device_array(len(rows), column.dtype)
            self._run("gather", len(rows), column, on_card, cells)
            found[name] = cells.copy_to_host()
        rest.replace(found)
        rest.time, rest.delta_time, rest.step = store.time, store.delta_time, store.step

    def _send(self, rows: Any, kernel: str) -> None:
        """Copy the rows of some agents back to the card, those columns that may have changed."""
        on_card, cells = cuda.to_device(rows), self._rest.arrays()
        columns = self.store.on_card()
        for name in self._kernels.written[kernel]:
            self._run("scatter", len(rows), columns[name], on_card, cuda.to_device(cells[name]))


class CardStore(Store):
    """Copies columns to a card and back, each only when it is needed.

    `rows` are current and may be written, so the copies on the card are dropped and made again for
    the next step. `seen` brings back only the columns that are read, and keeps the others there.
    """

    def __init__(self, plan: CrowdPlan, size: int, seed: int) -> None:
        self._on_card: dict[str, Any] = {}
        self.newer: set[str] = set()
        """The columns that the card has changed since they were last copied back."""
        super().__init__(plan, size, seed)

    @property
    def loop_rows(self) -> RowPool:
        """The columns, copied back from the card; see `Store.loop_rows`."""
        self._bring_back(self.newer)
        self._on_card = {}
        return self._rows

    def seen(self, *columns: str) -> RowPool:
        self._bring_back(self.newer.intersection(columns))
        return self._rows

    def grow(self, count: int) -> range:
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
        self.close_up()
        here = self.seen(column).columns[column]
        here[agents] = cells
        if column in self._on_card:
            self._on_card[column].copy_to_device(here)

    def on_card(self) -> dict[str, Any]:
        self.close_up()
        if not self._on_card:
            columns = self._rows.columns
            self._on_card = {name: cuda.to_device(each) for name, each in columns.items()}
        return self._on_card

    def _bring_back(self, names: Iterable[str]) -> None:
        for name in list(names):
            self._on_card[name].copy_to_host(self._rows.columns[name])
            self.newer.remove(name)


def is_simulated() -> bool:
    """Return True if numba was imported with NUMBA_ENABLE_CUDASIM=1, and simulates the card."""
    return "simulator" in cuda.to_device.__module__


def check_card() -> None:
    if cuda.is_available():
        return
    raise CrowdError(
        'target="cuda" needs an NVIDIA card with its driver, and numba finds none: '
        f"{_reason()}. Leave target out to run on the processor, or try it without a card in the "
        "simulator, which is slow: set NUMBA_ENABLE_CUDASIM=1 before Python starts. "
        "`python -m numba -s` shows what numba finds."
    )


def _reason() -> str:
    lines = str(cuda.cuda_error() or "no card").strip().splitlines()
    return " ".join(line.strip() for line in lines if line.strip(" :")).rstrip(".:")
