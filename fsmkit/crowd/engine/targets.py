"""Targets: where the agents of a crowd are kept and updated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from attrs import frozen

from fsmkit.crowd.compiler.emitter import Emitter
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.compiled import Compiled
from fsmkit.crowd.engine.interpreted import Interpreter
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.errors import CrowdError

if TYPE_CHECKING:
    from fsmkit.crowd.compiler.plan import Plan
    from fsmkit.crowd.cuda.engine import CudaEngine

Engine: TypeAlias = Literal["compiled", "python"]
Dtype: TypeAlias = Literal["float64", "float32"]
Target: TypeAlias = Literal["cpu", "cuda"]
Running: TypeAlias = "Compiled | Interpreter | CudaEngine"


@frozen
class Placement:
    """The engine and the target of a crowd. Raises CrowdError for what does not go together."""

    engine: Engine
    target: Target
    exact: bool
    """False if results may differ in their last bits."""
    threads: int

    def __attrs_post_init__(self) -> None:
        engine, target, exact = self.engine, self.target, self.exact
        if engine not in ("compiled", "python"):
            raise CrowdError(f'engine must be "compiled" or "python", got {engine!r}.')
        if target not in ("cpu", "cuda"):
            raise CrowdError(f'target must be "cpu" or "cuda", got {target!r}.')
        if target == "cuda" and engine == "python":
            raise CrowdError(
                'engine must be "compiled" for target="cuda", got "python". Leave it out.'
            )
        if not isinstance(exact, bool):
            raise CrowdError(f"exact must be True or False, got {exact!r}.")
        if target == "cpu" and not exact:
            raise CrowdError('exact=False is for target="cuda": elsewhere all results are exact.')

    @property
    def is_compiled(self) -> bool:
        """True if functions are compiled."""
        return self.engine == "compiled"

    @property
    def is_live(self) -> bool:
        """True if the columns are in the memory of this process."""
        return self.target == "cpu"

    def plan(self, layout: Layout) -> Plan:
        """Return the data for running a machine. Raises SubsetError."""
        return Emitter(layout).plan() if self.is_compiled else layout.plan()

    def populated(self, layout: Layout, plan: Plan, size: int, seed: int) -> tuple[Running, Store]:
        """Return what runs the agents, and their columns. Raises CrowdError, SubsetError."""
        if not self.is_live:
            from fsmkit.crowd.cuda.engine import CudaEngine  # here: it needs an optional package

            card = CudaEngine(layout, plan, size, seed, self.threads, exact=self.exact)
            return card, card.store
        store = Store(plan, size, seed)
        engine = (
            Compiled(plan, store, self.threads) if self.is_compiled else Interpreter(layout, store)
        )
        return engine, store


def checked_dtype(dtype: Any) -> bool:
    """Return True for floats of 32 bits. Raises CrowdError for an unknown dtype."""
    if dtype not in ("float64", "float32"):
        raise CrowdError(f'dtype must be "float64" or "float32", got {dtype!r}.')
    return bool(dtype == "float32")
