"""A guard as a file, and twenty-two mistakes in it: `check` names them, and an agent mends them."""

from typing import NamedTuple

GUARD = '''\
"""A guard that patrols, listens, chases and fights."""

from actions import (
    Cooldown,
    DelegateAction,
    Move,
    MoveTowards,
    OnEvent,
    Parallel,
    RunFsm,
    SendEvent,
    SendEventWhen,
    Sequence,
    SetValue,
    TimedWait,
)
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction
from fsmkit.space import Transform


class World:
    def __init__(self):
        self.body = Transform((0.0, 0.0))
        self.player = Transform((9.0, 0.0))
        self.ammunition = 3
        self.alarmed = False

    def sees_player(self):
        return self.player.position[0] < 5.0


class Shoot(FsmAction):
    def __init__(self, hit="SHOT", empty="EMPTY"):
        self.hit = hit
        self.empty = empty

    def on_enter(self):
        if self.context.ammunition > 0:
            self.context.ammunition -= 1
            self.fsm.send_event(self.hit)
        else:
            self.fsm.send_event(self.empty)


class Stagger(FsmAction):
    def __init__(self, seconds, event="RECOVERED"):
        self.seconds = seconds
        self.event = event

    def on_enter(self):
        self.fsm.send_event_after(self.seconds, self.event)


def sees(state):
    return bool(state.context.sees_player())


def fight():
    fsm = Fsm("Fight")
    aim = fsm.add_state("Aim")
    shoot = fsm.add_state("Shoot")
    fled = fsm.add_state("Fled", final=True)
    aim.add_action(TimedWait(0.4))
    aim.add_transition(FINISHED, shoot)
    shoot.add_action(Shoot())
    shoot.add_transition("SHOT", aim)
    shoot.add_transition("EMPTY", fled)
    return fsm


def build():
    world = World()
    fsm = Fsm("Guard", context=world)
    patrol = fsm.add_state("Patrol")
    rest = fsm.add_state("Rest")
    listen = fsm.add_state("Listen")
    chase = fsm.add_state("Chase")
    combat = fsm.add_state("Fight")
    stunned = fsm.add_state("Stunned")
    paused = fsm.add_state("Paused")
    dead = fsm.add_state("Dead", final=True)

    patrol.add_action(Move(world.body, None, (8.0, 0.0), 4.0, finish_event="ARRIVED"))
    patrol.add_action(SendEventWhen(sees, "SEEN"))
    patrol.add_transition("ARRIVED", rest)
    patrol.add_transition("SEEN", chase)
    patrol.add_transition("NOISE", listen)
    patrol.add_transition("HIT", stunned)
    patrol.add_transition("PAUSE", paused, suspend=True)

    back = Move(world.body, None, (0.0, 0.0), 4.0, finish_event="ARRIVED")
    rest.add_action(Sequence(TimedWait(2.0), back))
    rest.add_transition("ARRIVED", patrol)
    rest.add_transition("NOISE", listen)
    rest.add_transition("PAUSE", paused, suspend=True)

    listen.add_action(Cooldown("NOISE", 1.0))
    listen.add_action(TimedWait(3.0, finish_event="CALM"))
    listen.add_transition("CALM", patrol)
    listen.add_transition("NOISE", chase)

    chase.add_action(MoveTowards(world.body, world.player, speed=3.0))
    chase.add_action(SetValue(world, "alarmed", True))
    chase.add_action(OnEvent("NOISE", lambda state: print("what was that?")))
    chase.add_transition(FINISHED, combat)
    chase.add_transition("HIT", stunned)

    combat.add_action(RunFsm(fight(), {"Fled": "FLED"}))
    combat.add_transition("FLED", rest)
    combat.add_transition("HIT", stunned)

    stunned.add_action(Stagger(1.5))
    stunned.add_transition("RECOVERED", patrol)
    paused.add_transition("RESUME", BACK)
    fsm.add_global_transition("KILLED", dead)
    fsm.add_global_transition(ERROR, rest)
    return fsm
'''

END = "    return fsm\n"
LISTENS = '    listen.add_action(TimedWait(3.0, finish_event="CALM"))\n'
GLOBAL = (
    '    fsm.add_global_transition("KILLED", dead)\n    fsm.add_global_transition(ERROR, rest)\n'
)
RECOVERS = '    stunned.add_transition("RECOVERED", patrol)\n'
CHASES = GUARD[GUARD.index("    chase.add_action") : GUARD.index("    chase.add_transition(F")]
RESTS = "    rest.add_action(Sequence(TimedWait(2.0), back))\n"
DEAD = '    dead = fsm.add_state("Dead", final=True)\n'
FIGHTS = '    combat.add_action(RunFsm(fight(), {"Fled": "FLED"}))\n'


class Mistake(NamedTuple):
    code: str
    """Of the finding."""
    place: str
    """Its state and action."""
    changes: tuple[tuple[str, str], ...]
    """The texts that are replaced, each by another one."""


def added(code: str, place: str, *lines: str) -> Mistake:
    """Lines at the end of `build`."""
    at_end = GUARD[GUARD.rindex(GLOBAL) :]
    more = "".join(f"    {line}\n" for line in lines)
    return Mistake(code, place, ((at_end, at_end.replace(END, more + END)),))


