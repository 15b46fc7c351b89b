"""Play: sounds that ring on, loop, or are waited for."""

import gc
import pickle
from copy import deepcopy
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest
from every import every

from actions import Play, RunFsm, Sequence, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.recording import Recording, replay, restore, snapshot
from fsmkit.sound import SILENCE, Playing, check_sound
from fsmkit.sound import play as begin

JOURNALS: list[list[str]] = [[]]
"""The last one is that of the present test; machines of earlier ones may still be thrown away."""


class Tone:
    """A sound of an engine whose adapter is imported."""

    def __init__(self, name: str = "hum") -> None:
        self.name = name
        self.journal = JOURNALS[-1]
        self.playing: list[PlayingTone] = []

    def end(self) -> None:
        """Come to the end, wherever it is played."""
        for playing in self.playing:
            playing.is_over = True

    def __repr__(self) -> str:
        return self.name

    def __deepcopy__(self, _memo: object) -> None:
        raise TypeError("a sound belongs to its device")

    def __reduce__(self) -> str:
        raise TypeError("a sound belongs to its device")


class PlayingTone:
    """A tone that is being played."""

    def __init__(self, tone: Tone) -> None:
        self.tone = tone
        self.is_over = False
        tone.playing.append(self)

    def stop(self) -> None:
        self.tone.journal.append(f"stop {self.tone}")
        self.is_over = True

    def pause(self) -> None:
        self.tone.journal.append(f"pause {self.tone}")

    def resume(self) -> None:
        self.tone.journal.append(f"resume {self.tone}")


@begin.register
def _(tone: Tone, volume: float = 1.0, loop: bool = False) -> Playing:
    tone.journal.append(f"{'loop' if loop else 'play'} {tone} at {volume:g}")
    return PlayingTone(tone)


class Bell:
    """A sound of an engine that nobody knows."""

    def play(self) -> None:
        JOURNALS[-1].append("ding")


@pytest.fixture(autouse=True)
def _journal() -> None:
    JOURNALS[:] = [[]]


def machine(*actions: FsmAction) -> Fsm[Any]:
    """Ring (with the actions) -> Rest on FINISHED and on REST, suspended on PAUSE."""
    fsm: Fsm[Any] = Fsm("Bell", on_unhandled="raise")
    ring, rest, paused = map(fsm.add_state, ("Ring", "Rest", "Paused"))
    for action in actions:
        ring.add_action(action)
    ring.add_transition(FINISHED, rest)
    ring.add_transition("REST", rest)
    ring.add_transition("PAUSE", paused, suspend=True)
    paused.add_transition("GO ON", BACK)
    return fsm


def ringing(*actions: FsmAction) -> Fsm[Any]:
    fsm = machine(*actions)
    fsm.start()
    return fsm


def heard() -> list[str]:
    """What was heard since the last time."""
    lines = [*JOURNALS[-1]]
    JOURNALS[-1].clear()
    return lines


def place(fsm: Fsm[Any]) -> str:
    return fsm.path[0]


# Fire and forget


def test_it_finishes_at_once_and_the_sound_rings_on() -> None:
    fsm = ringing(Play(Tone()))
    fsm.update(1.0)
    fsm.stop()
    assert heard() == ["play hum at 1"]


def test_it_sends_its_finish_event_at_once() -> None:
    fsm = machine(Play(Tone(), finish_event="REST"), TimedWait(9))
    fsm.start()
    assert (place(fsm), heard()) == ("Rest", ["play hum at 1"])


def test_anything_with_play_can_be_played() -> None:
    fsm = ringing(Play(Bell()))
    assert (place(fsm), heard()) == ("Rest", ["ding"])


def test_sound_and_volume_may_be_functions() -> None:
    rng = Random(4)
    steps = [Tone("left"), Tone("right")]
    play = Play(lambda: rng.choice(steps), volume=lambda state: len(state.name) / 8)
    fsm = ringing(play, TimedWait(9))
    for _ in range(3):
        fsm.start("Ring")
    assert heard() == [f"play {name} at 0.5" for name in ("left", "right", "left", "right")]


class Caller(Tone):
    """A sound that can be called, as a struct of C can."""

    def __call__(self) -> None:
        raise AssertionError("it is no function")


def test_a_sound_that_can_be_called_is_a_sound_all_the_same() -> None:
    fsm = ringing(Play(Caller(), loop=True))
    deepcopy(fsm)
    fsm.stop()
    assert heard() == ["loop hum at 1", "stop hum"]


