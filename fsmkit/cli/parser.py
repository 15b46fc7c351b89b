"""CommandParser: arguments of a command, with help for what is misspelt."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from fsmkit.core.words.suggestions import did_you_mean, similar


class CommandParser(argparse.ArgumentParser):
    """The parser of one command, or of the whole program.

    It refuses unknown arguments itself, so that the usage shown is that of the command, and says
    which option may be meant.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options
        )

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]  # it is overloaded
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        """Parse all arguments; there are none that are left to others."""
        known, others = super().parse_known_args(args, namespace)
        if others:
            unknown = [each for each in others if each.startswith("-")] or others
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._meant(unknown[0])}")
        return known, others

    def _meant(self, argument: str) -> str:
        options = [name for name in self._option_string_actions if name.startswith("--")]
        meant = similar(argument.partition("=")[0], options)
        return f". Did you mean {meant}?" if meant and argument.startswith("--") else ""


def check_command(
    parser: argparse.ArgumentParser, arguments: Sequence[str], commands: Iterable[str]
) -> None:
    """End the program with an error if the first argument that is no option is not a command."""
    names = list(commands)
    name = next((each for each in arguments if not each.startswith("-")), None)
    if name is not None and name not in names:
        parser.error(
            f"There is no command {name!r}. {did_you_mean(name, names)}"
            f"The commands are: {', '.join(names)}."
        )
