"""The contestants and their modules."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Final, NamedTuple

from scenario import Population

Make = Callable[[int], Population]


class Contestant(NamedTuple):
    """One way of writing the characters."""

    module: str
    population: str
    distribution: str | None
    """The package whose version is reported."""

    def load(self) -> Make:
        """Return the maker of a population; raises ImportError if the package is missing."""
        make: Make = getattr(import_module(self.module), self.population)
        return make

    @property
    def version(self) -> str:
        return version(self.distribution) if self.distribution else "-"


OBJECTS: Final = "hand-written objects"
MACHINES: Final = "one Fsm each"
NUMPY: Final = "NumPy by hand"
NUMBA: Final = "numba by hand"
SELECTS: Final = "numba, no branches"
CROWD: Final = "crowd"
PARALLEL: Final = "crowd, 2 threads"
FLOOR: Final = "floor, no logic"

CONTESTANTS: Final = {
    OBJECTS: Contestant("objects", "Objects", None),
    MACHINES: Contestant("machines", "Machines", "fsmkit"),
    "Mesa": Contestant("mesa_model", "MesaAgents", "mesa"),
    NUMPY: Contestant("numpy_columns", "NumpyColumns", "numpy"),
    "Polars": Contestant("polars_frame", "PolarsFrame", "polars"),
    NUMBA: Contestant("numba_loop", "NumbaLoop", "numba"),
    SELECTS: Contestant("numba_selects", "NumbaSelects", "numba"),
    CROWD: Contestant("fsmkit_crowd", "SerialCrowd", "fsmkit"),
    PARALLEL: Contestant("fsmkit_crowd", "ParallelCrowd", "fsmkit"),
    FLOOR: Contestant("floor", "Floor", "numba"),
}

DRAWING: Final = {
    NUMBA: Contestant("drawing_agents", "DrawingLoop", "numba"),
    CROWD: Contestant("drawing_agents", "DrawingCrowd", "fsmkit"),
    PARALLEL: Contestant("drawing_agents", "DrawingParallelCrowd", "fsmkit"),
}
"""Those whose characters draw random numbers."""


def load_all(names: list[str]) -> tuple[dict[str, Make], dict[str, str]]:
    """Return the contestants of these names, and why some of them are left out."""
    made: dict[str, Make] = {}
    left_out: dict[str, str] = {}
    for name in names:
        try:
            made[name] = CONTESTANTS[name].load()
        except ImportError as error:
            left_out[name] = str(error)
    return made, left_out
