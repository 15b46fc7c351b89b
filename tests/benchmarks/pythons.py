"""The same run on several Pythons, each in an environment that uv makes for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SCRIPT = Path(__file__).with_name("run.py")


def run_on(version: str, arguments: Sequence[str]) -> int:
    """Run the benchmark on that Python with the arguments; return the exit code."""
    variables = os.environ | {"UV_PROJECT_ENVIRONMENT": str(Path("build", f"bench-{version}"))}
    variables.pop("VIRTUAL_ENV", None)
    uv = [uv_command(), "run", "--no-default-groups", "--group", "bench"]
    uv += ["--reinstall-package", "fsmkit"]  # so that its kernel is that of today's source
    command = [*uv, "--python", interpreter(version), "python", str(SCRIPT), *arguments]
    return subprocess.run(command, env=variables, check=False).returncode


def uv_command() -> str:
    """Return the uv that runs this program, or the one on the PATH."""
    found = os.environ.get("UV") or shutil.which("uv")
    if found is None:
        sys.exit("--python must be used where uv is installed. Try `python3 -m pip install uv`.")
    return found


def interpreter(version: str) -> str:
    """Return pyenv's Python of that version, if there is one; otherwise uv looks for it."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
    return str(found[-1]) if found else version
