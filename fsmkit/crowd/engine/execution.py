"""Execution: the engine and the target that a crowd runs on, and its steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from attrs import frozen

from fsmkit.core.checks import arguments
from fsmkit.crowd.compiler.columns import CrowdPlan
from fsmkit.crowd.compiler.emitter import Emitter
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.compiled import Compiled
from fsmkit.crowd.engine.interpreted import Interpreter
from fsmkit.crowd.engine.report import Births, Report
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.renewal import Neighbours
from fsmkit.crowd.packages import np

if TYPE_CHECKING:
    from fsmkit.crowd.cuda.engine import CudaEngine

EngineName: TypeAlias = Literal["compiled", "python"]
Dtype: TypeAlias = Literal["float64", "float32"]
TargetName: TypeAlias = Literal["cpu", "cuda"]
AgentEngine: TypeAlias = "Compiled | Interpreter | CudaEngine"


@frozen
class Placement:
    engine: EngineName
    target: TargetName
    exact: bool
    """False if results may differ in their last bits."""
    threads: int

    def __attrs_post_init__(self) -> None:
        arguments.choice(self.engine, "engine", get_args(EngineName), CrowdError)
        arguments.choice(self.target, "target", get_args(TargetName), CrowdError)
        arguments.flag(self.exact, "exact", CrowdError)
        if self.target == "cuda" and self.engine == "python":
            raise CrowdError(
                "engine must be 'compiled' for target='cuda', got 'python'. Leave it out."
            )
        if self.target == "cpu" and not self.exact:
            raise CrowdError("exact=False is for target='cuda': on the CPU all results are exact.")

    @property
    def is_live(self) -> bool:
        """True if the columns are in the memory of this process."""
        return self.target == "cpu"

    def plan(self, layout: Layout) -> CrowdPlan:
        return Emitter(layout).plan() if self.engine == "compiled" else layout.plan()

    def populated(
        self, layout: Layout, plan: CrowdPlan, size: int, seed: int
    ) -> tuple[AgentEngine, Store]:
        if not self.is_live:
            from fsmkit.crowd.cuda.engine import CudaEngine  # here: it needs an optional package

            card = CudaEngine(layout, plan, size, seed, self.threads, exact=self.exact)
            return card, card.store
        store = Store(plan, size, seed)
        if self.engine == "compiled":
            return Compiled(plan, store, self.threads), store
        return Interpreter(layout, store), store


def checked_dtype(dtype: Any) -> bool:
    """Return True for floats of 32 bits. Raises CrowdError for an unknown dtype."""
    return bool(arguments.choice(dtype, "dtype", get_args(Dtype), CrowdError) == "float32")


@frozen(eq=False)
class Stepping:
    """Carries out updates, events and starts.

    Each step raises what the functions of agents have raised once it is complete.
    """

    store: Store
    engine: AgentEngine
    neighbours: Neighbours

    def update(self, dt: float, world: dict[str, Any]) -> None:
        """Let `dt` seconds pass for every agent; they are `world["dt"]` as well."""
        self.neighbours.renew()
        self.store.pass_time(dt)
        self._settle(self.engine.update(world), world)

    def change(self, mask: Any, code: int, world: Mapping[str, Any], first: int = 0) -> int:
        """Send an event, or start, in the rows from `first` on where `mask` is true.

        Return how many agents changed their state.
        """
        moved = np.zeros(len(mask), np.bool_)
        self.neighbours.prepare_events()
        self.store.step += 1
        self._settle(self.engine.change(mask, code, world, moved, first), world)
        return int(moved.sum())

    def _settle(self, report: Report, world: Mapping[str, Any]) -> None:
        if report.births:
            self._add_generations(report, world)
        remove_retired(self.store)
        report.raise_errors(self.store.plan)

    def _add_generations(self, report: Report, world: Mapping[str, Any]) -> None:
        """Add and start the agents that were spawned; then those that they spawned, and so on.

        This ends when no more are born, or, with an error in the report, once later generations
        exceed `max_transitions` agents for each of the first.
        """
        births = report.take_births()
        born, most = 0, len(births or ()) * (1 + self.store.plan.max_transitions)
        while births is not None:
            born += len(births)
            if born > most:
                report.born_without_end = born
                return
            self._start(births, report, world)
            births = report.take_births()

    def _start(self, births: Births, report: Report, world: Mapping[str, Any]) -> None:
        store = self.store
        first = store.grow(len(births)).start
        for name, cells in births.cells.items():
            store.loop_rows.columns[name][first:] = cells
        for number in np.unique(births.starts).tolist():
            where = births.starts == number
            code, moved = len(store.plan.events) + number, np.zeros(len(where), np.bool_)
            report.merge(self.engine.change(where, code, world, moved, first))


def remove_retired(store: Store) -> None:
    for number in store.plan.retiring:
        store.remove(np.flatnonzero(store.seen("state").columns["state"] == number))
