"""Make a release, up to the upload: python3 docs/making/release.py VERSION.

It writes the version and the changelog, runs all checks, builds the packages, checks
these too, and commits and tags the release, on this computer only. Where something fails,
the files are as before. It needs uv; see docs/making/release.md.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PYPROJECT, CHANGELOG, INSTALL = (
    ROOT / name for name in ("pyproject.toml", "CHANGELOG.md", "docs/install.md")
)
DIST: Final = ROOT / "dist"

UNRELEASED: Final = "## Unreleased\n"
VERSION: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)")

NEXT: Final = """
Release {version} is in dist/, committed and tagged v{version}, on this computer only. Now:
  git push origin HEAD v{version}
  put the wheels with the kernel, which the workflow "wheels" builds from the tag, into dist/
  python3 -m uv publish dist/fsmkit-{version}*
"""


class ReleaseError(Exception):
    """A release cannot be made; the message says what to do."""


def main(arguments: list[str]) -> int:
    """Make a release, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("version", help="such as 1.2.0")
    parser.add_argument(
        "--unchecked", action="store_true", help="do not run .ci/run: it has just passed"
    )
    options = parser.parse_args(arguments)
    try:
        release(options.version, is_checked=not options.unchecked)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print(NEXT.format(version=options.version))
    return 0


def release(version: str, *, is_checked: bool) -> None:
    """Make a release. Raises ReleaseError, and then nothing has changed but the folder dist/."""
    project = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
    old = project["version"]
    check_version(version, old)
    check_repository(project["urls"]["Source"])
    day = datetime.now(UTC).date().isoformat()
    with put_back_on_failure(PYPROJECT, CHANGELOG, INSTALL):
        rewrite(PYPROJECT, f'\nversion = "{old}"\n', f'\nversion = "{version}"\n')
        rewrite(CHANGELOG, UNRELEASED, f"{UNRELEASED}\n## {version} - {day}\n")
        rewrite(INSTALL, f"fsmkit-{old}-", f"fsmkit-{version}-")
        rewrite(INSTALL, f"fsmkit {old} (", f"fsmkit {version} (")
        if is_checked:
            run("bash", ".ci/run")
        build(version)
        run("git", "commit", "--quiet", "--all", "--message", f"Release {version}")
        run("git", "tag", "--annotate", f"v{version}", "--message", f"Release {version}")


def check_version(version: str, old: str) -> None:
    """Raise ReleaseError unless the version may follow the old one."""
    if VERSION.fullmatch(version) is None:
        raise ReleaseError(f"The version must be three numbers, such as 1.2.0, got {version!r}.")
    if tuple(map(int, version.split("."))) <= tuple(map(int, old.split("."))):
        raise ReleaseError(f"The version must be higher than {old}, got {version}.")
    _, _, after = CHANGELOG.read_text("utf-8").partition(UNRELEASED)
    if not after.partition("\n## ")[0].strip():
        raise ReleaseError("CHANGELOG.md says nothing under Unreleased. Write what has changed.")


def check_repository(source: str) -> None:
    """Raise ReleaseError unless everything is committed, and the index will link to this place."""
    if said("git", "status", "--porcelain"):
        raise ReleaseError("There are changes that are not committed. Commit them, or stash them.")
    origin = said("git", "config", "--get", "remote.origin.url")
    address = re.sub(r"^(?:ssh://)?git@([^:/]+)[:/]", r"https://\1/", origin).removesuffix(".git")
    if address.startswith("https://") and address != source:
        raise ReleaseError(
            f"origin is {address}, but Source in [project.urls] of pyproject.toml is {source}. "
            "Links in the package index lead there: correct the one that is wrong."
        )


def build(version: str) -> None:
    """Build the source and the wheel without the kernel, and check them as the index does."""
    for each in DIST.glob(f"fsmkit-{version}*"):
        each.unlink()
    uv("build", "--quiet", "--sdist", "--out-dir", str(DIST))
    uv("build", "--quiet", "--wheel", "--out-dir", str(DIST), FSMKIT_KERNEL="0")
    built = [DIST / f"fsmkit-{version}{end}" for end in (".tar.gz", "-py3-none-any.whl")]
    tool = ("run", "--quiet", "--group", "release")
    uv(*tool, "twine", "check", "--strict", *map(str, built))
    uv(*tool, "pytest", "-q", "tests/docs/test_package_index.py")


def uv(*arguments: str, **environment: str) -> None:
    """Run uv. Raises ReleaseError if it fails."""
    run(sys.executable, "-m", "uv", *arguments, **environment)


@contextmanager
def put_back_on_failure(*paths: Path) -> Iterator[None]:
    """Give the files their old content if the block raises."""
    before = {path: path.read_bytes() for path in paths}
    try:
        yield
    except BaseException:
        for path, content in before.items():
            path.write_bytes(content)
        raise


def rewrite(path: Path, old: str, new: str) -> None:
    """Replace a text in a file. Raises ReleaseError if it is not there once."""
    text = path.read_text("utf-8")
    if text.count(old) != 1:
        name = path.relative_to(ROOT).as_posix()
        raise ReleaseError(f"{name} must have {old.strip()!r} once, got {text.count(old)} times.")
    path.write_text(text.replace(old, new), "utf-8", newline="\n")


def run(*command: str, **environment: str) -> None:
    """Run a command in the repository. Raises ReleaseError if it fails."""
    print("==", *command, flush=True)
    ended = subprocess.run(command, cwd=ROOT, env=os.environ | environment, check=False)
    if ended.returncode:
        raise ReleaseError(f"`{' '.join(command)}` failed, with the exit code {ended.returncode}.")


def said(*command: str) -> str:
    """Return what a command prints."""
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return ended.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
