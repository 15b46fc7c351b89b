"""`fsmkit inspect TARGET --static FOLDER`: a page on which the machine runs without a server."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from fsmkit.cli.errors import CommandError
from fsmkit.cli.targets import find, is_path

WITHOUT: Final = (
    *("open", "read_only", "reload", "port", "start"),
    *("stop_on_error", "dashboard", "editor", "agents"),
)
"""Options for a machine that runs here."""

ONE_FILE: Final = "--static needs one TARGET, a Python file: path.py or path.py:function."


def add_static_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    static = command.add_argument_group("without a server")
    static.add_argument(
        "--static",
        type=Path,
        help="write a page into FOLDER on which TARGET, a file, runs in the browser itself",
        metavar="FOLDER",
    )
    static.add_argument(
        "--runtime",
        type=Path,
        default=Path("node_modules"),
        help="where `npm install pyodide @viz-js/viz` has put Python for browsers "
        "(default: node_modules)",
        metavar="FOLDER",
    )


def write_static_page(options: argparse.Namespace) -> int:
    """Write the page and return the exit code. Raises CommandError."""
    from fsmkit.inspector.browser.folder import write_folder

    if wrong := [name for name in WITHOUT if getattr(options, name)]:
        raise CommandError(
            f"--static writes files and runs nothing. Leave out --{wrong[0].replace('_', '-')}."
        )
    [target, *more] = options.targets
    if more or target.endswith(".jsonl"):
        raise CommandError(ONE_FILE)
    build = find(target)
    where = build.label.rpartition(":")[0]
    if not is_path(where):
        raise CommandError(ONE_FILE)
    build()  # what fails here would fail on the page
    try:
        page = write_folder(options.static, Path(where), build.name, options.runtime)
    except OSError as error:
        folder = str(options.static)
        text = f"Cannot write into {folder!r}: {error.strerror}." if error.strerror else str(error)
        raise CommandError(text) from None
    print(page)
    print(f"Serve the folder as it is: python3 -m http.server --directory {options.static}")
    return 0