BRAWLS = """\
    brawl = fight()
    combat.add_action(RunFsm(brawl, {"Fled": "FLED"}))
    combat.add_action(RunFsm(brawl))
"""
DAZES = """\
    dazed = fsm.add_state("Dazed")
    stunned.add_transition("RECOVERED", dazed)
    dazed.add_action(TimedWait(1.0))
    dazed.add_transition(FINISHED, stunned)
"""
RUSHES = """\
    chase.add_action(SendEvent("RUSH"))
    chase.add_transition("RUSH", combat)
    chase.add_transition("NOISE", listen)
"""
HANDS_OVER = 'Parallel(DelegateAction(lambda state: state.send_event("OVER")))'

MISTAKES = {
    "misspelt finish_event": Mistake(
        "dead-end-event", "Listen actions[1] (TimedWait)", (('"CALM"))', '"CLAM"))'),)
    ),
    "a transition that was forgotten": added(
        "unreachable-state", "Search",
        'search = fsm.add_state("Search")', 'search.add_transition("FOUND", chase)',
    ),
    "a state that nothing leads out of": Mistake(
        "no-way-out", "Stunned", ((GLOBAL, ""), (RECOVERS, ""))
    ),
    "an end that never comes": added(
        "finished-never-fires", "Listen actions[1] (TimedWait)",
        "listen.add_transition(FINISHED, rest)",
    ),
    "a wait that nobody hears of": Mistake(
        "unheard-finish", "Listen actions[1] (TimedWait)",
        ((LISTENS, LISTENS.replace(', finish_event="CALM"', "")),),
    ),
    "a guard that is asked twice": added(
        "shadowed-transition", "Rest",
        'rest.add_transition("SEEN", chase, when=sees)',
        'rest.add_transition("SEEN", combat, when=sees)',
    ),
    "BACK with nothing to go back to": Mistake(
        "nothing-to-resume", "Stunned", ((RECOVERS, RECOVERS.replace("patrol", "BACK")),)
    ),
    "a pause from which it starts over": Mistake(
        "never-resumed", "Patrol", (('"RESUME", BACK', '"RESUME", patrol'),)
    ),
    "one fight in two places": Mistake(
        "runs-twice", "Fight actions[1] (RunFsm)",
        ((FIGHTS, BRAWLS),),
    ),
    "an event in two spellings": added(
        "similar-events", "Stunned", 'stunned.add_transition("NOIZE", listen)'
    ),
    "a misspelt event in a lambda": added(
        "dead-end-event", "Rest actions[1] (DelegateAction)",
        'rest.add_action(DelegateAction(lambda state: state.send_event("NIOSE")))',
    ),
    "a misspelt event of an own action": added(
        "dead-end-event", "Patrol actions[2] (Shoot)",
        'patrol.add_action(Shoot("SEEEN", "ARRIVED"))',
    ),
    "a misspelt event with a delay": Mistake(
        "dead-end-event", "Stunned actions[0] (Stagger)",
        (("Stagger(1.5)", 'Stagger(1.5, "RECOVERD")'),),
    ),
    "a trap of two states": Mistake(
        "trap", "Stunned",
        ((DEAD, ""), (GLOBAL, ""),
         (RECOVERS, DAZES)),
    ),
    "an error that leads to the same state": added(
        "error-loop", "Chase", "chase.add_transition(ERROR, chase)"
    ),
    "a transition of a state that is left at once": Mistake(
        "left-at-once", "Chase",
        ((CHASES, RUSHES),),
    ),
    "a delayed event that is always dropped": added(
        "too-late", "Listen actions[2] (SendEvent)",
        'listen.add_action(SendEvent("BORED", delay=9.0))', 'listen.add_transition("BORED", rest)',
    ),
    "an event that nobody sends": added(
        "never-sent", "Rest", 'rest.add_transition("AMBUSH", chase)'
    ),
    "two ends at the same time": added(
        "too-late", "Listen actions[2] (TimedWait)",
        'listen.add_action(TimedWait(3.0, finish_event="BORED"))',
        'listen.add_transition("BORED", rest)',
    ),
    "a Cooldown of an unknown event": Mistake(
        "guards-nothing", "Listen actions[0] (Cooldown)",
        (('Cooldown("NOISE", 1.0)', 'Cooldown("NOISES", 1.0)'),),
    ),
    "two moves of one thing": added(
        "conflicting-actions", "Patrol actions[2] (Move)",
        "patrol.add_action(Move(world.body, None, (0.0, 5.0), 4.0))",
    ),
    "an endless chain inside other actions": Mistake(
        "endless-chain", "Rest",
        ((RESTS, f'    rest.add_action({HANDS_OVER})\n    rest.add_transition("OVER", listen)\n'),
         ('    listen.add_action(Cooldown("NOISE", 1.0))\n' + LISTENS,
          f'    listen.add_action({HANDS_OVER})\n    listen.add_transition("OVER", rest)\n')),
    ),
}  # fmt: skip

OUTSIDE = ["NOISE", "HIT", "KILLED", "PAUSE", "RESUME"]
"""What the game sends to the guard."""


def planted(mistake: Mistake) -> str:
    text = GUARD
    for old, new in mistake.changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text
