"""ResultTable: results as columns by name, and the files that they are written to."""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np
from fsmkit.crowd.results.text import table_text
from fsmkit.tooling.atomic_file import write_atomically


class ResultTable(ABC):
    """Columns of numbers, each with a name, all of the same length.

    A file is written completely or not at all; what cannot be written raises OSError.
    """

    @property
    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """Name -> column, an array of numpy with a value for each row."""

    def __getitem__(self, name: str) -> Any:
        """Return a column. Raises CrowdError for an unknown name."""
        columns = self.columns
        if name not in columns:
            raise CrowdError(
                f"There is no column {name!r}. The columns: {', '.join(map(repr, columns))}."
            )
        return columns[name]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))

    def __repr__(self) -> str:
        names = ", ".join(self.columns)
        return f"<{type(self).__name__} of {len(self):,} rows: {names}>"

    def __str__(self) -> str:
        """Return the rows as text: all of them, or the first and the last ones."""
        return table_text({name: column.tolist() for name, column in self.columns.items()})

    def to_npz(self, path: str | Path) -> None:
        """Write a file for `numpy.load`, with an array for each column."""
        content = BytesIO()
        with ZipFile(content, "w") as archive:  # np.savez cannot have a column called "file"
            for name, column in self.columns.items():
                with archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, column, allow_pickle=False)
        write_atomically(path, content.getvalue())

    def to_csv(self, path: str | Path) -> None:
        """Write a file of comma-separated values, with the names in its first line."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*(each.tolist() for each in self.columns.values()), strict=True))
        write_atomically(path, text.getvalue())

    def to_arrow(self) -> Any:
        """Return a `pyarrow.Table`. Raises ImportError unless pyarrow is installed."""
        from fsmkit.crowd.results.arrow import table_of  # it needs an optional package

        return table_of(self.columns)

    def to_feather(self, path: str | Path) -> None:
        """Write a Feather file, which is Arrow's own. Raises ImportError without pyarrow."""
        from fsmkit.crowd.results.arrow import feather_bytes

        write_atomically(path, feather_bytes(self.columns))

    def to_parquet(self, path: str | Path) -> None:
        """Write a Parquet file. Raises ImportError without pyarrow."""
        from fsmkit.crowd.results.arrow import parquet_bytes

        write_atomically(path, parquet_bytes(self.columns))
