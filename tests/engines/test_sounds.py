"""Sounds of real engines, played without a device: by an action, as they are."""

import os
import subprocess
import sys
import wave
from collections.abc import Iterator
from copy import deepcopy
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from actions import Play
from fsmkit import BACK, FINISHED, Fsm
from fsmkit.sound import SILENCE, play


@pytest.fixture(scope="module")
def beep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with ten seconds of nothing."""
    path = tmp_path_factory.mktemp("sounds") / "beep.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(2 * 8000 * 10))
    return path


def machine(sound: Any, **options: Any) -> Fsm[Any]:
    """Ring -> Rest on FINISHED and on REST, suspended by PAUSE."""
    fsm: Fsm[Any] = Fsm("Bell")
    ring, rest, paused = map(fsm.add_state, ("Ring", "Rest", "Paused"))
    ring.add_action(Play(sound, **options))
    ring.add_transition(FINISHED, rest)
    ring.add_transition("REST", rest)
    ring.add_transition("PAUSE", paused, suspend=True)
    paused.add_transition("GO ON", BACK)
    fsm.start()
    return fsm


# pygame


@pytest.fixture
def mixer() -> Iterator[Any]:
    pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDL_AUDIODRIVER", "dummy")
        patch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        import pygame

        import fsmkit.engines.pygame

        assert fsmkit.engines.pygame
        pygame.mixer.init()
        yield pygame.mixer
        pygame.mixer.quit()


def test_pygame_a_loop_is_paused_and_ends_with_the_state(mixer: Any, beep: Path) -> None:
    sound = mixer.Sound(str(beep))
    fsm = machine(sound, loop=True, volume=0.25)
    channel = mixer.Channel(0)
    begun = channel.get_sound() is sound, channel.get_volume(), sound.get_volume()
    fsm.send_event("PAUSE")
    fsm.update(1.0)
    fsm.send_event("GO ON")
    fsm.update(1.0)
    is_busy = channel.get_busy()
    fsm.send_event("REST")
    assert (begun, is_busy, channel.get_busy()) == ((True, 0.25, 1.0), True, False)


def test_pygame_what_is_waited_for_ends(mixer: Any, beep: Path) -> None:
    fsm = machine(mixer.Sound(str(beep)), wait=True)
    fsm.update(1.0)
    places = [fsm.path]
    mixer.stop()
    fsm.update(1.0)
    fsm.update(1.0)
    assert [*places, fsm.path] == [("Ring",), ("Rest",)]


def test_pygame_fire_and_forget_keeps_playing(mixer: Any, beep: Path) -> None:
    fsm = machine(mixer.Sound(str(beep)))
    place = fsm.path
    fsm.stop()
    assert (mixer.get_busy(), place) == (True, ("Rest",))


def test_pygame_where_all_channels_are_busy_a_loop_waits_for_one(mixer: Any, beep: Path) -> None:
    sound = mixer.Sound(str(beep))
    while play(sound) is not SILENCE:
        pass
    fsm = machine(sound, loop=True)
    fsm.update(0.1)
    mixer.Channel(3).stop()
    fsm.update(0.1)
    assert mixer.Channel(3).get_busy()
    fsm.stop()
    assert not mixer.Channel(3).get_busy()


def test_pygame_a_channel_that_plays_something_else_by_now_is_left_alone(
    mixer: Any, beep: Path
) -> None:
    playing = play(mixer.Sound(str(beep)))
    other = mixer.Sound(str(beep))
    mixer.Channel(0).play(other)
    playing.pause()
    playing.resume()
    playing.stop()
    assert (playing.is_over, mixer.Channel(0).get_sound() is other) == (True, True)


def test_pygame_without_the_mixer_a_machine_can_still_be_stopped(mixer: Any, beep: Path) -> None:
    fsm = machine(mixer.Sound(str(beep)), loop=True)
    mixer.quit()
    fsm.send_event("PAUSE")
    fsm.send_event("GO ON")
    fsm.stop()
    assert not fsm.is_running


# raylib


@pytest.fixture
def raylib_sound(beep: Path, tmp_path: Path) -> Iterator[tuple[Any, Any]]:
    """Return raylib and a Sound, on ALSA's device that nobody hears."""
    pytest.importorskip("pyray", reason="raylib is not installed (the extra raylib)")
    with pytest.MonkeyPatch.context() as patch:
        (tmp_path / "asound.conf").write_text("pcm.!default { type null }")
        patch.setenv("ALSA_CONFIG_PATH", str(tmp_path / "asound.conf"))
        import pyray

        import fsmkit.engines.raylib

        assert fsmkit.engines.raylib
        pyray.set_trace_log_level(pyray.TraceLogLevel.LOG_NONE)
        pyray.init_audio_device()
        if not pyray.is_audio_device_ready():
            pytest.skip("raylib finds no audio device, not even ALSA's null one")
        sound = pyray.load_sound(str(beep))
        yield pyray, sound
        pyray.unload_sound(sound)
        pyray.close_audio_device()


