"""`fsmkit draw` for GOAP data sets: their actions, and which extends which."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from fsmkit import FsmError
from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.diagram.datasets import (
    datasets_to_dot,
    datasets_to_png,
    datasets_to_svg,
    datasets_to_text,
)

if TYPE_CHECKING:  # imported where it is needed: other commands do without
    from fsmkit.goap import DataSet

FORMATS_OF_DATASETS: Final[dict[str, Callable[[tuple[DataSet, ...], Any], str | bytes]]] = {
    ".svg": lambda datasets, wishes: datasets_to_svg(datasets, **_looks(wishes)),
    ".png": lambda datasets, wishes: datasets_to_png(datasets, **_looks(wishes)),
    ".dot": lambda datasets, wishes: datasets_to_dot(datasets, **_looks(wishes)),
    ".txt": lambda datasets, wishes: datasets_to_text(datasets, facts=wishes.actions) + "\n",
}

NOT_FOR_DATASETS: Final = {
    "findings": False, "senders": False, "recordings": [],
    "machine": None, "depth": None, "around": None,
}  # fmt: skip
"""Options, each with its default."""


def drawn_datasets(
    datasets: tuple[DataSet, ...], kind: str, options: argparse.Namespace
) -> tuple[str | bytes, str]:
    """Return the picture of data sets, and how many there are. Raises CommandError."""
    from fsmkit.goap import DataSetError

    if kind not in FORMATS_OF_DATASETS:
        raise CommandError(
            f"-o {options.output!r}: data sets are drawn as {', '.join(FORMATS_OF_DATASETS)}."
        )
    for name, default in NOT_FOR_DATASETS.items():
        if getattr(options, name) != default:
            raise CommandError(
                f"--{name.replace('recordings', 'recording')} is for machines, not for data sets."
            )
    try:
        picture = FORMATS_OF_DATASETS[kind](datasets, options)
    except (ImportError, DataSetError, TypeError) as error:
        raise CommandError(str(error)) from None
    except FsmError as error:
        raise CommandError(str(error), FAILED) from None
    return picture, f"{len(datasets)} data set{'s' * (len(datasets) != 1)}"


def _looks(options: argparse.Namespace) -> dict[str, Any]:
    return {"facts": options.actions, "dark": options.dark, "direction": options.direction}