class Factory:
    """A function with a state of its own."""

    def __call__(self, state: FsmState[Any]) -> Tone:
        return Tone(state.name)


def test_an_object_that_can_be_called_is_a_function_if_it_cannot_be_played() -> None:
    ringing(Play(Factory()))
    assert heard() == ["play Ring at 1"]


def test_a_list_is_played_together_and_over_when_all_are() -> None:
    low, high = Tone("low"), Tone("high")
    fsm = ringing(Play([low, high], wait=True, volume=0.5))
    low.end()
    for _ in range(3):
        fsm.update(0.1)
    assert (place(fsm), heard()) == ("Ring", ["play low at 0.5", "play high at 0.5"])
    high.end()
    fsm.update(0.1)
    fsm.update(0.1)
    assert place(fsm) == "Rest"


class Broken:
    """A sound whose device cannot play it, or cannot stop it."""

    def __init__(self, playing: Any = None) -> None:
        self.playing = playing


@begin.register
def _(broken: Broken, volume: float = 1.0, loop: bool = False) -> Playing:  # as play
    if broken.playing is None:
        raise OSError("no device")
    playing: Playing = broken.playing
    return playing


class Unstoppable(PlayingTone):
    def stop(self) -> None:
        super().stop()
        raise OSError("no device")


def test_of_a_list_all_are_played_or_none() -> None:
    with pytest.raises(OSError, match="no device"):
        ringing(Play([Tone("bang"), Tone("echo"), Broken(), Tone("boom")], loop=True))
    assert heard() == ["loop bang at 1", "loop echo at 1", "stop echo", "stop bang"]


def test_of_a_list_all_are_stopped_even_if_one_fails() -> None:
    fsm = ringing(Play([Tone("bang"), Broken(Unstoppable(Tone("hiss"))), Tone("boom")], loop=True))
    with pytest.raises(OSError, match="no device"):
        fsm.stop()
    assert heard() == ["loop bang at 1", "loop boom at 1", "stop bang", "stop hiss", "stop boom"]
    assert not fsm.is_running


def test_none_is_silence() -> None:
    assert begin(None) is SILENCE
    fsm = ringing(Play(None, volume=0.2), Play(lambda: None, wait=True))
    fsm.update(0.1)
    fsm.update(0.1)
    assert place(fsm) == "Rest"
    drone = ringing(Play(None, loop=True))
    drone.update(0.1)
    assert place(drone) == "Ring"


# Loops


def test_a_loop_ends_with_the_state_and_never_finishes() -> None:
    loop = Play(Tone(), loop=True, volume=0.5)
    fsm = ringing(loop)
    fsm.update(60.0)
    assert (place(fsm), loop.finishes, loop.waits_for, heard()) == (
        "Ring",
        "never",
        "which never finishes by itself",
        ["loop hum at 0.5"],
    )
    fsm.send_event("REST")
    fsm.update(1.0)
    assert heard() == ["stop hum"]


def test_a_loop_in_the_background_does_not_hold_finished_back() -> None:
    fsm = ringing(Play(Tone(), loop=True, background=True), TimedWait(1))
    fsm.update(1.0)
    assert (place(fsm), heard()) == ("Rest", ["loop hum at 1", "stop hum"])


def test_a_loop_that_ends_all_the_same_begins_again() -> None:
    tone = Tone()
    fsm = ringing(Play(tone, loop=True))
    fsm.update(0.1)
    tone.end()
    fsm.update(0.1)
    fsm.update(0.1)
    fsm.stop()
    assert heard() == ["loop hum at 1", "stop hum", "loop hum at 1", "stop hum"]


def test_a_loop_goes_on_without_updates_until_it_has_ended_all_the_same() -> None:
    tone = Tone()
    fsm = ringing(Play(tone, loop=True))
    dues = [fsm.next_due, deepcopy(fsm).next_due]
    tone.end()
    dues.append(fsm.next_due)
    fsm.update(0.1)
    dues.append(fsm.next_due)
    assert dues == [inf, 0.0, 0.0, inf]


def test_a_loop_of_silence_goes_on_and_its_end_is_not_waited_for() -> None:
    assert ringing(Play(None, loop=True)).next_due == inf
    action = Play(None, wait=True)
    assert (ringing(action).path, action.finishes) == (("Rest",), "at once")


