"""Work and sounds that the old machine started end with it, and are started again."""

from typing import Any

from fsmkit.sound import Playing, play

RADIO = """
    from actions import Play
    from fsmkit import Fsm

    def build(music, clicks):
        fsm = Fsm("Radio")
        on = fsm.add_state("On")
        on.add_action(Play(music, loop=True))
        on.add_action(Play(clicks))
        return fsm
"""

THINKER = """
    from actions import InThread
    from fsmkit import FINISHED, Fsm

    def build(pool):
        fsm = Fsm("Thinker")
        fsm.add_state("Think").add_action(InThread(len, pool=pool))
        fsm.add_state("Act")
        fsm.states["Think"].add_transition(FINISHED, "Act")
        return fsm
"""


class Music:
    def __init__(self) -> None:
        self.journal: list[str] = []


class PlayingMusic:
    is_over = False

    def __init__(self, music: Music) -> None:
        self.journal = music.journal
        self.journal.append("begin")

    def stop(self) -> None:
        self.journal.append("stop")

    def pause(self) -> None: ...

    def resume(self) -> None: ...


@play.register
def _(music: Music, volume: float = 1.0, loop: bool = False) -> Playing:
    return PlayingMusic(music)


def test_a_looped_sound_is_restarted_and_one_that_keeps_playing_is_left_alone(game: Any) -> None:
    music, clicks = Music(), Music()
    game.build(RADIO, music, clicks).start()
    new = game.replace('"Radio"', '"Wireless"')
    [said] = game.take()[1:]
    assert said.startswith("Radio: Play of 'On' starts again: ")
    assert said.endswith("was begun by the old machine.")
    new.update(0.1)
    assert (music.journal, clicks.journal) == (["begin", "begin", "stop"], ["begin"])
    new.stop()
    assert music.journal[3:] == ["stop"]


def test_work_is_cancelled_and_restarted(game: Any) -> None:
    class Pool:
        def __init__(self) -> None:
            self.futures: list[Any] = []

        def submit(self, *_work: object) -> Any:
            from concurrent.futures import Future

            self.futures.append(Future())
            return self.futures[-1]

    pool = Pool()
    game.build(THINKER, pool).start()
    new = game.replace('"Thinker"', '"Dreamer"')
    first, second = pool.futures
    second.set_result(3)
    new.update(0.1)
    assert (first.cancelled(), new.path, new.event_data) == (True, ("Act",), 3)
