"""What freezers are told of fsmkit, so that a frozen game has all that it uses.

PyInstaller asks for the folder by the entry point `pyinstaller40`. Its files are no modules.
"""

from pathlib import Path

__all__ = ["hook_folders"]


def hook_folders() -> list[str]:
    """Return the folder in which PyInstaller finds the files `hook-MODULE.py`.

    >>> [Path(folder).name for folder in hook_folders()]
    ['pyinstaller']
    """
    return [str(Path(__file__).parent / "pyinstaller")]
