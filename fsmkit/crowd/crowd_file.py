"""Files of crowds (npz): the columns, and a header with the machine's outline and the time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any, Final, Literal
from zipfile import ZipFile

from attrs import asdict, field, frozen
from attrs.validators import and_, ge, in_, instance_of, lt

from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.errors import CrowdError, CrowdMismatchError
from fsmkit.crowd.neighbours.declaration import Declaration, restored, saved
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import fitted
from fsmkit.terminal.atomic_file import write_atomically

FORMAT: Final = "fsmkit crowd"
VERSION: Final = 1

SECONDS: Final = and_(instance_of(float), ge(0.0), lt(inf))
WHOLE: Final = and_(instance_of(int), ge(0), lt(2**63))

OUTLINE: Final[Mapping[str, tuple[str, str]]] = {
    "agent": ("values of agents", "of another kind"),
    "states": ("states", "with other transitions"),
    "global": ("global transitions", "to other states"),
    "world": ("values of the world", "of another kind"),
}
"""Part of an outline -> what it lists, and how an entry of it may differ."""

ZIP: Final = b"PK\x03\x04"
"""The first bytes of a file of np.savez."""

OWN: Final = ("state", "entered_at", "ids")
"""The columns beside those of fields and memory."""


CHUNK: Final = 1 << 17
"""Cells that are read at once."""

ARRAY_HEADERS: Final = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
"""Version of an array in a file -> the function that reads its shape and dtype."""


def save(
    layout: Layout,
    store: Store,
    world: Any,
    neighbours: Sequence[Declaration],
    path: str | Path,
) -> None:
    """Write a crowd to the file at `path`, completely or not at all; but no tables of the world.

    Raises OSError if it cannot be written, CrowdError for a value of the world of another kind.
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
        check_outline(self.where, self.header.outline, layout, "Load it for")
        try:
            return self._restored(layout, store, world)
        except Exception as error:  # errors of zipfile and numpy, too
            raise _damaged(self.where) from error

    def _restored(self, layout: Layout, store: Store, world: Any) -> list[Declaration]:
        declarations = restored(self.header.neighbours)
        for each in declarations:
            if not {*each.read, *each.written} <= layout.columns.record.kinds.keys():
                raise ValueError(f"there are unknown fields in {each.name}")
        header, columns = self.header, store.arrays()
        cells = layout.cells()
        names = {name: name for name in OWN}
        names |= {cells[name]: f"column {n}" for n, name in enumerate(header.outline["agent"])}
        for name, column in columns.items():
            is_float = column.dtype.kind == "f" and name not in OWN
            kinds = [column.dtype, np.dtype(header.dtype)] if is_float else [column.dtype]
            self.file.read(names[name], column, kinds)
        _check_columns(columns, header, len(layout.states))
        restore_world(layout, world, header.world)
        store.time, store.delta_time = header.time, header.delta_time
        store.step, store.next_id = header.step, header.next_id
        return declarations


@contextmanager
def opened(path: str | Path) -> Iterator[SavedCrowd]:
    """Open the crowd in the file at `path`. No code in it is run.

    Raises CrowdError if the file is not a crowd or is damaged, OSError if it cannot be read.
    """
    where = repr(str(path))
    with Path(path).open("rb") as file:
        try:
            if file.read(len(ZIP)) != ZIP:  # zipfile finds an archive behind anything
                raise ValueError("it is not an archive")
            columns = ColumnFile(ZipFile(file))
            header = _parse_header(columns.text("heading"), where)
            saved = SavedCrowd(where, header, columns.length("state"), columns)
        except CrowdError:
            raise
        except Exception as error:  # the errors of zipfile and numpy are undocumented
            raise _damaged(where) from error
        yield saved


def _damaged(where: str) -> CrowdError:
    return CrowdError(
        f"{where} is not a crowd, or is damaged. Load a file that Crowd.save() has written."
    )


def _check_columns(columns: dict[str, Any], header: FileHeader, states: int) -> None:
    state, entered_at, ids = columns["state"], columns["entered_at"], columns["ids"]
    if ((state < -1) | (state >= states)).any():
        raise ValueError("there are states that the machine does not have")
    if not np.isfinite(entered_at).all():
        raise ValueError("there are times that are not finite")
    bounds = [-1, *ids[:1].tolist(), *ids[-1:].tolist(), header.next_id]
    if bounds[0] >= bounds[1] or bounds[-2] >= bounds[-1] or (ids[:-1] >= ids[1:]).any():
        raise ValueError("the agents are not in their order")


def check_outline(where: str, saved: Mapping[str, Any], layout: Layout, advice: str) -> None:
    found = "; ".join(_differences(saved, layout.outline()))
    if found:
        raise CrowdMismatchError(
            f"{where} does not fit {layout.machine.name!r}. There are {found}. {advice} a machine "
            "that is built like the one it was saved from."
        )


