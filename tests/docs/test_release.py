"""docs/making/release.py, in a repository with the three files that it writes."""

import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from making import release

SOURCE = "https://github.com/guards/fsmkit"
FILES = {
    "pyproject.toml": f'[project]\nname = "fsmkit"\nversion = "0.2.0"\nurls.Source = "{SOURCE}"\n',
    "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- Doors.\n\n## 0.1.0 - 2026-11-21\n\n- All.\n",
    "docs/install.md": "A wheel: `fsmkit-0.2.0-py3-none-any.whl`\n\nfsmkit 0.2.0 (kernel)\n",
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository; `git` works in it, and building does nothing."""
    (tmp_path / "docs").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    for name, file in zip(("PYPROJECT", "CHANGELOG", "INSTALL"), FILES, strict=True):
        monkeypatch.setattr(release, name, tmp_path / file)
    monkeypatch.setattr(release, "build", lambda _version: None)
    for variable in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{variable}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{variable}_EMAIL", "ann@example.org")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")
    return tmp_path


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def texts(repository: Path) -> dict[str, str]:
    return {name: (repository / name).read_text("utf-8") for name in FILES}


@pytest.mark.slow
def test_a_release_is_written_committed_and_tagged(repository: Path) -> None:
    assert release.main(["0.3.0", "--unchecked"]) == 0
    written = texts(repository)
    assert 'version = "0.3.0"' in written["pyproject.toml"]
    assert "0.2.0" not in written["docs/install.md"]
    headings = [line for line in written["CHANGELOG.md"].splitlines() if line.startswith("## ")]
    assert [heading.partition(" - ")[0] for heading in headings] == [
        "## Unreleased", "## 0.3.0", "## 0.1.0",
    ]  # fmt: skip
    assert git(repository, "describe", "--tags") == "v0.3.0"
    assert git(repository, "log", "-1", "--format=%s") == "Release 0.3.0"
    assert git(repository, "status", "--porcelain") == ""


def nothing_new(repository: Path) -> None:
    (repository / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n## 0.1.0\n", "utf-8")
    git(repository, "commit", "--quiet", "--all", "--message", "Nothing new")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "prepare", "message"),
    [
        ("0.3", None, "The version must be three numbers, such as 1.2.0, got '0.3'."),
        ("0.2.0", None, "The version must be higher than 0.2.0, got 0.2.0."),
        (
            "0.3.0",
            nothing_new,
            "CHANGELOG.md says nothing under Unreleased. Write what has changed.",
        ),
        (
            "0.3.0",
            lambda folder: (folder / "new.txt").touch(),
            "There are changes that are not committed. Commit them, or stash them.",
        ),
        (
            "0.3.0",
            lambda folder: git(folder, "remote", "add", "origin", "git@github.com:ann/fsmkit.git"),
            (
                "origin is https://github.com/ann/fsmkit, but Source in [project.urls] of "
                f"pyproject.toml is {SOURCE}. Links in the package index lead there: correct the "
                "one that is wrong."
            ),
        ),
    ],
)
def test_what_cannot_be_released_is_refused(
    repository: Path,
    capsys: pytest.CaptureFixture[str],
    version: str,
    prepare: Callable[[Path], object] | None,
    message: str,
) -> None:
    if prepare is not None:
        prepare(repository)
    before = texts(repository)
    assert release.main([version, "--unchecked"]) == 1
    assert capsys.readouterr().err == f"release: {message}\n"
    assert texts(repository) == before


@pytest.mark.slow
def test_an_origin_that_is_the_source_is_fine(repository: Path) -> None:
    git(repository, "remote", "add", "origin", "git@github.com:guards/fsmkit.git")
    assert release.main(["0.3.0", "--unchecked"]) == 0


@pytest.mark.slow
def test_where_a_check_fails_the_files_are_as_before(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release.main(["0.3.0"]) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("release: `bash .ci/run` failed, with the exit code ")
    assert texts(repository) == FILES
    assert git(repository, "tag") == ""


def test_the_files_of_this_repository_have_what_a_release_rewrites() -> None:
    version = tomllib.loads(release.PYPROJECT.read_text("utf-8"))["project"]["version"]
    texts = {
        release.PYPROJECT: [f'\nversion = "{version}"\n'],
        release.CHANGELOG: [release.UNRELEASED],
        release.INSTALL: [f"fsmkit-{version}-", f"fsmkit {version} ("],
    }
    counts = {
        path.name: [path.read_text("utf-8").count(text) for text in texts[path]] for path in texts
    }
    assert counts == {"pyproject.toml": [1], "CHANGELOG.md": [1], "install.md": [1, 1]}
