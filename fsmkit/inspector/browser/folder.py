"""Folders of files in which programs run and are inspected, in any browser, without a server."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from html import escape
from importlib.metadata import distribution
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from attrs import frozen

from fsmkit.introspection.data_files import data_files

PAGE: Final = files("fsmkit.inspector") / "page"

PYODIDE: Final = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
"""The files of Pyodide that are needed; the others are for developers."""

VIZ: Final = "@viz-js/viz/dist/viz.js"

OURS: Final = ("fsmkit", "actions")

DEPENDENCIES: Final = ("attrs", "typing_extensions")

POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; "
    "style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'"
)
"""A page, and the programs on it, may load files beside it, nothing from elsewhere."""

EARLY: Final = (1980, 1, 1, 0, 0, 0)
"""The time of all files in the archive, which makes its bytes reproducible."""


def write_folder(folder: Path, program: Path, function: str, runtime: Path) -> Path:
    """Write a page into `folder` on which `program` runs and is inspected; return its file.

    `program` is a Python file that imports nothing but fsmkit and the standard library, and
    `function` the name of the one in it that returns the machine or machines. `runtime` is a
    `node_modules` folder in which `npm install pyodide @viz-js/viz` has put Python for browsers,
    and Graphviz; without the latter the states are listed instead of drawn. Everything is copied:
    the page loads nothing from elsewhere. Several programs may share a folder.

    Raises FileNotFoundError if a file is missing.
    """
    if not program.is_file():
        raise FileNotFoundError(f"There is no file {str(program)!r}.")
    _write_common(folder, runtime)
    _write_program(folder, program.name, program.read_text(encoding="utf-8"))
    page = folder / f"{program.stem}.html"
    named = (
        f'<meta name="fsmkit-program" content="programs/{escape(program.name)}"'
        f' data-function="{escape(function)}">\n'
    )
    page.write_text(_page("start", named), encoding="utf-8")
    return page


@frozen
class PlayedProgram:
    file: str
    title: str
    group: str
    """What it is listed under; "": above all groups."""
    source: str
    test: str = ""
    """The text of its test, which can be downloaded with it."""

    @property
    def test_file(self) -> str:
        folder, _, name = self.file.rpartition("/")
        return f"{folder}/test_{name}".lstrip("/") if self.test else ""


def write_playground(folder: Path, programs: Sequence[PlayedProgram], runtime: Path) -> Path:
    """Write a page into `folder` on which programs are chosen, changed and run; return its file.

    The rest is as for `write_folder`. Of a program with a function `build`, the machines that it
    returns are shown; any other is run as a script.
    """
    _write_common(folder, runtime)
    for program in programs:
        _write_program(folder, program.file, program.source)
        if program.test:
            _write_program(folder, program.test_file, program.test)
    listed = [
        {"file": each.file, "title": each.title, "group": each.group, "test": each.test_file}
        for each in programs
    ]
    (folder / "programs.json").write_text(json.dumps(listed, indent=1), encoding="utf-8")
    page = folder / "index.html"
    page.write_text(_page("playground"), encoding="utf-8")
    return page


def _write_common(folder: Path, runtime: Path) -> None:
    _copy_runtime(folder, runtime)
    for name, file in data_files(PAGE).items():
        if name != "index.html":  # the folder has its own
            _write_bytes(folder / "page" / name, file.read_bytes())
    _write_packages(folder / "python.zip")


def _write_program(folder: Path, file: str, source: str) -> None:
    _write_bytes(folder / "programs" / file, source.encode())


def _write_bytes(place: Path, content: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)


def _copy_runtime(folder: Path, runtime: Path) -> None:
    pyodide = runtime / "pyodide"
    for name in PYODIDE:
        if not (pyodide / name).is_file():
            raise FileNotFoundError(
                f"{str(runtime)!r} has no {name!r} of Pyodide. Run `npm install pyodide "
                "@viz-js/viz` in some folder, and pass the node_modules folder in it."
            )
    (folder / "pyodide").mkdir(parents=True, exist_ok=True)
    for name in PYODIDE:
        shutil.copyfile(pyodide / name, folder / "pyodide" / name)
    if (runtime / VIZ).is_file():
        (folder / "graphviz").mkdir(exist_ok=True)
        shutil.copyfile(runtime / VIZ, folder / "graphviz" / "viz.js")


def _page(script: str, more: str = "") -> str:
    """Return the inspector's page with a script of `page/browser`, and with `more` in its head."""
    index = (PAGE / "index.html").read_text(encoding="utf-8")
    head = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n{more}'
    style = '<link rel="stylesheet" href="page/browser/browser.css">\n'
    index = index.replace("<title>", f"{head}<title>", 1)
    tag = '<script type="module" src="page/{}.js">'
    return index.replace(tag.format("live"), style + tag.format(f"browser/{script}"))


def _write_packages(archive: Path) -> None:
    """Write fsmkit as it is installed here and its dependencies, all of it pure Python."""
    with ZipFile(archive, "w", ZIP_DEFLATED) as file:
        for name, path in (*_ours(), *_dependencies()):
            file.writestr(ZipInfo(name, EARLY), path.read_bytes(), ZIP_DEFLATED)


def _ours() -> Iterator[tuple[str, Traversable]]:
    for package in OURS:
        for name, file in data_files(files(package)).items():
            if name.endswith(".py"):
                yield f"{package}/{name}", file


def _dependencies() -> Iterator[tuple[str, Path]]:
    """Yield the files of packages, with their licences."""
    for package in DEPENDENCIES:
        for file in sorted(distribution(package).files or ()):
            if ".." not in file.parts and file.suffix != ".pyc":
                yield file.as_posix(), Path(str(file.locate()))
