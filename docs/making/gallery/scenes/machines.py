from making.gallery.lanes import lanes
from making.gallery.strip import Strip

from actions import Regions, RunFsm, TimedWait
from fsmkit import FINISHED, Fsm


def run_fsm() -> Strip:
    game = Fsm("Game")
    play, won = game.add_state("Play"), game.add_state("Won", final=True)
    play.add_transition("GOAL", won)

    evening = Fsm("Evening")
    match, party = evening.add_state("Match"), evening.add_state("Party")
    match.add_action(RunFsm(game, {"Won": "CHEER"}))
    match.add_transition("CHEER", party)
    return lanes(evening, 3.0, at={1.5: "GOAL"}, hidden=("~GOAL",))


def regions() -> Strip:
    legs, arms = Fsm("Legs"), Fsm("Arms")
    stand, run = legs.add_state("Stand"), legs.add_state("Run")
    stand.add_transition("DANGER", run)
    lowered, ready = arms.add_state("Lowered"), arms.add_state("Ready")
    lowered.add_transition("DANGER", ready)
    ready.add_action(TimedWait(1.0))
    ready.add_transition(FINISHED, lowered)

    soldier = Fsm("Soldier")
    patrol = soldier.add_state("Patrol")
    patrol.add_action(Regions(RunFsm(legs), RunFsm(arms)))
    return lanes(soldier, 3.0, at={1.0: "DANGER"}, hidden=(FINISHED,), only=Regions)
