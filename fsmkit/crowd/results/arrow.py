"""Arrow files of columns. pyarrow, an optional package, is imported here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

try:
    import pyarrow
    from pyarrow import feather, parquet
except ImportError as error:
    raise ImportError("Arrow files need pyarrow: pip install 'fsmkit[arrow]'.") from error


def table_of(columns: Mapping[str, Any]) -> Any:
    """Return the columns as a `pyarrow.Table`."""
    return pyarrow.table(dict(columns))


def feather_bytes(columns: Mapping[str, Any]) -> bytes:
    """Return the content of a Feather file, version 2, which is an Arrow IPC file."""
    output = pyarrow.BufferOutputStream()
    feather.write_feather(table_of(columns), output)
    return bytes(output.getvalue())


def parquet_bytes(columns: Mapping[str, Any]) -> bytes:
    """Return the content of a Parquet file."""
    output = pyarrow.BufferOutputStream()
    parquet.write_table(table_of(columns), output)
    return bytes(output.getvalue())
