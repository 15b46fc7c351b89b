"""Storage: a crowd in a file, and back."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.errors import CrowdError, CrowdMismatchError
from fsmkit.crowd.file.header import FileHeader, differences, parse_header
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import fitted
from fsmkit.tooling.atomic_file import write_atomically

ZIP: Final = b"PK\x03\x04"
"""The first bytes of a file of np.savez."""


def save(store: Store, world: Any, path: str | Path) -> None:
    """Write a crowd to the file at `path`: columns, states, times, the world and the outline.

    The tables of the world are not part of it.

    Whatever happens meanwhile, the file is either the old one or the new one. Raises OSError if it
    cannot be written, CrowdError for a value of the world that is of another kind.
    """
    layout = store.layout
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
    )
    columns = {f"column {n}": store.columns[each] for n, each in enumerate(layout.cells().values())}
    content = io.BytesIO()
    np.savez(
        content, heading=np.array(header.to_json()), state=store.state,
        entered_at=store.entered_at, ids=store.ids, **columns,
    )  # fmt: skip
    write_atomically(path, content.getvalue())


@frozen(eq=False)
class SavedCrowd:
    """The content of a file, for a crowd that is made with its `size`."""

    where: str
    """The file, for messages."""
    header: FileHeader
    arrays: Mapping[str, Any]

    @property
    def size(self) -> int:
        """The number of agents."""
        return len(self.arrays["state"])

    def restore(self, store: Store, world: Any) -> None:
        """Write everything into the store and the world of a crowd.

        Raises CrowdMismatchError if its machine is built differently from the saved one, CrowdError
        if the file is damaged.
        """
        layout = store.layout
        found = "; ".join(differences(self.header.outline, layout.outline()))
        if found:
            raise CrowdMismatchError(
                f"{self.where} does not fit {layout.machine.name!r}. There are {found}. "
                "Load it for a machine that is built like the one it was saved from."
            )
        try:
            self._restore(store, world)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise _damaged(self.where) from error

    def _restore(self, store: Store, world: Any) -> None:
        """Restore everything. Raises ValueError for values that are impossible."""
        header, layout = self.header, store.layout
        cells = layout.cells()
        names = {name: name for name in ("state", "entered_at", "ids")}
        names |= {cells[name]: f"column {n}" for n, name in enumerate(header.outline["agent"])}
        loaded = {
            name: _converted(self.arrays[names[name]], array, header.dtype)
            for name, array in store.arrays().items()
        }
        _check(loaded, header, len(layout.states))
        for name, kind in layout.machine.world_record.kinds.items():
            if name != "dt":
                # Not through the class, which may be frozen.
                object.__setattr__(world, name, fitted(kind, header.world[name], name))
        store.replace(loaded)
        store.time, store.delta_time = header.time, header.delta_time
        store.step, store.next_id = header.step, header.next_id


def read(path: str | Path) -> SavedCrowd:
    """Read the crowd in the file at `path`. No code in it is run.

    Raises CrowdError if the file is not a crowd or is damaged, OSError if it cannot be read.
    """
    where = repr(str(path))
    content = Path(path).read_bytes()
    if not content.startswith(ZIP):  # numpy would take it for something else
        raise _damaged(where)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            header = parse_header(str(file["heading"]), where)
            arrays = {name: file[name] for name in file.files if name != "heading"}
        if arrays["state"].ndim != 1:
            raise ValueError("the states are not in a row")
    except CrowdError:
        raise
    except Exception as error:  # what zipfile and numpy raise is documented nowhere
        raise _damaged(where) from error
    return SavedCrowd(where, header, arrays)


def _damaged(where: str) -> CrowdError:
    return CrowdError(
        f"{where} is not a crowd, or is damaged. Load a file that Crowd.save() has written."
    )


def _converted(given: Any, expected: Any, floats: str) -> Any:
    """Return a column of the file as the crowd needs it: its floats may differ in size."""
    dtype = np.dtype(floats) if expected.dtype.kind == "f" else expected.dtype
    if given.dtype not in (dtype, expected.dtype) or given.shape != expected.shape:
        raise ValueError(f"{given.dtype} of the shape {given.shape} instead of {expected.dtype}")
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(given, expected.dtype)


def _check(columns: dict[str, Any], header: FileHeader, states: int) -> None:
    state, entered_at, ids = columns["state"], columns["entered_at"], columns["ids"]
    if ((state < -1) | (state >= states)).any():
        raise ValueError("there are states that the machine does not have")
    if not np.isfinite(entered_at).all():
        raise ValueError("there are times that are not finite")
    order = np.concatenate([[-1], ids, [header.next_id]])
    if (order[:-1] >= order[1:]).any():
        raise ValueError("the agents are not in their order")
