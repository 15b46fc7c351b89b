"""ColumnFile: the columns in a file of numpy (npz), read one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from zipfile import ZipFile

from attrs import frozen

from fsmkit.crowd.packages import np

CHUNK: Final = 1 << 20
"""Bytes that are read at once."""

HEADINGS: Final = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
"""Version of an array in a file -> the function that reads what it says of its shape."""


@frozen(eq=False)
class ColumnFile:
    """Reads columns into memory that is there already, so that no second copy is ever needed.

    Damage is shown by various exceptions.
    """

    archive: ZipFile

    def text(self, name: str) -> str:
        """Return a text."""
        with self.archive.open(f"{name}.npy") as file:
            return str(np.lib.format.read_array(file, allow_pickle=False))

    def length(self, name: str) -> int:
        """Return the number of cells of a column. Raises ValueError unless all are there."""
        with self.archive.open(f"{name}.npy") as file:
            (length,), dtype = _heading(file)
            size = self.archive.getinfo(f"{name}.npy").file_size - file.tell()
        if length * dtype.itemsize != size:
            raise ValueError(f"{name} is too long or too short")
        return length

    def read(self, name: str, into: Any, kinds: Sequence[Any]) -> None:
        """Read a column of one of these dtypes; it is converted to that of `into`.

        Raises ValueError if it has another dtype or another length.
        """
        with self.archive.open(f"{name}.npy") as file, np.errstate(over="ignore"):
            shape, dtype = _heading(file)
            if dtype not in kinds or shape != into.shape:
                raise ValueError(f"{name} has the shape {shape} and is {dtype}")
            rows = CHUNK // dtype.itemsize
            for begin in range(0, len(into), rows):
                part = into[begin : begin + rows]
                cells = part if dtype == into.dtype else np.empty(len(part), dtype)
                _fill(file, cells)
                part[:] = cells
            if file.read(1):  # at the end the checksum is compared
                raise ValueError(f"{name} is too long")


def _heading(file: Any) -> tuple[tuple[int, ...], Any]:
    """Return the shape and the dtype of an array in a file."""
    shape, _, dtype = HEADINGS[np.lib.format.read_magic(file)](file)
    return shape, dtype


def _fill(file: Any, cells: Any) -> None:
    count = file.readinto(cells.view(np.uint8))
    if count != cells.nbytes:
        raise ValueError("the file ends too early")
