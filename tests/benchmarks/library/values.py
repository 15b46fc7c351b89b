"""Actions that wait, and that change or watch values, beside their twins."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Final

from twins import POOL, SILENT, Bag, Make, add, forever, once, read_cases

import actions as a
from fsmkit import FsmAction


class Nothing(FsmAction):
    """What a user writes: an action of their own, here one that does nothing."""

    def on_enter(self) -> None:
        pass

    def on_update(self) -> None:
        pass

    def on_exit(self) -> None:
        pass


class Done(FsmAction):
    """An action of a user that finishes at once."""

    def on_update(self) -> None:
        self.finish()


ACTIONS: Final[dict[str, Make]] = {
    "an action of your own": lambda t, d: Nothing(),
    "an action of your own, finish()": lambda t, d: Done(),
    "TimedWait": lambda t, d: a.TimedWait(d),
    "RandomWait": lambda t, d: a.RandomWait(d, d, rng=Random(1)),
    "WaitFrames": lambda t, d: a.WaitFrames(int(d) + 1),
    "WaitUntil": lambda t, d: a.WaitUntil(lambda: t.value < 0),
    "InThread": lambda t, d: a.InThread(int, pool=POOL),
    "Await": lambda t, d: a.Await(lambda: asyncio.get_running_loop().create_future()),
    "Coroutine": lambda t, d: a.Coroutine(once if d < 1 else forever),
    "Tween": lambda t, d: a.Tween(t, "value", 0.0, 8.0, d),
    "SetColorByDuration": lambda t, d: a.SetColorByDuration(t, (255, 255, 0), (0, 0, 0), d),
    "SetValue": lambda t, d: a.SetValue(t, "value", 3.0),
    "SetValue, every update": lambda t, d: a.SetValue(
        t, "value", lambda: t.count * 2, every_update=True
    ),
    "AddValue": lambda t, d: a.AddValue(t, "value", 1.0),
    "AddValue, per second": lambda t, d: a.AddValue(t, "value", 1.0, per_second=True),
    "Toggle": lambda t, d: a.Toggle(t, "lit"),
    "DelegateAction": lambda t, d: a.DelegateAction(on_update=lambda state: add(t)),
    "DelegateAction, enter and exit": lambda t, d: a.DelegateAction(
        on_enter=lambda _: add(t), on_exit=lambda _: add(t)
    ),
    "Play": lambda t, d: a.Play(t),
    "TriggerAnimator": lambda t, d: a.TriggerAnimator(t, "jump"),
    "Log, switched off": lambda t, d: a.Log("hello", logger=SILENT),
    "Assert, every update": lambda t, d: a.Assert(lambda: t.value > 0, "bad", every_update=True),
    "Compare, every update": lambda t, d: a.Compare(
        lambda: t.value, 5.0, less="LOW", every_update=True
    ),
    "Switch, every update": lambda t, d: a.Switch(lambda: t.count, {5: "LOW"}, every_update=True),
    "OnChange": lambda t, d: a.OnChange(lambda: t.value, "CHANGED"),
}
TWINS: Final = """
an action of your own
  update: pass
  without: finish
an action of your own, finish()
  update: FINISH
  without: update, visit
TimedWait
  enter: self.t = 0.0
  update:
    self.t += dt
    if self.t >= self.d - 1e-9:
        FINISH
RandomWait
  setup: self.rng = Random(1); self.shortest = self.longest = d
  enter: self.t = self.rng.uniform(self.shortest, self.longest)
  update:
    self.t -= dt
    if self.t <= 1e-9:
        FINISH
WaitFrames
  setup: self.frames = int(d) + 1
  enter: self.left = self.frames
  update:
    self.left -= 1
    if not self.left:
        FINISH
WaitUntil
  update:
    if self.thing.value < 0:
        FINISH
  without: finish
InThread
  setup: self.pool = POOL
  enter: self.future = self.pool.submit(int)
  update:
    if self.future.done():
        FINISH
  leave: self.future.cancel()
  without: finish
Await
  enter: self.future = asyncio.get_running_loop().create_future()
  update:
    if self.future.done():
        FINISH
  leave: self.future.cancel()
  without: visit, finish
Coroutine
  setup: self.routine = once if d < 1 else forever
  enter:
    self.steps = self.routine(self)
    next(self.steps)
  update:
    try:
        next(self.steps)
    except StopIteration:
        FINISH
  leave: self.steps.close()
Tween
  setup: self.start = 0.0; self.end = 8.0
  enter: self.t = 0.0; self.thing.value = self.start
  each: self.thing.value = self.start + (self.end - self.start) * s
  last: self.thing.value = self.end
SetColorByDuration
  setup: self.start = (255, 255, 0); self.end = (0, 0, 0)
  enter: self.t = 0.0; self.thing.color = self.start
  each:
    (r, g, b), (u, v, w) = self.start, self.end
    self.thing.color = (
        round(r + (u - r) * s), round(g + (v - g) * s), round(b + (w - b) * s)
    )
  last: self.thing.color = self.end
SetValue
  enter: self.thing.value = 3.0
  ends on enter:
SetValue, every update
  enter, update: self.thing.value = self.thing.count * 2
AddValue
  enter: self.thing.value += 1.0
  ends on enter:
AddValue, per second
  update: self.thing.value += 1.0 * dt
Toggle
  enter: self.thing.lit = not self.thing.lit
  ends on enter:
DelegateAction
  setup: self.call = lambda state: add(thing)
  update: self.call(self)
DelegateAction, enter and exit
  setup: self.call = lambda state: add(thing)
  enter: self.call(self)
  leave: self.call(self)
  ends on enter:
Play
  enter: self.thing.play()
  ends on enter:
TriggerAnimator
  enter: self.thing.set_trigger('jump')
  ends on enter:
Log, switched off
  enter: SILENT.info('hello')
  ends on enter:
Assert, every update
  enter, update: assert self.thing.value > 0
Compare, every update
  enter, update: if self.thing.value < 5.0: self.send_event('LOW')
Switch, every update
  setup: self.events = {5: 'LOW'}
  enter, update:
    event = self.events.get(self.thing.count)
    if event is not None:
        self.send_event(event)
OnChange
  enter: self.last = self.thing.value
  update:
    old, self.last = self.last, self.thing.value
    if old != self.last:
        self.send_event("CHANGED", (old, self.last))
"""
CASES: Final = read_cases(ACTIONS, TWINS, Bag)
