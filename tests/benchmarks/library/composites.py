"""Composites, and actions that send or handle events, beside their twins."""

from __future__ import annotations

from random import Random
from typing import Final

from trials import Idle
from twins import LONG, Bag, Make, read_cases

import actions as a
from fsmkit import FINISHED, Fsm, FsmGroup


def inner(seconds: float) -> Fsm[None]:
    """Make a machine to nest: HIT leads to and fro, and if it does not wait long it ends."""
    fsm: Fsm[None] = Fsm("Inner", on_unhandled="ignore")
    one, two = fsm.add_state("One"), fsm.add_state("Two", final=seconds < 1)
    one.add_action(a.TimedWait(seconds))
    if seconds < 1:
        one.add_transition(FINISHED, two)
    else:
        two.add_action(a.TimedWait(seconds))
        one.add_transition("HIT", two)
        two.add_transition("HIT", one)
    return fsm


def listeners(thing: Bag) -> FsmGroup:
    machines = []
    for _ in range(10):
        fsm: Fsm[None] = Fsm("Listener", on_unhandled="ignore")
        one, two = fsm.add_state("One"), fsm.add_state("Two")
        one.add_action(Idle())
        two.add_action(Idle())
        one.add_transition("NOISE", two)
        two.add_transition("NOISE", one)
        fsm.start()
        machines.append(fsm)
    thing.others = machines  # type: ignore[attr-defined]
    return FsmGroup(machines)


