"""pygame-ce keeps the laws that all adapters keep."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from laws import LAWS
from rig import Rig

pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")

import pygame
from pygame.event import Event
from pygame.sprite import Group, Sprite
from virtual_gamepad import VirtualGamepad, sdl

from fsmkit.engines import pygame as adapter


class Metronome:
    """A clock of 60 frames a second that does not wait."""

    def tick(self, fps: float) -> float:
        return 1000.0 / 60.0


class PygameRig:
    """A game loop: it hands over the events, ticks, and looks for collisions."""

    thing_option = "sprite"
    left, right = pygame.K_LEFT, pygame.K_RIGHT
    has_lifetimes = goes_on_after_errors = can_be_written_when_gone = has_mouse = True
    has_gamepad = sdl() is not None

    def __init__(self) -> None:
        self.all: Group[Any] = Group()
        self.ticks: list[Callable[[], object]] = []
        self.checks: list[Callable[[], object]] = []
        self.hearers: list[Callable[..., object]] = []
        self.mouse = (0.0, 0.0)
        self.gamepad = VirtualGamepad() if self.has_gamepad else None
        pygame.event.clear()

    def thing(self, position: Sequence[float]) -> Any:
        sprite = Sprite(self.all)
        sprite.image = pygame.Surface((20, 20), pygame.SRCALPHA)
        sprite.image.fill("white")
        sprite.rect = sprite.image.get_rect(center=position)
        return sprite

    def transform(self, thing: Any) -> Any:
        return adapter.SpriteTransform(thing)

    def group(self, *things: Any) -> Any:
        return Group(*things)

    def kill(self, thing: Any) -> None:
        thing.kill()

    def attach(self, machines: Any, **options: Any) -> Callable[[], None]:
        clock: Any = Metronome()
        return self._keep(self.ticks, adapter.attach(machines, clock=clock, **options))

    def send_keys(
        self, machines: Any, pressed: Mapping[Any, str], **options: Any
    ) -> Callable[[], None]:
        return self._keep(self.hearers, adapter.send_keys(machines, pressed, **options))

    def send_collisions(
        self, machines: Any, things: Any, others: Any, event: str, **options: Any
    ) -> Callable[[], None]:
        check = adapter.send_collisions(machines, things, others, event, **options)
        return self._keep(self.checks, check)

    def send_mouse(self, machines: Any, things: Any, **events: Any) -> Callable[[], None]:
        return self._keep(self.hearers, adapter.send_mouse(machines, things, **events))

    def press(self, key: Any) -> None:
        pygame.event.post(Event(pygame.KEYDOWN, {"key": key}))

    def release(self, key: Any) -> None:
        pygame.event.post(Event(pygame.KEYUP, {"key": key}))

    def lose_focus(self) -> None:
        pygame.event.post(Event(pygame.WINDOWFOCUSLOST))

    def move_axis(self, axis: str, position: float) -> None:
        assert self.gamepad is not None
        self.gamepad.move(axis, position)

    def press_button(self, button: str) -> None:
        assert self.gamepad is not None
        self.gamepad.press(button)

    def point(self, position: Sequence[float]) -> None:
        self.mouse = tuple(position)
        pygame.event.post(Event(pygame.MOUSEMOTION, {"pos": self.mouse}))

    def click(self) -> None:
        self.press_mouse()
        self._post_button(pygame.MOUSEBUTTONUP)

    def press_mouse(self) -> None:
        self._post_button(pygame.MOUSEBUTTONDOWN)

    def _post_button(self, kind: int) -> None:
        pygame.event.post(Event(kind, {"button": pygame.BUTTON_LEFT, "pos": self.mouse}))

    def forget(self) -> None:
        for calls in (self.ticks, self.checks, self.hearers):
            calls.clear()

    def frames(self, count: int = 1) -> None:
        for _ in range(count):
            for event in pygame.event.get():
                for hear in list(self.hearers):
                    hear(event)
            for each in [*self.ticks, *self.checks]:
                each()

    @staticmethod
    def _keep(calls: list[Any], call: Callable[..., object]) -> Callable[[], None]:
        calls.append(call)
        return lambda: calls.remove(call) if call in calls else None


@pytest.fixture
def rig() -> Iterator[PygameRig]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "SDL_VIDEODRIVER", "dummy")
        pygame.display.init()
        pygame.display.set_mode((400, 300))
        rig = PygameRig()
        yield rig
        if rig.gamepad is not None:
            rig.gamepad.unplug()
        pygame.quit()


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Rig], None], rig: Rig) -> None:
    law(rig)
