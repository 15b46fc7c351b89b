"""Results in files: npz, CSV, Feather, Parquet."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fsmkit.crowd.results import ResultTable


class Columns(ResultTable):
    def __init__(self, **columns: Any) -> None:
        self._columns = {name: np.array(column) for name, column in columns.items()}

    @property
    def columns(self) -> dict[str, Any]:
        return self._columns


TABLE = Columns(
    **{
        "time": [0.0, 0.5],
        "mean(x, Go home)": [1.0, np.nan],
        "count(A/B)": [3, 4],
        "file": [True, False],
        "error": ["", "a, b\nc"],
    }
)


def same(columns: Any, names: Any) -> None:
    assert list(names) == list(TABLE.columns)
    for name, column in TABLE.columns.items():
        np.testing.assert_array_equal(np.asarray(columns[name]), column)


def test_npz_has_an_array_for_each_column(tmp_path: Path) -> None:
    TABLE.to_npz(tmp_path / "results.npz")
    with np.load(tmp_path / "results.npz", allow_pickle=False) as file:
        same(file, file.files)
        assert [file[name].dtype for name in file.files] == [
            column.dtype for column in TABLE.columns.values()
        ]


def test_the_same_results_are_the_same_file(tmp_path: Path) -> None:
    for name in "ab":
        TABLE.to_npz(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_csv_has_the_names_in_its_first_line(tmp_path: Path) -> None:
    TABLE.to_csv(tmp_path / "results.csv")
    assert (tmp_path / "results.csv").read_text("utf-8") == (
        'time,"mean(x, Go home)",count(A/B),file,error\n'
        "0.0,1.0,3,True,\n"
        '0.5,nan,4,False,"a, b\nc"\n'
    )


@pytest.mark.slow
def test_arrow_files_have_the_columns(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import feather, parquet

    TABLE.to_feather(tmp_path / "results.feather")
    TABLE.to_parquet(tmp_path / "results.parquet")
    tables = [
        TABLE.to_arrow(),
        feather.read_table(tmp_path / "results.feather"),
        parquet.read_table(tmp_path / "results.parquet"),
    ]
    for table in tables:
        same({name: table[name].to_numpy() for name in table.column_names}, table.column_names)
        assert [str(kind) for kind in table.schema.types] == [
            "double", "double", "int64", "bool", "string",
        ]  # fmt: skip


def test_without_pyarrow_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for module in ("feather", "parquet"):
        monkeypatch.delitem(sys.modules, f"pyarrow.{module}", raising=False)
    for write in (TABLE.to_feather, TABLE.to_parquet):
        with pytest.raises(ImportError, match=r"pip install 'fsmkit\[arrow\]'"):
            write(tmp_path / "results")
    assert list(tmp_path.iterdir()) == []


def test_a_table_without_rows_is_written_too(tmp_path: Path) -> None:
    empty = Columns(time=np.zeros(0))
    empty.to_npz(tmp_path / "a.npz")
    empty.to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text("utf-8") == "time\n"
    assert len(empty) == 0


def test_as_text_a_long_table_has_its_first_and_last_rows() -> None:
    table = Columns(name=[f"n{n}" for n in range(100)], value=[n / 3 for n in range(100)])
    lines = str(table).splitlines()
    assert len(lines) == 1 + 12 + 1 + 12
    assert lines[:2] == ["name     value", "  n0         0"]
    assert lines[12:15] == [" n11   3.66667", " ...       ...", " n88   29.3333"]
    assert str(Columns(name=[], value=[])) == "name  value"


def test_a_folder_is_refused_as_a_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        TABLE.to_csv(tmp_path)
