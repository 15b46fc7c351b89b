"""Keep the last thirty seconds for a crash report.

A `Recording` with a `limit` is a flight recorder: it keeps the last seconds
before an error. Its memory is bounded, and it writes a file when an exception
occurs, even one that becomes `ERROR`. Your user sends the file with the report,
and you replay it on the same machine: the error is raised again where you can
look at it. Once you have fixed it, the replay differs there, and nowhere
before. Event data must be plain, or `encode=` must say how to write it. If
actions read a world, such as positions, pass `world=`. See
[recording](../recording.md).
"""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from actions import TimedWait
from fsmkit import FINISHED, Fsm, FsmState
from fsmkit.recording import Recording, replay


def is_near(_: FsmState, distance: float) -> bool:
    return distance < 100.0  # what if the distance is missing?


def build() -> Fsm:
    fsm = Fsm("Turret")
    wait, shoot = fsm.add_state("Wait"), fsm.add_state("Shoot")
    shoot.add_action(TimedWait(0.5))
    wait.add_transition("SEEN", shoot, when=is_near)
    shoot.add_transition(FINISHED, wait)
    return fsm


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        report = Path(folder, "crash.jsonl")
        fsm = build()
        with suppress(TypeError), Recording(fsm, report, limit=30.0):
            fsm.start()
            for second in range(300):
                fsm.update(1.0)
                fsm.send_event("SEEN", None if second == 249 else 50.0)
        last = Recording.load(report)
        print(last.steps[-1], last.steps[-1].told()[0], sep="\n  ")
        print(f"{last.header.time} s to {last.time} s:", replay(build, report))