def restore_world(layout: Layout, world: Any, saved: Mapping[str, Any]) -> None:
    """Write the saved values into the world.

    Raises KeyError, TypeError or OverflowError if they do not fit.
    """
    for name, kind in layout.machine.world_record.kinds.items():
        if name != "dt":
            # Not through the class, which may be frozen.
            object.__setattr__(world, name, fitted(kind, saved[name], name))


def _differences(saved: Mapping[str, Any], built: Mapping[str, Any]) -> Iterator[str]:
    for part, (what, how) in OUTLINE.items():
        there, here = saved[part], built[part]
        for where, names in (
            ("only in the file", [name for name in there if name not in here]),
            ("only in the machine", [name for name in here if name not in there]),
            (how, [name for name in there if name in here and there[name] != here[name]]),
        ):
            if names:
                yield f"{what} {where}: {', '.join(names)}"
    there, here = saved["states"], built["states"]
    if there.keys() == here.keys() and list(there) != list(here):
        yield "the states in another order"


def _check_parts(_header: object, _field: object, outline: object) -> None:
    if not isinstance(outline, dict) or outline.keys() != OUTLINE.keys():
        raise ValueError("its outline has other parts")
    if not all(isinstance(part, dict) for part in outline.values()):
        raise ValueError("a part of its outline has no names")


@frozen
class FileHeader:
    """The outline of the machine, times, the seed, the world, and declarations of neighbours.

    Raises TypeError or ValueError for values that cannot have been saved.
    """

    outline: dict[str, dict[str, Any]] = field(validator=_check_parts)
    dtype: Literal["float64", "float32"] = field(validator=in_(("float64", "float32")))
    time: float = field(validator=SECONDS)
    delta_time: float = field(validator=SECONDS)
    step: int = field(validator=WHOLE)
    seed: int = field(validator=WHOLE)
    next_id: int = field(validator=WHOLE)
    world: dict[str, Any] = field(validator=instance_of(dict))
    neighbours: list[Any] = field(factory=list, validator=instance_of(list))
    """Declarations of neighbours; left out of the file if empty."""

    def to_json(self) -> str:
        values = asdict(self)
        if not self.neighbours:
            del values["neighbours"]
        return json.dumps({"format": FORMAT, "version": VERSION, **values})


def _parse_header(text: str, where: str) -> FileHeader:
    """Return the header with this text; `where` is the file.

    Raises CrowdError for another version, and various exceptions for any other text.
    """
    values = json.loads(text)
    if values.pop("format") != FORMAT:
        raise ValueError("it is the header of something else")
    version = values.pop("version")
    if version != VERSION:
        raise CrowdError(
            f"{where} must be a crowd of version {VERSION}, got version {version}. Use the fsmkit "
            "that it was made with."
        )
    return FileHeader(**values)


@frozen(eq=False)
class ColumnFile:
    """Reads columns into memory that is there already, so that no second copy is ever needed.

    Damaged columns raise various exceptions.
    """

    archive: ZipFile

    def text(self, name: str) -> str:
        with self.archive.open(f"{name}.npy") as file:
            return str(np.lib.format.read_array(file, allow_pickle=False))

    def length(self, name: str) -> int:
        """Return the number of cells of a column. Raises ValueError unless all are there."""
        with self.archive.open(f"{name}.npy") as file:
            (length,), dtype = _shape_and_dtype(file)
            size = self.archive.getinfo(f"{name}.npy").file_size - file.tell()
        if length * dtype.itemsize != size:
            raise ValueError(f"{name} is too long or too short")
        return length

    def read(self, name: str, into: Any, kinds: Sequence[Any]) -> None:
        """Read a column of one of these dtypes; it is converted to that of `into`.

        Raises ValueError if it has another dtype or another length.
        """
        with self.archive.open(f"{name}.npy") as file, np.errstate(over="ignore"):
            shape, dtype = _shape_and_dtype(file)
            if dtype not in kinds or shape != into.shape:
                raise ValueError(f"{name} has the shape {shape} and is {dtype}")
            for begin in range(0, len(into), CHUNK):
                part = into[begin : begin + CHUNK]
                part[:] = np.frombuffer(file.read(part.size * dtype.itemsize), dtype, part.size)
            if file.read(1):  # at the end the checksum is compared
                raise ValueError(f"{name} is too long")


def _shape_and_dtype(file: Any) -> tuple[tuple[int, ...], Any]:
    shape, _, dtype = ARRAY_HEADERS[np.lib.format.read_magic(file)](file)
    return shape, dtype