def test_raylib_a_loop_is_paused_and_ends_with_the_state(raylib_sound: tuple[Any, Any]) -> None:
    raylib, sound = raylib_sound
    fsm, heard = machine(sound, loop=True, volume=0.25), []
    for event in (None, "PAUSE", "GO ON", "REST"):
        if event is not None:
            fsm.send_event(event)
        fsm.update(1.0)
        heard.append(raylib.is_sound_playing(sound))
    assert heard == [True, False, True, False]


def test_raylib_what_ends_while_a_loop_continues_begins_again(
    raylib_sound: tuple[Any, Any],
) -> None:
    raylib, sound = raylib_sound
    looping = machine(sound, loop=True)
    raylib.stop_sound(sound)
    looping.update(1.0)
    assert raylib.is_sound_playing(sound)
    looping.stop()
    assert not raylib.is_sound_playing(sound)


def test_raylib_what_is_waited_for_ends(raylib_sound: tuple[Any, Any]) -> None:
    raylib, sound = raylib_sound
    fsm = machine(sound, wait=True)
    fsm.update(1.0)
    places = [fsm.path]
    raylib.stop_sound(sound)
    fsm.update(1.0)
    fsm.update(1.0)
    assert [*places, fsm.path] == [("Ring",), ("Rest",)]


def test_raylib_a_copy_shares_the_sound(raylib_sound: tuple[Any, Any]) -> None:
    raylib, sound = raylib_sound
    fsm = machine(sound, wait=True)
    twin = deepcopy(fsm)
    fsm.stop()
    twin.update(1.0)
    assert raylib.is_sound_playing(sound)
    twin.stop()


def test_raylib_music_loops_by_itself(raylib_sound: tuple[Any, Any], beep: Path) -> None:
    raylib, _ = raylib_sound
    music = raylib.load_music_stream(str(beep))
    fsm, heard = machine(music, loop=True), []
    for event in (None, "PAUSE", "GO ON", "REST"):
        if event is not None:
            fsm.send_event(event)
        raylib.update_music_stream(music)
        heard.append((music.looping, raylib.is_music_stream_playing(music)))
    raylib.unload_music_stream(music)
    assert heard == [(True, True), (True, False), (True, True), (True, False)]


def test_raylib_no_other_struct_is_a_sound() -> None:
    raylib = pytest.importorskip("pyray", reason="raylib is not installed (the extra raylib)")
    import fsmkit.engines.raylib

    assert fsmkit.engines.raylib
    with pytest.raises(TypeError, match="a Sound and a Music can be played, got <cdata"):
        play(raylib.Vector2(0.0, 0.0))


# Panda3D


def test_panda3d_without_audio_nothing_is_heard_and_nothing_fails() -> None:
    core = pytest.importorskip("panda3d.core", reason="Panda3D is not installed")
    import fsmkit.engines.panda3d

    assert fsmkit.engines.panda3d
    core.loadPrcFileData("", "audio-library-name null")
    sound = core.AudioManager.createAudioManager().getSound("")
    waiting, looping = machine(sound, wait=True), machine(sound, loop=True, volume=0.5)
    for fsm in (waiting, looping):
        fsm.update(0.1)
        fsm.update(0.1)
    assert (waiting.path, looping.path) == (("Rest",), ("Ring",))


# Those that need a process of their own, as they choose their device once


SCRIPT = """
from test_sounds import machine
from fsmkit.sound import play

{load}

def heard():
    return {heard}

fsm = machine(sound, loop=True, volume=0.5)
fsm.update(0.1)
lines = ["loop", heard()]
fsm.send_event("PAUSE")
lines += ["paused", heard()]
fsm.send_event("GO ON")
fsm.update(0.1)
lines += ["resumed", heard()]
fsm.send_event("REST")
lines += ["left", heard()]

fsm = machine(sound, wait=True)
fsm.update(0.1)
lines += ["waiting", heard(), fsm.path]
{end}
fsm.update(0.1)
fsm.update(0.1)
lines += ["over", heard(), fsm.path]

fsm = machine(sound)
fsm.stop()
lines += ["rings on", heard()]
playing = play(sound)
playing.stop()
playing.stop()
playing.pause()
playing.resume()
lines += ["twice stopped", playing.is_over]
print(lines)
"""

