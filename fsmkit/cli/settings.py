"""CheckSettings: the table [tool.fsmkit.check] of a project's pyproject.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from fsmkit.checking.ignores import checked_ignore
from fsmkit.cli.command_errors import CommandError
from fsmkit.cli.files import reading
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.introspection.code_place import shown_path

FILE: Final = "pyproject.toml"
TABLE: Final = "tool.fsmkit"


@frozen
class CheckSettings:
    ignore: tuple[str, ...] = ()
    """As `--ignore`."""
    strict: bool = False
    """As `--strict`."""
    inputs: tuple[str, ...] = ()
    """The events that come from outside."""


def settings_for(folder: Path) -> CheckSettings:
    """Return the settings of the nearest pyproject.toml in `folder` or above that has any.

    Raises CommandError if it cannot be read, or for a wrong key or value.
    """
    for place in (folder, *folder.parents):
        file = place / FILE
        if file.is_file() and (table := _table(file)) is not None:
            return _settings(table, shown_path(file))
    return CheckSettings()


def _table(file: Path) -> dict[str, Any] | None:
    """Return the table `tool.fsmkit.check`; None without a table for fsmkit."""
    name = shown_path(file)
    try:
        with reading(name):
            contents = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CommandError(f"{name!r} is not valid TOML: {error}.") from None
    tool = _table_in(contents, "tool", name)
    if "fsmkit" not in tool:
        return None
    ours = _table_in(tool, TABLE, name)
    _check_keys(ours, ["check"], f"{name}, [{TABLE}]")
    return _table_in(ours, f"{TABLE}.check", name)


def _table_in(outer: dict[str, Any], path: str, file: str) -> dict[str, Any]:
    table = outer.get(path.rpartition(".")[2], {})
    if not isinstance(table, dict):
        raise CommandError(f"{file}: {path} must be a table, [{path}], got {table!r}.")
    return table


def _settings(table: dict[str, Any], file: str) -> CheckSettings:
    where = f"{file}, [{TABLE}.check]"
    _check_keys(table, READERS, where)
    return CheckSettings(**{name: READERS[name](f"{where}: {name}", table[name]) for name in table})


def _check_keys(table: dict[str, Any], known: Any, where: str) -> None:
    names = list(known)
    for name in table:
        if name not in names:
            raise CommandError(
                f"{where}: there is no key {name!r}. {did_you_mean(name, names)}"
                f"The keys are: {', '.join(names)}."
            )


def _texts(example: str, where: str, value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(each, str) and each for each in value):
        return tuple(value)
    raise CommandError(f'{where} must be an array of strings, ["{example}"], got {value!r}.')


def _ignore(where: str, value: object) -> tuple[str, ...]:
    try:
        return tuple(checked_ignore(each) for each in _texts("no-way-out:Limbo", where, value))
    except ValueError as error:
        raise CommandError(f"{where}: {error}") from None


def _flag(where: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise CommandError(f"{where} must be true or false, got {value!r}.")


READERS: Final[dict[str, Callable[[str, object], Any]]] = {
    "ignore": _ignore,
    "strict": _flag,
    "inputs": partial(_texts, "SPOTTED"),
}
