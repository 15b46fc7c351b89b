"""Play: play a sound of any engine."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Final, Self
from weakref import WeakKeyDictionary, finalize

from attrs import Attribute, field, frozen

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.parameters import Count, Param, is_function, value_of
from actions.parts.validators import amount_of, is_amount, is_event_name, is_flag
from fsmkit import FsmAction
from fsmkit.sound import SILENCE, Playing, check_sound, may_be_sound, play


@frozen(eq=False)
class SoundInProgress:
    """A sound that an action plays until its state is exited."""

    sound: Any
    volume: float
    playing: Playing | None
    """None if there is nothing to hear: in the replay of a recording, and when it is over."""
    end: Callable[[], object]
    """Stops it; called at the latest when the action is garbage collected."""


def _is_sound(action: Play, attribute: Attribute[Any], sound: object) -> None:
    if not may_be_sound(sound):
        is_function(action, attribute, sound)
    elif isinstance(sound, list | tuple) and not sound:
        raise ValueError("Play: sound must be one or more sounds, got none.")


@define_action
class Play(FsmAction):
    """Play `sound`, and finish; the sound continues.

    `sound` is a sound of any engine: a `pygame.mixer.Sound`, an `arcade.Sound`, a source of pyglet,
    an `AudioSound` of Panda3D, an `Audio` of Ursina, or anything with a `play()`. The sounds of a
    list are played together; None is silence. A function that returns one of these is called on
    enter, to pick one of several: `Play(lambda: rng.choice(steps))`. `volume` is relative: 1 is the
    sound's own loudness.

    With `wait` it finishes when the sound is over, in the following update (silence is over at
    once), and stops it if the state is exited first. With `loop` the sound repeats until the state
    is exited, and the action never finishes; in the `background` it does not hold back the state's
    `FINISHED`. Both are paused while the state is suspended.

    `volume`, `loop` and `wait` work once the adapter of the engine is imported, such as
    `fsmkit.engines.pygame`, or with a sound that is registered with `fsmkit.sound.play`.

    A copied machine, and one restored from a snapshot, restarts sounds with `loop` or `wait` in its
    first update; sounds that played before the restore are stopped. Copies share the sounds. The
    replay of a recording is silent.

    Raises TypeError for a sound that cannot be played, ValueError for a volume that is negative or
    not finite, and for `loop` together with `wait`.

    >>> from fsmkit import FINISHED, Fsm
    >>> class Bell:
    ...     def play(self):
    ...         print("ding")
    >>> fsm = Fsm("Door")
    >>> _ = fsm.add_state("Ring").add_action(Play(Bell()))
    >>> fsm.start()
    ding
    """

    sound: Any = field(validator=_is_sound)
    volume: Param[float] = field(default=1.0, kw_only=True, validator=is_amount())
    loop: bool = field(default=False, kw_only=True, validator=is_flag)
    wait: bool = field(default=False, kw_only=True, validator=is_flag)
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    background: bool = field(default=False, kw_only=True, validator=is_flag)
    number: Count = field(default=0, init=False)
    """How often a sound was started; the end of an earlier one does not count."""
    is_ringing: bool = field(default=False, init=False)
    """Whether it plays a sound that it will stop, or whose end it waits for."""
    is_over: bool = field(default=False, init=False)
    """Whether the sound that it waits for is over."""

    def __attrs_post_init__(self) -> None:
        if self.loop and self.wait:
            raise ValueError("Play: loop and wait exclude each other, as a loop never ends.")
        if may_be_sound(self.sound):
            self._check_sound(self.sound, is_changed=not callable(self.volume) and self.volume != 1)

    @property
    def finishes(self) -> Finishes | None:
        if self.loop:
            return "never"
        return "in time" if self.wait and self.sound is not None else "at once"

    @property
    def waits_for(self) -> str:
        return "until the sound is over" if self.wait else super().waits_for

    @property
    def next_due(self) -> float:
        """Inf for a loop, which needs no updates unless it has to be restarted."""
        ringing = _RINGING.get(self)
        if not self.loop or ringing is None:
            return 0.0
        playing = ringing.playing
        goes_on = playing is None or playing is SILENCE or not playing.is_over
        return inf if goes_on else 0.0

    def on_enter(self) -> None:
        self.is_over = False
        sound = self._choose()
        if self.loop or (self.wait and sound is not None):
            self.is_ringing = True
        else:
            self.finish()

    def on_update(self) -> None:
        if self.is_over:
            self._stop()
            self.finish()
        elif (ringing := _RINGING.get(self)) is None:  # it was copied or restored
            self._choose()
        elif ringing.playing is not None and ringing.playing.is_over:
            self._go_on(ringing)

    def on_suspend(self) -> None:
        if playing := self._playing:
            playing.pause()

    def on_resume(self) -> None:
        if playing := self._playing:
            playing.resume()

    def on_exit(self) -> None:
        self._stop()

    def _machine_restored_(self) -> None:
        """Stop its sound; if it is still to play, the next update restarts it."""
        self._silence()

    def _silence(self) -> None:
        if ringing := _RINGING.pop(self, None):
            ringing.end()

    def _work_done_(self, number: int, data: object, error: BaseException | None) -> None:  # noqa: ARG002  # there are none
        if self.is_ringing and number == self.number:
            self.is_over = True

    @property
    def _playing(self) -> Playing | None:
        return _RINGING[self].playing if self in _RINGING else None

    def _choose(self) -> Any:
        """Choose the sound, start it, and return it."""
        volume = amount_of(self, "volume")
        sound = self.sound if may_be_sound(self.sound) else value_of(self.sound, self)
        if sound is not self.sound or callable(
            self.volume
        ):  # constants are checked when it is made
            self._check_sound(sound, is_changed=volume != 1.0)
        self.number += 1
        self._begin(sound, volume)
        return sound

    def _begin(self, sound: Any, volume: float) -> None:
        playing: Any = self.fsm.begin_work(lambda: play(sound, volume, self.loop))
        if self.loop or self.wait:
            end = finalize(self, playing.stop if playing is not None else _nothing)
            end.atexit = False
            _RINGING[self] = SoundInProgress(sound, volume, playing, end)

    def _go_on(self, ringing: SoundInProgress) -> None:
        """Restart a loop that has ended; report the end of any other sound."""
        ringing.end()
        if self.loop:
            self._begin(ringing.sound, ringing.volume)
        else:
            _RINGING[self] = SoundInProgress(ringing.sound, ringing.volume, None, _nothing)
            self.fsm.post_result(self, self.number)

    def _stop(self) -> None:
        self.is_ringing = self.is_over = False
        self._silence()

    def _check_sound(self, sound: Any, *, is_changed: bool) -> None:
        check_sound(sound, "Play", is_controlled=self.loop or self.wait or is_changed)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        from copy import deepcopy

        if may_be_sound(self.sound):
            memo[id(self.sound)] = self.sound  # it belongs to a device
        twin = memo[id(self)] = object.__new__(type(self))
        vars(twin).update(deepcopy(vars(self), memo))
        return twin


def _nothing() -> None:
    pass


_RINGING: Final[WeakKeyDictionary[Play, SoundInProgress]] = WeakKeyDictionary()
"""The sounds being played. Not a part of the actions: they are neither copied nor saved."""
