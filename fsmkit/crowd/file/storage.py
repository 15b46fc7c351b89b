"""Storage: a crowd in a file, and back."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from fsmkit.crowd.errors import CrowdError, CrowdMismatchError
from fsmkit.crowd.file.header import Heading, differences, heading_of
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import fitted
from fsmkit.tooling.atomic_file import write_atomically

if TYPE_CHECKING:
    from fsmkit.crowd.crowd import Crowd
    from fsmkit.crowd.machine import CrowdFsm

CrowdT = TypeVar("CrowdT", bound="Crowd")

ZIP: Final = b"PK\x03\x04"
"""What the files of np.savez begin with."""


def save(crowd: Crowd, path: str | Path) -> None:
    """Write `crowd` to the file at `path`: columns, states, times, the world and the outline.

    Whatever happens meanwhile, there is the old file or the new one. Raises OSError if it cannot be
    written, CrowdError for a value of the world that is of another kind.
    """
    store, layout = crowd._store, crowd.layout
    shared = layout.shared(crowd.world, store.delta_time)
    heading = Heading(
        outline=layout.outline(),
        dtype=str(store.dtype),
        time=store.time,
        delta_time=store.delta_time,
        step=store.step,
        seed=store.seed,
        next_id=store.next_id,
        world={name: value for name, value in shared.items() if name != "dt"},
    )
    columns = {f"column {n}": store.columns[each] for n, each in enumerate(layout.cells().values())}
    content = io.BytesIO()
    np.savez(
        content, heading=np.array(heading.text()), state=store.state, entered_at=store.entered_at,
        ids=store.ids, **columns,
    )  # fmt: skip
    write_atomically(path, content.getvalue())


def load(
    kind: type[CrowdT], machine: CrowdFsm, path: str | Path, options: dict[str, Any]
) -> CrowdT:
    """The crowd in the file at `path`. No code in it is run.

    Raises CrowdMismatchError if `machine` is built otherwise than the one it was saved from,
    CrowdError if the file is no crowd or damaged, OSError if it cannot be read.
    """
    where = repr(str(path))
    heading, arrays = _read(Path(path), where)
    dtype = heading.dtype if options["dtype"] is None else options["dtype"]
    crowd = kind(machine, len(arrays["state"]), seed=heading.seed, **{**options, "dtype": dtype})
    found = "; ".join(differences(heading.outline, crowd.layout.outline()))
    if found:
        raise CrowdMismatchError(
            f"{where} does not fit {machine.name!r}. There are {found}. "
            "Load it for a machine that is built like the one it was saved from."
        )
    try:
        _take(crowd, heading, arrays)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _damaged(where) from error
    return crowd


def _read(path: Path, where: str) -> tuple[Heading, dict[str, Any]]:
    content = path.read_bytes()
    if not content.startswith(ZIP):  # numpy would take it for something else
        raise _damaged(where)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            heading = heading_of(str(file["heading"]), where)
            arrays = {name: file[name] for name in file.files if name != "heading"}
        if arrays["state"].ndim != 1:
            raise ValueError("the states are not in a row")
    except CrowdError:
        raise
    except Exception as error:  # nowhere is it told what zipfile and numpy raise for what
        raise _damaged(where) from error
    return heading, arrays


def _damaged(where: str) -> CrowdError:
    return CrowdError(
        f"{where} is no crowd, or damaged. Load a file that Crowd.save() has written."
    )


def _take(crowd: Crowd, heading: Heading, arrays: dict[str, Any]) -> None:
    """Bring `crowd` into the condition of the file. Raises ValueError for what cannot be."""
    store, cells = crowd._store, crowd.layout.cells()
    names = {name: name for name in ("state", "entered_at", "ids")}
    names |= {cells[name]: f"column {n}" for n, name in enumerate(heading.outline["agent"])}
    expected = store.arrays()
    loaded = {
        name: _converted(arrays[names[name]], array, heading.dtype)
        for name, array in expected.items()
    }
    _check(loaded, heading, len(crowd.layout.states))
    for name, kind in crowd.machine.world_record.kinds.items():
        if name != "dt":
            # Past the class, which may be frozen.
            object.__setattr__(crowd.world, name, fitted(kind, heading.world[name], name))
    store.take(loaded)
    store.time, store.delta_time = heading.time, heading.delta_time
    store.step, store.next_id = heading.step, heading.next_id


def _converted(given: Any, expected: Any, floats: str) -> Any:
    """A column of the file as the crowd has it: its floats may have been of another length."""
    dtype = np.dtype(floats) if expected.dtype.kind == "f" else expected.dtype
    if given.dtype not in (dtype, expected.dtype) or given.shape != expected.shape:
        raise ValueError(f"{given.dtype} of the shape {given.shape} instead of {expected.dtype}")
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(given, expected.dtype)


def _check(columns: dict[str, Any], heading: Heading, states: int) -> None:
    state, entered_at, ids = columns["state"], columns["entered_at"], columns["ids"]
    if ((state < -1) | (state >= states)).any():
        raise ValueError("there are states that the machine does not have")
    if not np.isfinite(entered_at).all():
        raise ValueError("there are times that are not finite")
    order = np.concatenate([[-1], ids, [heading.next_id]])
    if (order[:-1] >= order[1:]).any():
        raise ValueError("the agents are not in their order")
