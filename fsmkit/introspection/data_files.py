"""Files that are no code, which belong to a package: in a folder, or in the zip it runs from."""

from __future__ import annotations

from importlib.resources.abc import Traversable


def data_files(folder: Traversable) -> dict[str, Traversable]:
    """Return the files in `folder` and below it, by their paths within it, in order.

    >>> from importlib.resources import files
    >>> [name for name in data_files(files("fsmkit.introspection")) if name.startswith("data")]
    ['data_files.py']
    """
    found: dict[str, Traversable] = {}
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_file():
            found[entry.name] = entry
        elif entry.name != "__pycache__":
            below = data_files(entry)
            found.update({f"{entry.name}/{name}": file for name, file in below.items()})
    return found