ACTIONS: Final[dict[str, Make]] = {
    "Sequence of two waits": lambda t, d: a.Sequence(
        *(a.TimedWait(d) for _ in range(1 if d < 1 else 2))
    ),
    "Parallel of two waits": lambda t, d: a.Parallel(a.TimedWait(d), a.TimedWait(d)),
    "Race of two waits": lambda t, d: a.Race(a.TimedWait(d), a.TimedWait(LONG)),
    "Repeat of a wait": lambda t, d: a.Repeat(a.TimedWait(d), times=1 if d < 1 else None),
    "Repeat, a round in each update": lambda t, d: a.Repeat(a.TimedWait(1 / 120)),
    "Retry of a wait": lambda t, d: a.Retry(a.TimedWait(d), 3),
    "Timeout of a wait": lambda t, d: a.Timeout(a.TimedWait(d), LONG),
    "When, a wait": lambda t, d: a.When(lambda: t.value > 0, a.TimedWait(d)),
    "ForEach, a wait": lambda t, d: a.ForEach((1,) if d < 1 else (1, 2), lambda _: a.TimedWait(d)),
    "Selector of three waits": lambda t, d: a.Selector(
        a.Option(a.TimedWait(d), when=lambda: t.value < -1),
        a.Option(a.TimedWait(d), when=lambda: t.value < 0),
        a.Option(a.TimedWait(d)),
    ),
    "Utility of three waits": lambda t, d: a.Utility(
        a.Option(a.TimedWait(d), score=lambda: t.value - 2),
        a.Option(a.TimedWait(d), score=lambda: t.value - 1),
        a.Option(a.TimedWait(d), score=lambda: t.value),
    ),
    "Utility, asked once": lambda t, d: a.Utility(
        a.Option(a.TimedWait(d), score=lambda: t.value - 1),
        a.Option(a.TimedWait(d), score=lambda: t.value),
        every=LONG,
    ),
    "RunFsm": lambda t, d: a.RunFsm(inner(d)),
    "Regions of two machines": lambda t, d: a.Regions(a.RunFsm(inner(d)), a.RunFsm(inner(d))),
    "SendEvent": lambda t, d: a.SendEvent("HIT"),
    "SendEvent, delayed": lambda t, d: a.SendEvent("LATE", delay=LONG),
    "SendEventWhen": lambda t, d: a.SendEventWhen(lambda: t.value < 0, "LOW"),
    "SendRandomEvent": lambda t, d: a.SendRandomEvent({"HIT": 1, "MISS": 2}, rng=Random(1)),
    "SequenceEvent": lambda t, d: a.SequenceEvent("HIT", "MISS"),
    "Broadcast to ten machines": lambda t, d: a.Broadcast(listeners(t), "NOISE"),
    "OnEvent": lambda t, d: (a.OnEvent("HIT", lambda state, data: t.play()), Idle()),
    "IgnoreEvents": lambda t, d: (a.IgnoreEvents("HIT"), Idle()),
    "Cooldown": lambda t, d: (a.Cooldown("HIT", 1e12), Idle()),
    "Defer": lambda t, d: (a.Defer("HIT", latest=True), a.TimedWait(LONG)),
}
TWINS: Final = """
Sequence of two waits
  setup: self.durations = (d,) if d < 1 else (d, d)
  enter: self.at = 0; self.t = 0.0
  update:
    self.t += dt
    if self.t >= self.durations[self.at] - 1e-9:
        self.at += 1
        self.t = 0.0
        if self.at == len(self.durations):
            FINISH
Parallel of two waits
  enter: self.t = self.u = 0.0; self.left = 2
  update:
    if self.t < self.d:
        self.t += dt
        if self.t >= self.d - 1e-9:
            self.left -= 1
    if self.u < self.d:
        self.u += dt
        if self.u >= self.d - 1e-9:
            self.left -= 1
    if not self.left:
        FINISH
Race of two waits
  setup: self.longer = 1e6
  enter: self.t = self.u = 0.0
  update:
    self.t += dt
    self.u += dt
    if self.t >= self.d - 1e-9 or self.u >= self.longer - 1e-9:
        FINISH
Repeat of a wait
  setup: self.times = 1 if d < 1 else None
  enter: self.t = 0.0; self.rounds = 0
  update:
    self.t += dt
    if self.t >= self.d - 1e-9:
        self.rounds += 1
        self.t = 0.0
        if self.rounds == self.times:
            FINISH
Repeat, a round in each update
  setup: self.length = 1 / 120; self.rounds = 0
  enter: self.t = 0.0; self.rounds = 0
  update:
    self.t += dt
    if self.t >= self.length - 1e-9:
        self.rounds += 1
        self.t = 0.0
  without: visit
Retry of a wait
  setup: self.times = 3
  enter: self.t = 0.0; self.tries = 1
  update:
    try:
        self.t += dt
        if self.t >= self.d - 1e-9:
            FINISH
    except Exception:
        self.tries += 1
        if self.tries > self.times:
            raise
Timeout of a wait
  setup: self.limit = 1e6
  enter: self.t = self.u = 0.0
  update:
    self.t += dt
    self.u += dt
    if self.t >= self.d - 1e-9 or self.u >= self.limit:
        FINISH
When, a wait
  enter: self.t = 0.0; self.runs = self.thing.value > 0
  update:
    if self.runs:
        self.t += dt
        if self.t >= self.d - 1e-9:
            FINISH
ForEach, a wait
  setup: self.items = (1,) if d < 1 else (1, 2)
  enter: self.at = 0; self.t = 0.0
  update:
    self.t += dt
    if self.t >= self.d - 1e-9:
        self.at += 1
        self.t = 0.0
        if self.at == len(self.items):
            FINISH
Selector of three waits
  enter: self.t = 0.0; self.at = 0 if self.thing.value < -1 else 1 if self.thing.value < 0 else 2
  update:
    at = 0 if self.thing.value < -1 else 1 if self.thing.value < 0 else 2
    if at != self.at:
        self.at = at
        self.t = 0.0
    else:
        self.t += dt
        if self.t >= self.d - 1e-9:
            FINISH
Utility of three waits
  setup: self.at = 2
  enter: self.t = 0.0; self.at = 2
  update:
    best = self.thing.value - 2
    at = 0
    if self.thing.value - 1 > best:
        best = self.thing.value - 1
        at = 1
    if self.thing.value > best:
        best = self.thing.value
        at = 2
    if best > self.thing.value - 2 + self.at:
        self.at = at
        self.t = 0.0
    else:
        self.t += dt
        if self.t >= self.d - 1e-9:
            self.t = 0.0
  without: visit
Utility, asked once
  setup: self.at = 1; self.every = 1e6
  enter: self.t = self.u = 0.0; self.at = 1
  update:
    self.u += dt
    if self.u >= self.every:
        self.u = 0.0
        self.at = 1
    self.t += dt
    if self.t >= self.d - 1e-9:
        self.t = 0.0
  without: visit
RunFsm
  enter: self.t = 0.0; self.inner = 'One'
  update:
    if self.inner == "One":
        self.t += dt
        if self.t >= self.d - 1e-9:
            self.inner = "Two"
            FINISH
    elif self.inner == "Two":
        self.t += dt
  event:
    if event == "HIT":
        if self.inner == "One":
            self.inner = "Two"
        else:
            self.inner = "One"
        self.t = 0.0
        return True
Regions of two machines
  enter: self.t = self.u = 0.0; self.one = self.two = 'One'
  update:
    if self.one == "One":
        self.t += dt
        if self.t >= self.d - 1e-9:
            self.one = "Two"
    if self.two == "One":
        self.u += dt
        if self.u >= self.d - 1e-9:
            self.two = "Two"
    if self.one == "Two" and self.two == "Two":
        FINISH
  event:
    if event == "HIT":
        if self.one == "One":
            self.one = "Two"
        else:
            self.one = "One"
        if self.two == "One":
            self.two = "Two"
        else:
            self.two = "One"
        self.t = self.u = 0.0
        return True
SendEvent
  enter: self.send_event('HIT')
  ends on enter:
SendEvent, delayed
  setup: self.delay = 1e6
  enter: self.t = 0.0
  update:
    self.t += dt
    if self.t >= self.delay:
        self.send_event("LATE")
SendEventWhen
  enter, update: if self.thing.value < 0: self.send_event('LOW')
SendRandomEvent
  setup: self.rng = Random(1); self.events = ('HIT', 'MISS'); self.weights = (1, 2)
  enter: self.send_event(self.rng.choices(self.events, self.weights)[0])
  ends on enter:
SequenceEvent
  setup: self.events = ('HIT', 'MISS'); self.next = 0
  enter: self.next = 1 - self.next; self.send_event(self.events[self.next])
  ends on enter:
Broadcast to ten machines
  setup: self.others = ['One'] * 10
  enter:
    for i, state in enumerate(self.others):
        if state == "One":
            self.others[i] = "Two"
        elif state == "Two":
            self.others[i] = "One"
  ends on enter:
OnEvent
  setup: self.call = lambda state, data: thing.play()
  event:
    if event == "HIT":
        self.call(self, data)
        return True
IgnoreEvents
  event:
    if event == "HIT":
        return True
Cooldown
  setup: self.ready = 0.0
  event:
    if event == "HIT":
        if self.time < self.ready:
            return True
        self.ready = self.time + 1e12
Defer
  setup: self.kept = ()
  enter: self.t = 0.0
  update: self.t += dt
  leave: self.kept = ()
  event:
    if event == "HIT":
        self.kept = (event, data)
        return True
"""
CASES: Final = read_cases(ACTIONS, TWINS, Bag)
