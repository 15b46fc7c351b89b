import asyncio

from attrs import define
from making.gallery.lanes import lanes
from making.gallery.strip import Strip

from actions import (
    Await,
    Composite,
    ForEach,
    Parallel,
    Race,
    Repeat,
    Retry,
    Sequence,
    TimedWait,
    Timeout,
    When,
)
from fsmkit import FINISHED, Fsm, FsmAction


def sequence() -> Strip:
    boil, cool = TimedWait(1.5), TimedWait(1.0)
    cook = Fsm("Cook")
    tea, serve = cook.add_state("Tea"), cook.add_state("Serve")
    tea.add_action(Sequence(boil, cool))
    tea.add_transition(FINISHED, serve)
    return lanes(cook, 3.0, names={boil: "TimedWait(1.5)", cool: "TimedWait(1.0)"})


def parallel() -> Strip:
    rice, beans = TimedWait(1.5), TimedWait(2.5)
    cook = Fsm("Cook")
    boil, serve = cook.add_state("Boil"), cook.add_state("Serve")
    boil.add_action(Parallel(rice, beans))
    boil.add_transition(FINISHED, serve)
    return lanes(cook, 3.0, names={rice: "TimedWait(1.5)", beans: "TimedWait(2.5)"})


def race() -> Strip:
    rice, beans = TimedWait(1.5), TimedWait(2.5)
    cook = Fsm("Cook")
    boil, serve = cook.add_state("Boil"), cook.add_state("Serve")
    boil.add_action(Race(rice, beans))
    boil.add_transition(FINISHED, serve)
    return lanes(cook, 3.0, names={rice: "TimedWait(1.5)", beans: "TimedWait(2.5)"})


def for_each() -> Strip:
    waiter = Fsm("Waiter", context=[0.5, 1.2, 0.8])
    serve, rest = waiter.add_state("Serve"), waiter.add_state("Rest")
    serve.add_action(ForEach(lambda state: state.context, TimedWait))
    serve.add_transition(FINISHED, rest)
    return lanes(waiter, 3.0)


def repeat() -> Strip:
    lamp = Fsm("Lamp")
    blink, off = lamp.add_state("Blink"), lamp.add_state("Off")
    blink.add_action(Repeat(TimedWait(0.7), times=3))
    blink.add_transition(FINISHED, off)
    return lanes(lamp, 3.0)


def retry() -> Strip:
    async def load():
        await asyncio.sleep(0.5)  # a request that may fail

    player = Fsm("Player")
    ask, talk = player.add_state("Ask"), player.add_state("Talk")
    ask.add_action(Retry(Await(load), times=5, delay=0.3, backoff=2))
    ask.add_transition(FINISHED, talk)
    return lanes(
        player,
        3.0,
        work={
            0.5: ConnectionError("busy"),
            1.3: ConnectionError("busy"),
            2.4: None,
        },
    )


def timeout() -> Strip:
    ring = TimedWait(60.0)
    call = Fsm("Call")
    ringing, voicemail = call.add_state("Ringing"), call.add_state("Voicemail")
    ringing.add_action(Timeout(ring, 2.0, "NO_ANSWER"))
    ringing.add_transition("NO_ANSWER", voicemail)
    return lanes(call, 3.0, names={ring: "TimedWait(60.0)"})


def when() -> Strip:
    lamp = {"broken": True}
    fsm = Fsm("Guard")
    arrive, patrol = fsm.add_state("Arrive"), fsm.add_state("Patrol")
    arrive.add_action(When(lambda: lamp["broken"], TimedWait(1.5)))
    arrive.add_transition(FINISHED, patrol)
    return lanes(fsm, 3.0)


def composite() -> Strip:
    @define(eq=False, repr=False, slots=False)
    class Meanwhile(Composite):
        """Runs `other` for as long as `first` takes."""

        first: FsmAction
        other: FsmAction

        @property
        def children(self):
            return self.first, self.other

        def begin(self):
            self.begin_child(self.first)
            if self.may_go_on:
                self.begin_child(self.other)

        def go_on(self):
            if self.first.finished:
                self.end_all()
                self.finish()

    soup, stir = TimedWait(2.0), Repeat(TimedWait(0.4))
    cook = Fsm("Cook")
    boil, serve = cook.add_state("Boil"), cook.add_state("Serve")
    boil.add_action(Meanwhile(soup, stir))
    boil.add_transition(FINISHED, serve)
    return lanes(cook, 3.0, names={soup: "TimedWait(2.0)"})
