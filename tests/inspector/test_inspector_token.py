"""The token stays when the program is started again, and nobody but its user can read it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import webbrowser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from fsmkit import Fsm
from fsmkit.inspector import inspect
from fsmkit.inspector.token import token_for

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")

TOKEN = "0123456789abcdef-_XY"


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The file of a user who has used no inspector yet."""
    monkeypatch.delenv("FSMKIT_INSPECTOR_TOKEN", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "fsmkit" / "inspector-token"


def lamp() -> Fsm[None]:
    fsm = Fsm[None]("Lamp")
    fsm.add_state("On")
    return fsm


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def is_alone(path: Path) -> bool:
    return [each.name for each in path.parent.iterdir()] == [path.name]


def test_the_token_stays_when_the_program_is_started_again(kept: Path) -> None:
    pytest.importorskip("starlette")
    paths = []
    for _ in range(2):
        with inspect(lamp(), announce=None) as inspector:
            paths.append(urlsplit(inspector.url).path)
    assert paths[0] == paths[1] == f"/{kept.read_text().strip()}/"


def test_only_its_user_can_read_the_file(kept: Path) -> None:
    token = token_for(None)
    assert (len(token), mode(kept), mode(kept.parent)) == (32, 0o600, 0o700)
    assert is_alone(kept)


def test_it_lies_in_the_home_by_default(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for not_absolute in ("", "here"):
        monkeypatch.setenv("XDG_STATE_HOME", not_absolute)
        monkeypatch.setenv("HOME", str(kept.parents[2] / "home"))
        token = token_for(None)
        found = kept.parents[2] / "home" / ".local" / "state" / "fsmkit" / "inspector-token"
        assert found.read_text() == f"{token}\n"


def test_programs_that_start_together_have_one_token(kept: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        tokens = set(pool.map(lambda _: token_for(None), range(64)))
    assert tokens == {kept.read_text().strip()}
    assert is_alone(kept)


@pytest.mark.slow
def test_processes_that_start_together_have_one_token(kept: Path) -> None:
    code = "from fsmkit.inspector.token import token_for; print(token_for(None))"
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    tokens = {each.communicate()[0].strip() for each in started}
    assert tokens == {kept.read_text().strip()}
    assert is_alone(kept)


@pytest.mark.parametrize("open_to", [0o644, 0o640, 0o620, 0o602, 0o660, 0o777])
def test_a_token_that_others_could_read_or_write_is_replaced(kept: Path, open_to: int) -> None:
    kept.parent.mkdir(parents=True)
    kept.write_text(TOKEN)
    kept.chmod(open_to)
    token = token_for(None)
    assert token != TOKEN
    assert (kept.read_text(), mode(kept)) == (f"{token}\n", 0o600)
    assert token_for(None) == token


GARBAGE = [
    b"", b"\n", b"short", b"with a blank in the middle", b"../../etc/passwd-padding", b"\0" * 40,
    b"\xff" * 40, b"a" * 129, b"a" * 10_000, TOKEN.encode() + b"\n" + TOKEN.encode(),
    "0123456789abcdefé".encode(), "\u0661".encode() * 20,
]  # fmt: skip


@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage_is_replaced(kept: Path, garbage: bytes) -> None:
    kept.parent.mkdir(parents=True)
    kept.write_bytes(garbage)
    kept.chmod(0o600)
    token = token_for(None)
    assert (len(token), kept.read_text()) == (32, f"{token}\n")


def test_a_link_is_not_followed_but_replaced(kept: Path, tmp_path: Path) -> None:
    kept.parent.mkdir(parents=True)
    other = tmp_path / "other"
    other.write_text(TOKEN)
    other.chmod(0o600)
    kept.symlink_to(other)
    token = token_for(None)
    assert token != TOKEN
    assert (kept.is_symlink(), kept.read_text()) == (False, f"{token}\n")
    assert other.read_text() == TOKEN


def test_a_link_that_leads_nowhere_is_replaced(kept: Path, tmp_path: Path) -> None:
    kept.parent.mkdir(parents=True)
    kept.symlink_to(tmp_path / "nowhere")
    token = token_for(None)
    assert (kept.is_symlink(), kept.read_text()) == (False, f"{token}\n")
    assert not (tmp_path / "nowhere").exists()


def test_a_pipe_does_not_hold_the_program(kept: Path) -> None:
    kept.parent.mkdir(parents=True)
    os.mkfifo(kept, 0o600)
    token = token_for(None)
    assert kept.read_text() == f"{token}\n"


def test_a_file_of_another_user_is_not_used(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token = token_for(None)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert token_for(None) != token


def test_an_unreadable_file_is_replaced(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, can_open = token_for(None), os.open

    def refuse(path: Any, flags: int, *more: Any, **options: Any) -> int:
        if path == kept and flags & os.O_ACCMODE == os.O_RDONLY:  # root could read everything
            raise PermissionError(13, "Permission denied", str(path))
        return can_open(path, flags, *more, **options)

    kept.chmod(0)
    monkeypatch.setattr(os, "open", refuse)
    token = token_for(None)
    monkeypatch.undo()
    assert token != before
    assert (kept.read_text(), mode(kept)) == (f"{token}\n", 0o600)


def in_the_way(kept: Path) -> None:
    kept.mkdir(parents=True)


def file_for_folder(kept: Path) -> None:
    kept.parent.parent.mkdir()
    kept.parent.write_text("")


@pytest.mark.parametrize("block", [in_the_way, file_for_folder])
def test_where_nothing_can_be_kept_there_is_a_token_for_this_run(
    kept: Path, block: Callable[[Path], None]
) -> None:
    block(kept)
    tokens = {token_for(None) for _ in range(2)}
    assert [len(token) for token in tokens] == [32, 32]


def test_a_link_planted_while_the_token_is_written_is_not_followed(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.write_text(TOKEN)
    can_link = Path.hardlink_to

    def plant_first(path: Path, draft: str) -> None:
        path.symlink_to(other)
        can_link(path, draft)

    monkeypatch.setattr(Path, "hardlink_to", plant_first)
    token = token_for(None)
    assert (kept.is_symlink(), kept.read_text(), mode(kept)) == (False, f"{token}\n", 0o600)
    assert other.read_text() == TOKEN
    assert is_alone(kept)


@pytest.mark.parametrize("error", [PermissionError(13, "denied"), OSError(28, "no space left")])
def test_in_a_folder_that_takes_no_file_there_is_a_token_for_this_run(
    kept: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    def refuse(**_: object) -> None:
        raise error

    monkeypatch.setattr("fsmkit.inspector.token.mkstemp", refuse)  # root could write anywhere
    tokens = {token_for(None) for _ in range(2)}
    assert [len(token) for token in tokens] == [32, 32]
    assert [*kept.parent.iterdir()] == []


def test_without_a_home_there_is_a_token_for_this_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", no_home)
    tokens = {token_for(None) for _ in range(2)}
    assert [len(token) for token in tokens] == [32, 32]


def test_an_argument_comes_before_the_environment_and_that_before_the_file(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FSMKIT_INSPECTOR_TOKEN", f"{TOKEN}-of-the-environment")
    assert token_for(TOKEN) == TOKEN
    assert token_for(None) == f"{TOKEN}-of-the-environment"
    assert not kept.exists()


@pytest.mark.parametrize(
    "wrong", ["", "short", f"{TOKEN}/..", f"{TOKEN}?", f"{TOKEN}é", f"{TOKEN}\n"]
)
def test_what_is_no_token_is_refused_without_showing_it(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("starlette")
    fsm = lamp()
    with pytest.raises(ValueError, match="^token must be 16 to 128 letters") as raised:
        inspect(fsm, announce=None, token=wrong)
    assert not wrong or wrong not in str(raised.value)
    with inspect(fsm, announce=None, token=TOKEN) as inspector:  # it was left as it was
        assert urlsplit(inspector.url).path == f"/{TOKEN}/"
    if wrong:
        monkeypatch.setenv("FSMKIT_INSPECTOR_TOKEN", wrong)
        with pytest.raises(ValueError, match="^FSMKIT_INSPECTOR_TOKEN must be"):
            token_for(None)


def test_a_token_must_be_a_string() -> None:
    not_text: Any = 12345678901234567890
    with pytest.raises(TypeError, match="token must be a string or None, got 123"):
        token_for(not_text)


def test_the_page_can_be_opened_in_the_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("starlette")
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with inspect(lamp(), announce=None) as inspector:
        assert opened == []
    with inspect(lamp(), announce=None, open=True) as inspector:
        assert opened == [inspector.url]


def test_a_page_can_tell_another_run_from_a_connection_that_was_lost(
    inspected: Callable[..., Any],
) -> None:
    page = inspected(lamp())
    other_page, other_run = page.another(), inspected(lamp())
    assert page.hello["run"] == other_page.hello["run"] != other_run.hello["run"]
    other_page.socket.close()
