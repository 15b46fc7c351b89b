"""Regions: run several machines at the same time, which all get the events."""

from __future__ import annotations

from actions.definition import define_action
from actions.parallel import Parallel
from actions.run_fsm import RunFsm


@define_action(init=False)
class Regions(Parallel):
    """Run machines in parallel, each in a `RunFsm`; every event is offered to all of them.

    An event is taken if one of them takes it. If one of them changes the state of the outer
    machine, the event is not offered to those after it. `FINISHED`, `FAILED` and `ERROR` belong to
    each machine alone and are not passed down. Finishes when all of the machines have ended, or
    `needed` of them; fails when so many have ended in a state marked `failed` that the others are
    not enough. Raises TypeError for anything but a `RunFsm`.

    >>> from actions import RunFsm
    >>> from fsmkit import Fsm
    >>> walk, aim = Fsm("Walk"), Fsm("Aim")
    >>> for machine, moves in ((walk, ("Run", "Crouch")), (aim, ("Ready", "Lower"))):
    ...     before, after = map(machine.add_state, moves)
    ...     _ = before.add_transition("DANGER", after)
    >>> soldier = Fsm("Soldier")
    >>> _ = soldier.add_state("Patrol").add_action(Regions(RunFsm(walk), RunFsm(aim)))
    >>> soldier.start()
    >>> soldier.send_event("DANGER")
    True
    >>> walk.current_state.name, aim.current_state.name
    ('Crouch', 'Lower')
    """

    def __init__(
        self, *run_fsms: RunFsm, needed: int | None = None, finish_event: str | None = None
    ) -> None:
        for run_fsm in run_fsms:
            if not isinstance(run_fsm, RunFsm):
                raise TypeError(
                    f"Regions: each region must be an instance of RunFsm, got {run_fsm!r}. "
                    "Wrap a machine: Regions(RunFsm(walk), RunFsm(aim))."
                )
        super().__init__(*run_fsms, needed=needed, finish_event=finish_event)

    def goes_further(self, taken: bool) -> bool:  # noqa: ARG002  # every region gets the event
        return True
