"""For PyInstaller: the actions, each of which is imported by its name when first asked for."""

from PyInstaller.utils.hooks import collect_submodules

hiddenimports = collect_submodules("actions")
