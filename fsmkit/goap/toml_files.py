"""Data sets in TOML files.

name = "Student"

[[extensions]]
dataset = "Needs"
preconditions = { in_class = false }

[[actions]]
name = "Study"
cost = 4
preconditions = { in_class = true, pages = { at_least = 3 } }
effects = { knows_lesson = true, pages = { add = -3 } }
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from fsmkit.goap.action import GoapAction
from fsmkit.goap.arguments import shown
from fsmkit.goap.counts import add, at_least
from fsmkit.goap.dataset import DataSet, DataSetError, Extension

Made = TypeVar("Made")

KEYS_OF_FILE: Final = ("name", "actions", "extensions")
KEYS_OF_ACTION: Final = ("name", "cost", "preconditions", "effects")
KEYS_OF_EXTENSION: Final = ("dataset", "preconditions")


def load_datasets(*paths: str | Path) -> tuple[DataSet, ...]:
    r"""Return the data sets in files, and in all `.toml` files of folders, in order.

    A data set without a `name` has that of its file. No code is run. Raises DataSetError with the
    file and the key for any mistake in a file, OSError if one cannot be read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "Needs.toml")
    ...     _ = file.write_text('[[actions]]\nname = "Eat"\ncost = 2\neffects = {hungry = false}\n')
    ...     [dataset] = load_datasets(folder)
    >>> dataset.name, dataset.actions[0].name
    ('Needs', 'Eat')
    """
    return tuple(_load(path) for path in _files(paths))


def _files(paths: Iterable[str | Path]) -> Iterable[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            yield from (each for each in sorted(path.glob("*.toml")) if not each.is_dir())
        else:
            yield path


def _load(path: Path) -> DataSet:
    written = path.read_bytes()
    try:
        content = tomllib.loads(written.decode("utf-8-sig"))  # editors may begin with a mark
    except UnicodeDecodeError as error:
        raise DataSetError(
            f"{path}: this is not valid TOML: {error}. Save the file as UTF-8."
        ) from None
    except RecursionError:
        raise DataSetError(f"{path}: this is not valid TOML: nested too deeply.") from None
    except ValueError as error:  # tomllib's own, and that of a number of too many digits
        raise DataSetError(f"{path}: this is not valid TOML: {error}.") from None
    _check_keys(content, KEYS_OF_FILE, str(path))
    return DataSet(
        _text(content.get("name", path.stem), f"{path}: name"),
        _each(content, "actions", path, _action),
        _each(content, "extensions", path, _extension),
        source=str(path),
    )


def _each(
    content: Mapping[str, Any], key: str, path: Path, make: Callable[[Mapping[str, Any], str], Any]
) -> list[Any]:
    tables = content.get(key, [])
    if not isinstance(tables, list):
        raise DataSetError(
            f"{path}: {key} must be written as [[{key}]], one for each, got {shown(tables)}."
        )
    return [make(table, f"{path}: {key}[{index}]") for index, table in enumerate(tables)]


def _action(table: Mapping[str, Any], place: str) -> GoapAction:
    _check_keys(table, KEYS_OF_ACTION, place)
    if "name" not in table:
        raise DataSetError(f"{place}: the key 'name' is missing. Add it.")
    place = f"{place} ({_text(table['name'], f'{place}: name')})"
    return _made(GoapAction, table, place)


def _extension(table: Mapping[str, Any], place: str) -> Extension:
    _check_keys(table, KEYS_OF_EXTENSION, place)
    if "dataset" not in table:
        raise DataSetError(f"{place}: the key 'dataset' is missing. Add it.")
    return _made(Extension, table, place)


def _counted(table: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the table with `{ at_least = 3 }` and `{ add = 1 }` as what they stand for."""
    found = dict(table)
    for key, word, make in (("preconditions", "at_least", at_least), ("effects", "add", add)):
        if isinstance(table.get(key), dict):
            found[key] = {
                fact: _with_place(f"{place}: {key}: {fact}", make, value[word])
                if isinstance(value, dict) and [*value] == [word]
                else value
                for fact, value in table[key].items()
            }
    return found


def _made(kind: Callable[..., Made], table: Mapping[str, Any], place: str) -> Made:
    return _with_place(place, kind, **_counted(table, place))


def _with_place(place: str, make: Callable[..., Made], *arguments: Any, **options: Any) -> Made:
    try:
        return make(*arguments, **options)
    except (TypeError, ValueError) as error:
        raise DataSetError(f"{place}: {error}") from None


def _check_keys(table: object, known: tuple[str, ...], place: str) -> None:
    if not isinstance(table, Mapping):
        raise DataSetError(
            f"{place} must be a table with the keys {', '.join(known)}, got {shown(table)}."
        )
    for key in table:
        if key not in known:
            raise DataSetError(
                f"{place}: unknown key {key!r}. It knows {', '.join(known)}. Check the spelling."
            )


def _text(value: object, place: str) -> str:
    if not isinstance(value, str) or not value:
        raise DataSetError(f"{place} must be a non-empty text, got {shown(value)}.")
    return value