PLAYERS = "[p.playing for p in Source._players if p.source is not None]"
"""The players of pyglet that have not come to their end, and whether they are heard."""

AUDIO_OF_PANDA3D = """
from panda3d.core import AudioManager, loadPrcFileData
import fsmkit.engines.panda3d
loadPrcFileData("", "audio-library-name p3openal_audio")
audio = AudioManager.createAudioManager()
sound = audio.getSound({beep!r})
"""

ENGINES = {
    "panda3d": (
        AUDIO_OF_PANDA3D,
        "[True] if sound.status() == sound.PLAYING else []",
        "sound.stop()",
    ),
    "pyglet": (
        """
        import pyglet
        pyglet.options.headless = True
        pyglet.options.audio = ("silent",)
        import fsmkit.engines.pyglet
        from pyglet.media import Source, load
        sound = load({beep!r}, streaming=False)
        """,
        PLAYERS,
        "Source._players[-1].seek(10.0)",
    ),
    "arcade": (
        """
        import fsmkit.engines.arcade
        from arcade import Sound
        from pyglet.media import Source
        sound = Sound({beep!r})
        """,
        PLAYERS,
        "Source._players[-1].seek(10.0)",
    ),
    "ursina": (
        """
        from pathlib import Path
        from panda3d.core import loadPrcFileData
        loadPrcFileData("", "audio-library-name p3openal_audio\\nwindow-type none")
        from ursina import Audio, Ursina, application
        import fsmkit.engines.ursina
        app = Ursina(window_type="none", development_mode=False)
        application.asset_folder = Path({beep!r}).parent
        sound = Audio("beep.wav", autoplay=False)
        """,
        "[True] if sound.playing else []",
        "sound.stop(destroy=False)",
    ),
}
HEADLESS = {
    "ARCADE_HEADLESS": "True",
    "ARCADE_SOUND_BACKENDS": "silent",
    "ALSOFT_DRIVERS": "null",
    "LD_LIBRARY_PATH": "",
}


def printed_by(engine: str, script: str) -> str:
    """Run a script in a process of its own; return the last line that it prints."""
    if find_spec(engine) is None:
        pytest.skip(f"{engine} is not installed (the extra {engine})")
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **HEADLESS, "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "NoSuchDisplay" in done.stderr or "OpenGL" in done.stderr:
        pytest.skip(f"{engine} does not run here without a screen")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_sound_loops_is_paused_waited_for_and_keeps_playing(engine: str, beep: Path) -> None:
    load, heard, end = ENGINES[engine]
    load = dedent(load).format(beep=str(beep))
    printed = printed_by(engine, SCRIPT.format(load=load, heard=heard, end=end))
    paused: list[bool] = [] if engine in ("panda3d", "ursina") else [False]
    expected = [
                "loop", [True], "paused", paused, "resumed", [True], "left", [],
                "waiting", [True], ("Ring",), "over", [], ("Rest",),
                "rings on", [True], "twice stopped", True,
    ]  # fmt: skip
    assert printed == str(expected)


VOLUMES = """
from fsmkit.sound import play
other = audio.getSound({beep!r})
sound.setVolume(0.5)
volumes = []
for share in (0.5, 0.5, 1.0, 2.0):
    play(sound, share)
    volumes.append(sound.getVolume())
play(other)
volumes.append(sound.getVolume())  # it is still heard
sound.stop()
play(other)
volumes.append(sound.getVolume())
play(sound, 0.5)
sound.setVolume(0.75)  # by the game, meanwhile
sound.stop()
play(other)
print([*volumes, sound.getVolume(), sound.getLoop()])
"""


@pytest.mark.slow
def test_panda3d_a_sound_gets_its_own_volume_back(beep: Path) -> None:
    printed = printed_by("panda3d", (AUDIO_OF_PANDA3D + VOLUMES).format(beep=str(beep)))
    assert printed == "[0.25, 0.25, 0.5, 1.0, 1.0, 0.5, 0.75, False]"
