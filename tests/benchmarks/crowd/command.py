"""What the commands here have in common: the option `--quick`, and the line about the computer."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from results import environment


def parser(documentation: str | None) -> ArgumentParser:
    """Return a parser that knows `--quick`."""
    made = ArgumentParser(description=(documentation or "").partition("\n")[0])
    made.add_argument("--quick", action="store_true", help="few and small: a first look")
    return made


def options(documentation: str | None) -> Namespace:
    """Return the options of a command that knows no others."""
    return parser(documentation).parse_args()


def title() -> str:
    """Return where and when the figures are taken."""
    where = environment()
    machine = f"{where['python']}, {where['cpu']} ({where['cores']} cores, {where['system']})"
    return f"{machine}, {where['date']}\n"
