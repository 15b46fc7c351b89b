"""Builds the kernel into a wheel, or beside its source when editable; adds the demo and the pages.

README.md becomes the description in the package index, where only absolute links lead anywhere.
They lead to the tag of the version, in the repository that `[project.urls]` names.

FSMKIT_KERNEL in the environment chooses: 0 leaves the kernel out, 1 makes a failure an error.
Without it, a kernel that cannot be compiled is left out, and fsmkit is pure Python.
"""

import os
import re
import shutil
import sys
import sysconfig
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

FOLDER = "fsmkit/core"
GAME = ("examples", "night_guard")
DEMO_FOLDER = "fsmkit/cli/night_guard"
PAGES = "docs"
PAGES_FOLDER = "fsmkit/cli/docs"
"""Where `fsmkit mcp` searches them."""
FILE_NAME = f"_kernel{sysconfig.get_config_var('EXT_SUFFIX')}"


LINK = re.compile(r"(?<=\]\()(?!https?:|#)(?P<path>[^)\s]+)(?=\))")
IMAGE = re.compile(r"(?P<before>!\[[^\]]*\]\()(?!https?:)(?P<path>[^)\s]+)(?=\))")
SOURCE = re.compile(r'(?<=src=")(?!https?:)(?P<path>[^"]+)(?=")')
PICTURE = re.compile(r"<picture>\s*<source [^>]*>\s*(<img [^>]*>)\s*</picture>")


class ReadmeHook(MetadataHookInterface):
    """Makes the description of the package from README.md."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the description into what is known of the package."""
        text = Path(self.root, "README.md").read_text("utf-8")
        repository = metadata["urls"]["Source"]
        text = with_absolute_links(text, repository, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def with_absolute_links(text: str, repository: str, tag: str) -> str:
    """Return Markdown with links to files, and pictures, as they are at a tag on GitHub.

    Of bright and dark pictures the bright ones stay: the index is bright for everybody.
    """
    raw = repository.replace("https://github.com/", "https://raw.githubusercontent.com/")
    text = PICTURE.sub(r"\1", text)
    text = IMAGE.sub(rf"\g<before>{raw}/{tag}/\g<path>", text)
    text = SOURCE.sub(rf"{raw}/{tag}/\g<path>", text)
    return LINK.sub(rf"{repository}/blob/{tag}/\g<path>", text)


class KernelHook(BuildHookInterface):
    """Adds the kernel, the game of `fsmkit demo`, and the pages, to what hatchling builds."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the kernel and put it where it belongs."""
        self.scratch = TemporaryDirectory(prefix="fsmkit-")
        kernel = self.compiled_if_wished()
        if version == "editable":
            self.put_beside_its_source(kernel)
            return
        build_data["force_include"][str(Path(self.root, *GAME))] = DEMO_FOLDER
        build_data["force_include"].update(self.pages())
        if kernel is not None:
            build_data["force_include"][str(kernel)] = f"{FOLDER}/{FILE_NAME}"
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def pages(self) -> dict[str, str]:
        """Return the pages of the documentation, each with its place in the wheel."""
        folder = Path(self.root, PAGES)
        pages = (page.relative_to(folder) for page in folder.rglob("*.md"))
        return {
            str(folder / page): f"{PAGES_FOLDER}/{page.as_posix()}"
            for page in pages
            if page.parts[0] != "_build"
        }

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled."""
        self.scratch.cleanup()

    def compiled_if_wished(self) -> Path | None:
        """Return the compiled kernel; None if there is to be none, or can be none."""
        wish = os.environ.get("FSMKIT_KERNEL", "")
        if wish not in {"", "0", "1"}:
            raise ValueError(f"FSMKIT_KERNEL must be 0, 1 or not set, got {wish!r}.")
        has_gil = not sysconfig.get_config_var("Py_GIL_DISABLED")
        if wish == "0" or sys.implementation.name != "cpython" or not has_gil:
            return None
        try:
            with chdir(self.root):
                return compiled(self.scratch.name)
        except Exception as error:
            if wish == "1":
                raise
            self.app.display_warning(f"fsmkit is built without its kernel: {error}")
            return None

    def put_beside_its_source(self, kernel: Path | None) -> None:
        """Replace the kernel that an editable installation loads; without one, remove it."""
        beside = Path(self.root, FOLDER, FILE_NAME)
        beside.unlink(missing_ok=True)  # not overwritten: a running program may have loaded it
        if kernel is not None:
            shutil.copy(kernel, beside)
        # Were it tagged py3-none-any, uv would reuse it for other Pythons, which need their own.
        builder = self.build_config.builder
        builder.get_default_tag = builder.get_best_matching_tag


def compiled(scratch: str) -> Path:
    """Compile the kernel in the folder `scratch`."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    kernel = Extension(
        "fsmkit.core._kernel",
        [f"{FOLDER}/_kernel.c"],
        extra_compile_args=[] if os.name == "nt" else ["-O3"],
    )
    command = build_ext(Distribution({"ext_modules": [kernel]}))
    command.build_lib = command.build_temp = scratch
    command.ensure_finalized()
    command.run()
    return Path(command.get_ext_fullpath(kernel.name))