def test_it_is_paused_while_the_state_is_suspended() -> None:
    fsm = ringing(Play(Tone("hum"), loop=True), Play(Tone("song"), wait=True), Play(Tone("bang")))
    fsm.send_event("PAUSE")
    fsm.update(5.0)
    fsm.send_event("GO ON")
    fsm.update(0.1)
    begun = ["loop hum at 1", "play song at 1", "play bang at 1"]
    assert heard() == [*begun, "pause hum", "pause song", "resume hum", "resume song"]


def test_a_suspended_loop_ends_with_the_machine() -> None:
    fsm = ringing(Play(Tone(), loop=True))
    fsm.send_event("PAUSE")
    fsm.stop()
    assert heard() == ["loop hum at 1", "pause hum", "stop hum"]


def test_a_loop_ends_with_a_machine_that_is_thrown_away() -> None:
    fsm = ringing(Play(Tone(), loop=True))
    del fsm
    gc.collect()
    assert heard() == ["loop hum at 1", "stop hum"]


# Waiting


def test_it_waits_until_the_sound_is_over() -> None:
    tone = Tone()
    wait = Play(tone, wait=True, finish_event="REST")
    fsm = ringing(wait)
    fsm.update(9.0)
    assert (place(fsm), wait.finishes, wait.waits_for) == (
        "Ring",
        "in time",
        "until the sound is over",
    )
    tone.end()
    fsm.update(0.1)
    fsm.update(0.1)
    assert (place(fsm), fsm.last_event) == ("Rest", "REST")


def test_leaving_the_state_stops_what_it_waits_for() -> None:
    fsm = ringing(Play(Tone(), wait=True))
    fsm.send_event("REST")
    assert heard() == ["play hum at 1", "stop hum"]


def test_the_end_of_an_earlier_sound_does_not_count() -> None:
    tone = Tone()
    fsm = ringing(Play(tone, wait=True))
    tone.end()
    fsm.update(0.1)  # it has seen the end, and begins anew before it could finish
    fsm.start("Ring")
    fsm.update(0.1)
    fsm.update(0.1)
    assert place(fsm) == "Ring"


def test_in_a_sequence_one_sound_follows_another() -> None:
    first, second = Tone("first"), Tone("second")
    fsm = ringing(Sequence(Play(first, wait=True), Play(second, wait=True)))
    for tone in (first, second):
        tone.end()
        fsm.update(0.1)
        fsm.update(0.1)
    said = [line for line in heard() if line.startswith("play")]
    assert (place(fsm), said) == ("Rest", ["play first at 1", "play second at 1"])


# Copies, snapshots and recordings


@pytest.mark.parametrize("options", [{"loop": True}, {"wait": True}], ids=str)
def test_a_copy_begins_the_sound_anew_and_shares_it(options: dict[str, Any]) -> None:
    tone = Tone()
    fsm = ringing(Play(tone, **options))
    fsm.update(0.1)
    heard()
    twin = deepcopy(fsm)
    [action] = twin.states["Ring"].actions
    assert isinstance(action, Play)
    assert (action.sound is tone, heard()) == (True, [])
    twin.update(0.1)
    twin.update(0.1)
    twin.stop()
    verb = "loop" if "loop" in options else "play"
    assert heard() == [f"{verb} hum at 1", "stop hum"]
    fsm.stop()
    assert heard() == ["stop hum"]


def test_a_copy_of_what_rings_on_is_silent() -> None:
    fsm = ringing(Play(Tone()), TimedWait(9))
    heard()
    deepcopy(fsm).update(1.0)
    assert heard() == []


def hum() -> Tone:
    return Tone()


def test_with_a_function_it_is_pickled() -> None:
    fsm = ringing(Play(hum, loop=True))
    heard()
    pickle.loads(pickle.dumps(fsm)).update(0.1)
    assert heard() == ["loop hum at 1"]


@pytest.mark.parametrize("is_suspended", [False, True])
def test_a_restored_visit_begins_the_sound_anew(is_suspended: bool) -> None:
    fsm = ringing(Play(hum, loop=True))
    if is_suspended:
        fsm.send_event("PAUSE")
    saved = snapshot(fsm)
    fsm.stop()
    later = machine(Play(hum, loop=True))
    heard()
    restore(later, saved)
    if is_suspended:
        later.send_event("GO ON")
    later.update(0.1)
    later.stop()
    assert heard() == ["loop hum at 1", "stop hum"]


