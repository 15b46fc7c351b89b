"""Storage: a crowd in a file, and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

from attrs import frozen

from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.errors import CrowdError, CrowdMismatchError
from fsmkit.crowd.file.column_file import ColumnFile
from fsmkit.crowd.file.header import FileHeader, differences, parse_header
from fsmkit.crowd.neighbours.declaration import Declaration
from fsmkit.crowd.neighbours.saving import restored, saved
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import fitted
from fsmkit.tooling.atomic_file import write_atomically

ZIP: Final = b"PK\x03\x04"
"""The first bytes of a file of np.savez."""

OWN: Final = ("state", "entered_at", "ids")
"""The columns beside those of fields and memory."""


def save(
    layout: Layout,
    store: Store,
    world: Any,
    neighbours: Sequence[Declaration],
    path: str | Path,
) -> None:
    """Write a crowd to the file at `path`: columns, states, times, the world and the outline.

    The tables of the world are not part of it.

    Whatever happens meanwhile, the file is either the old one or the new one. Raises OSError if it
    cannot be written, CrowdError for a value of the world that is of another kind.
    """
    values = layout.world_values(world, store.delta_time)
    header = FileHeader(
        outline=layout.outline(),
        dtype="float32" if layout.columns.is_float32 else "float64",
        time=store.time,
        delta_time=store.delta_time,
        step=store.step,
        seed=store.seed,
        next_id=store.next_id,
        world={name: values[name] for name in layout.machine.world_record.kinds if name != "dt"},
        neighbours=saved(neighbours),
    )
    cells = store.arrays()
    columns = {f"column {n}": cells[each] for n, each in enumerate(layout.cells().values())}
    write_atomically(
        path,
        lambda file: np.savez(
            file, heading=np.array(header.to_json()),
            **{name: cells[name] for name in OWN}, **columns,
        ),
    )  # fmt: skip


@frozen(eq=False)
class SavedCrowd:
    """The content of a file, for a crowd that is made with its `size`."""

    where: str
    """The file, for messages."""
    header: FileHeader
    size: int
    """The number of agents."""
    file: ColumnFile

    def restore(self, layout: Layout, store: Store, world: Any) -> list[Declaration]:
        """Write everything into the store and the world of a crowd; return its neighbours.

        Raises CrowdMismatchError if its machine is built differently from the saved one, CrowdError
        if the file is damaged.
        """
        found = "; ".join(differences(self.header.outline, layout.outline()))
        if found:
            raise CrowdMismatchError(
                f"{self.where} does not fit {layout.machine.name!r}. There are {found}. "
                "Load it for a machine that is built like the one it was saved from."
            )
        try:
            neighbours = self._neighbours(layout)
            self._restore(layout, store, world)
        except Exception as error:  # also what zipfile and numpy raise
            raise _damaged(self.where) from error
        return neighbours

    def _neighbours(self, layout: Layout) -> list[Declaration]:
        """Return what agents know of others. Raises ValueError for what they cannot know."""
        declarations = restored(self.header.neighbours)
        for each in declarations:
            if not {*each.read, *each.written} <= layout.columns.record.kinds.keys():
                raise ValueError(f"there are unknown fields in {each.name}")
        return declarations

    def _restore(self, layout: Layout, store: Store, world: Any) -> None:
        """Restore everything. Raises ValueError for values that are impossible."""
        header, columns = self.header, store.arrays()
        cells = layout.cells()
        names = {name: name for name in OWN}
        names |= {cells[name]: f"column {n}" for n, name in enumerate(header.outline["agent"])}
        for name, column in columns.items():
            is_float = column.dtype.kind == "f" and name not in OWN
            kinds = [column.dtype, np.dtype(header.dtype)] if is_float else [column.dtype]
            self.file.read(names[name], column, kinds)
        _check(columns, header, len(layout.states))
        for name, kind in layout.machine.world_record.kinds.items():
            if name != "dt":
                # Not through the class, which may be frozen.
                object.__setattr__(world, name, fitted(kind, header.world[name], name))
        store.time, store.delta_time = header.time, header.delta_time
        store.step, store.next_id = header.step, header.next_id


@contextmanager
def opened(path: str | Path) -> Iterator[SavedCrowd]:
    """Open the crowd in the file at `path`. No code in it is run.

    Raises CrowdError if the file is not a crowd or is damaged, OSError if it cannot be read.
    """
    where = repr(str(path))
    with Path(path).open("rb") as file:
        try:
            if file.read(len(ZIP)) != ZIP:  # zipfile finds an archive behind anything
                raise ValueError("it is no archive")
            columns = ColumnFile(ZipFile(file))
            header = parse_header(columns.text("heading"), where)
            saved = SavedCrowd(where, header, columns.length("state"), columns)
        except CrowdError:
            raise
        except Exception as error:  # what zipfile and numpy raise is documented nowhere
            raise _damaged(where) from error
        yield saved


def _damaged(where: str) -> CrowdError:
    return CrowdError(
        f"{where} is not a crowd, or is damaged. Load a file that Crowd.save() has written."
    )


def _check(columns: dict[str, Any], header: FileHeader, states: int) -> None:
    state, entered_at, ids = columns["state"], columns["entered_at"], columns["ids"]
    if ((state < -1) | (state >= states)).any():
        raise ValueError("there are states that the machine does not have")
    if not np.isfinite(entered_at).all():
        raise ValueError("there are times that are not finite")
    bounds = [-1, *ids[:1].tolist(), *ids[-1:].tolist(), header.next_id]
    if bounds[0] >= bounds[1] or bounds[-2] >= bounds[-1] or (ids[:-1] >= ids[1:]).any():
        raise ValueError("the agents are not in their order")
