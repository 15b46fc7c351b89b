"""Save a game in slots.

A slot is a file that holds a snapshot of the machine, which is plain data, and
the data of the game itself, here the gold. To load it, build everything as at
the start of the game and restore both. The miner continues in the middle of the
dig, no callback is called, and you can load an old slot as often as you like.

`write_atomically` writes the whole file or leaves the old one, so a crash never
destroys a save game. You may add states, transitions and actions to the game
later. A damaged file, or one that mentions something the machine no longer has,
raises an error that names the problem, before anything is changed: [save
games](../save_games.md) explains how to adapt such a file.

A running `Coroutine` cannot be saved, so the player cannot save in the middle
of a [cut scene](cut_scene.md): `save` then raises an error, and the slot stays
as it was. Offer the menu item only outside such a scene, or write the scene as
a `Sequence`, which can be saved at any time.
"""

import json
from pathlib import Path
from tempfile import mkdtemp

from actions import AddValue, TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.recording import restore, snapshot
from fsmkit.recording.atomic_file import write_atomically
from fsmkit.testing import drive


def build(gold: int = 0) -> Fsm[dict[str, int]]:
    fsm = Fsm("Miner", context={"gold": gold})
    dig, sell = map(fsm.add_state, ("Dig", "Sell"))
    dig.add_action(TimedWait(3.0))
    sell.add_action(AddValue(fsm.context, "gold", 5))
    dig.add_transition(FINISHED, sell)
    sell.add_transition(FINISHED, dig)
    return fsm


def save(fsm: Fsm[dict[str, int]], slot: Path) -> None:
    data = {"gold": fsm.context["gold"], "machine": snapshot(fsm)}
    write_atomically(slot, json.dumps(data))


def load(slot: Path) -> Fsm[dict[str, int]]:
    data = json.loads(slot.read_text("utf-8"))
    fsm = build(data["gold"])
    restore(fsm, data["machine"])
    return fsm


if __name__ == "__main__":
    fsm, slot = build(), Path(mkdtemp(), "slot_1.json")
    drive(fsm, [3.0, 2.0, lambda: save(fsm, slot), 1.0, 3.0])
    for what, game in (("played on", fsm), ("loaded", load(slot))):
        print(f"{what}: {game.time} s, {game.context['gold']} gold")
