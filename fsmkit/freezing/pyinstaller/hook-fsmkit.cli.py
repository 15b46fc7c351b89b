"""For PyInstaller: the commands, the files that `fsmkit new` writes, and the game of `fsmkit demo`.

The game is a folder of sources, and stays one. What they import is found in their text.
"""

import ast
from pathlib import Path

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

from fsmkit.cli.demo import night_guard

GAME = night_guard()
FILES = [path for path in GAME.rglob("*") if path.is_file() and path.suffix != ".pyc"]
OWN = {path.stem for path in GAME.iterdir()}


def imported_modules(text: str) -> set[str]:
    """Return the modules that a source imports."""
    nodes = list(ast.walk(ast.parse(text)))
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return plain | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


sources = [path.read_text("utf-8") for path in FILES if path.suffix == ".py"]
imported = set[str]().union(*map(imported_modules, sources))
hiddenimports = [
    *collect_submodules("fsmkit.cli"),
    *(name for name in imported if name.partition(".")[0] not in OWN),
]
datas = [
    *collect_data_files("fsmkit.cli", includes=["templates/*"]),
    *(
        (str(path), str(Path("fsmkit/cli/night_guard", path.relative_to(GAME)).parent))
        for path in FILES
    ),
]