@pytest.mark.parametrize("options", [{"loop": True}, {"wait": True}])
@pytest.mark.parametrize("nested", [False, True])
def test_a_machine_that_is_put_elsewhere_is_silent(options: dict[str, Any], nested: bool) -> None:
    fsm = machine(Play(Tone(), **options))
    inner = fsm
    if nested:
        fsm = Fsm("Outer")
        fsm.add_state("Only").add_action(RunFsm(inner))
    fsm.start()
    in_ring = snapshot(fsm)
    inner.send_event("PAUSE")
    in_pause = snapshot(fsm)
    inner.send_event("GO ON")
    inner.send_event("REST")
    in_rest = snapshot(fsm)
    begun = heard()[0]
    journal = []
    for saved in (in_ring, in_rest, in_ring, in_ring, in_pause):
        restore(fsm, saved)
        fsm.update(0.1)
        journal.append(heard())
    inner.send_event("GO ON")
    fsm.update(0.1)
    journal.append(heard())
    assert journal == [[begun], ["stop hum"], [begun], ["stop hum", begun], ["stop hum"], [begun]]


def three_sounds(speech: Tone) -> Fsm[Any]:
    bang, drone = Play(Tone("bang")), Play(Tone("drone"), loop=True, background=True)
    return machine(bang, Play(speech, wait=True), drone)


def test_a_replay_is_silent_and_ends_when_the_sound_did() -> None:
    tone = Tone()
    fsm = three_sounds(tone)
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(0.1)
        tone.end()
        fsm.update(0.1)
        fsm.update(0.1)
        fsm.update(0.1)
    heard()
    made: list[Fsm[Any]] = []

    def again() -> Fsm[Any]:
        made.append(three_sounds(Tone()))
        return made[-1]

    assert replay(again, recording)
    assert (place(made[-1]), heard()) == ("Rest", [])


# What cannot be played


@every(
    ("sound", "options", "error", "message"),
    [
        ("step.wav", {}, TypeError, r"with a play\(\), got 'step\.wav'\. Load it first\."),
        (Path("step.wav"), {}, TypeError, r"Path\('step\.wav'\)\. Load it first\."),
        (3, {}, TypeError, r"^Play: sound must be a sound"),
        (Bell, {}, TypeError, "got <class"),
        ([], {}, ValueError, "one or more sounds, got none"),
        ([Bell(), "x"], {}, TypeError, "got 'x'"),
        (Bell(), {"loop": True}, TypeError, r"play\.register\(Bell, function\)"),
        (Bell(), {"wait": True}, TypeError, "no adapter can play, loop, stop and quieten"),
        (Bell(), {"volume": 0.5}, TypeError, r"play\.register\(Bell"),
        ([Tone(), Bell()], {"volume": 0.5}, TypeError, r"play\.register\(Bell"),
        (Tone(), {"volume": -1.0}, ValueError, "Play: volume must be a finite number >= 0"),
        (Tone(), {"volume": "loud"}, TypeError, "Play: volume must be a finite number"),
        (Tone(), {"loop": True, "wait": True}, ValueError, "exclude each other"),
        (lambda a, b: Tone(), {}, TypeError, "Play: sound"),
    ],
)
def test_what_cannot_be_played_is_refused_where_it_is_written(
    sound: Any, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Play(sound, **options)


@pytest.mark.parametrize(
    ("sound", "volume", "message"),
    [
        (lambda: "step.wav", 1.0, "got 'step.wav'"),
        (lambda: [Bell()], 0.5, "Bell"),
        (hum, lambda: -1.0, "Play: volume"),
    ],
)
def test_of_a_function_it_is_refused_on_enter(sound: Any, volume: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        ringing(Play(sound, volume=volume))


def test_of_a_struct_of_c_the_adapter_of_raylib_is_named() -> None:
    struct = type("CData", (), {"__module__": "_cffi_backend", "__call__": lambda _: None})
    with pytest.raises(TypeError, match=r"Import fsmkit\.engines\.raylib first"):
        Play(struct())


@pytest.mark.parametrize("package", ["pygame", "arcade", "pyglet", "panda3d", "ursina"])
def test_the_adapter_that_knows_it_is_named(package: str) -> None:
    kind = type("Sound", (), {"__module__": f"{package}.audio", "play": lambda _: None})
    own = type("MySound", (kind,), {})
    with pytest.raises(TypeError, match=rf"Import fsmkit\.engines\.{package} first"):
        check_sound(own(), is_controlled=True)
