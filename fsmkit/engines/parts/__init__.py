"""What the adapters of all engines share, and the error of one whose engine cannot be imported."""

from __future__ import annotations


def missing(engine: str, extra: str, error: ImportError, *packages: str) -> ImportError:
    """Return the error to raise when an engine could not be imported.

    `packages` are those it consists of, by default one named like the extra. One that is not found
    is not installed; any other failure mostly means that a file of the user's hides it.

    >>> missing("Arcade", "arcade", ModuleNotFoundError("...", name="arcade")).msg
    "fsmkit.engines.arcade needs Arcade: pip install 'fsmkit[arcade]'."
    """
    packages = packages or (extra,)
    adapter = f"fsmkit.engines.{extra}"
    if isinstance(error, ModuleNotFoundError) and error.name in packages:
        return ImportError(f"{adapter} needs {engine}: pip install 'fsmkit[{extra}]'.")
    files = " or ".join(f"{package}.py" for package in packages)
    return ImportError(
        f"{adapter} could not import {engine}: {error}. If a file of your own is called {files}, "
        f"it hides {engine}: give it another name."
    )
