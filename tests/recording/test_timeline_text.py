"""The timeline on a terminal."""

from io import StringIO

import pytest

from actions import DelegateAction, RunFsm, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.recording import Chronicle, History, SentEvent, StateVisit, timeline_text
from fsmkit.terminal.console import Console, width


def door(name: str = "Door") -> Fsm:
    fsm = Fsm(name, on_unhandled="ignore")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition("OPEN", opened)
    opened.add_transition(FINISHED, closed)
    opened.add_action(TimedWait(2.0))
    return fsm


def opened_door() -> Chronicle:
    fsm = door()
    history = History(fsm)
    fsm.start()
    fsm.update(1.0)
    fsm.send_event("OPEN")
    fsm.update(1.5)
    fsm.send_event("KNOCK")
    fsm.update(0.5)
    fsm.update(1.0)
    return history.chronicle()


def lasting(*names: str, machine: str = "Fsm") -> Chronicle:
    """A visit of one second to each of the states."""
    visits = [
        StateVisit(machine, name, float(second), second + 1.0, "GO" if second else None)
        for second, name in enumerate(names)
    ]
    return Chronicle([machine], visits, [], [], 0.0, float(len(names)))


def test_a_bar_of_states_with_events_below_it_and_a_list() -> None:
    expected = """\
      0 s               1 s               2 s                3 s             4 s
      ┴─────────────────┴─────────────────┴──────────────────┴─────────────────┴
Door  ░░░░░ Closed ░░░░░▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ Open ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░░ Closed ░░░░░
                        ╵OPEN                       =KNOCK   ╵FINISHED

  time  machine  from    event     to         sent by
0.00 s  Door             (start)   Closed
1.00 s  Door     Closed  OPEN      Open
2.50 s  Door     Open    KNOCK     (ignored)
3.00 s  Door     Open    FINISHED  Closed     Open.actions[0] (TimedWait)"""
    assert timeline_text(opened_door(), width=80) == expected


def test_a_part_of_it() -> None:
    expected = """\
                1 s                2 s
      ──────────┴──────────────────┴──────────────
Door  ░ Closed ░▓▓▓▓▓▓▓▓▓▓▓▓▓ Open ▓▓▓▓▓▓▓▓▓▓▓▓▓▓
                ╵OPEN                       =KNOCK

  time  machine  from    event  to
1.00 s  Door     Closed  OPEN   Open
2.50 s  Door     Open    KNOCK  (ignored)"""
    assert timeline_text(opened_door(), width=50, start=0.5, end=2.75) == expected


def test_a_part_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(
        ValueError,
        match=r"end must be >= start, got .* from 3.0 to 2.0 seconds. .* from 0.0 to 4.0",
    ):
        timeline_text(opened_door(), start=3.0, end=2.0)


def test_machines_inside_others_stand_below_them_while_they_run() -> None:
    lock = door("Lock")
    house = Fsm("House", on_unhandled="ignore")
    day, night = house.add_state("Day"), house.add_state("Night")
    night.add_action(RunFsm(lock))
    day.add_transition("DUSK", night)
    night.add_transition("DAWN", day)
    group = FsmGroup([house, door()])
    history = History(group)
    house.start()
    for event in ("DUSK", "OPEN", "DAWN"):
        house.update(1.0)
        house.send_event(event)
    house.update(1.0)
    expected = """\
        0 s          1 s          2 s         3 s        4 s
        ┴────────────┴────────────┴───────────┴────────────┴
House   ░░░░ Day ░░░░▓▓▓▓▓▓▓▓▓ Night ▓▓▓▓▓▓▓▓▓░░░░ Day ░░░░
                     ╵DUSK        ~OPEN       ╵DAWN
  Lock               ▒▒ Closed ▒▒▒███ Open ███
                                  ╵OPEN
Door

  time  machine     from    event    to
0.00 s  House               (start)  Day
1.00 s  House       Day     DUSK     Night
1.00 s  House/Lock          (start)  Closed
2.00 s  House/Lock  Closed  OPEN     Open
3.00 s  House       Night   DAWN     Day
3.00 s  House/Lock  Open    (stop)"""
    assert timeline_text(history.chronicle(), width=60) == expected


def test_visits_without_length_are_seen() -> None:
    fsm = Fsm("Ship")
    fire, reload, done = (fsm.add_state(name) for name in ("Fire", "Reload", "Done"))
    fire.add_transition(FINISHED, reload)
    reload.add_action(TimedWait(1.0))
    reload.add_transition(FINISHED, fire)
    done.add_action(DelegateAction(lambda state: state.fsm.stop()))
    fsm.add_global_transition("END", done)
    history = History(fsm)
    fsm.start()
    for _ in range(3):
        fsm.update(1.0)
    fsm.send_event("END")
    expected = """\
      0 s                  1 s                  2 s                3 s
      ┴────────────────────┴────────────────────┴────────────────────┴
Ship  ░▓▓▓▓▓▓ Reload ▓▓▓▓▓▓░▓▓▓▓▓▓ Reload ▓▓▓▓▓▓░▓▓▓▓▓▓ Reload ▓▓▓▓▓▓┊
      ╵FINISHED            ╵FINISHED            ╵FINISHED

░ Fire   ▒ Done   ┊ several states

  time  machine  from    event     to      sent by
0.00 s  Ship             (start)   Fire
0.00 s  Ship     Fire    FINISHED  Reload
1.00 s  Ship     Reload  FINISHED  Fire    Reload.actions[0] (TimedWa…
1.00 s  Ship     Fire    FINISHED  Reload
2.00 s  Ship     Reload  FINISHED  Fire    Reload.actions[0] (TimedWa…
2.00 s  Ship     Fire    FINISHED  Reload
3.00 s  Ship     Reload  FINISHED  Fire    Reload.actions[0] (TimedWa…
3.00 s  Ship     Fire    FINISHED  Reload
3.00 s  Ship     Reload  END       Done
3.00 s  Ship     Done    (stop)"""
    assert timeline_text(history.chronicle(), width=70) == expected


def test_states_too_short_for_a_column_of_their_own_share_one() -> None:
    visits = [StateVisit("Fsm", "AB"[n % 2], n / 100, (n + 1) / 100, "GO") for n in range(100)]
    chronicle = Chronicle(["Fsm"], [*visits, StateVisit("Fsm", "C", 1.0, None, "GO")], [], [], 0, 2)
    assert timeline_text(chronicle, width=40).splitlines()[2:5] == [
        "Fsm  ┊┊┊┊┊┊┊┊┊┊┊┊┊┊┊┊┊┊▒▒▒▒▒▒ C ▒▒▒▒▒▒▒",
        "",
        "░ A   ▓ B   ┊ several states",
    ]


def test_visits_to_the_same_state_have_an_edge_between_them() -> None:
    assert timeline_text(lasting("A", "A", "B"), width=40).splitlines()[2] == (
        "Fsm  ░░░░ A ░░░░│░░░░ A ░░░░▓▓▓▓ B ▓▓▓▓"
    )


def test_an_error_is_shown_with_its_place() -> None:
    fsm = door()
    fsm.states["Open"].add_action(DelegateAction(lambda state: 1 / 0))
    history = History(fsm)
    fsm.start()
    fsm.update(1.0)
    with pytest.raises(ZeroDivisionError):
        fsm.send_event("OPEN")
    fsm.update(1.0)
    fsm.stop()
    expected = """\
      0.0 s             0.5 s             1.0 s              1.5 s         2.0 s
      ┴─────────────────┴─────────────────┴──────────────────┴─────────────────┴
Door  ░░░░░░░░░░░░░░ Closed ░░░░░░░░░░░░░░▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ Open ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
                                          !ZeroDivisionError

  time  machine  from    event    to
0.00 s  Door             (start)  Closed
1.00 s  Door     Closed  OPEN     Open
1.00 s  Door     Open    (error)
        ZeroDivisionError: division by zero
        Fsm 'Door', state 'Open', actions[1] (DelegateAction), on_enter
2.00 s  Door     Open    (stop)"""
    assert timeline_text(history.chronicle(), width=80) == expected


def test_wide_and_unprintable_names_keep_the_columns() -> None:
    expected = """\
      0.0 s       0.5 s       1.0 s       1.5 s        2.0 s       2.5 s   3.0 s
      ┴───────────┴───────────┴───────────┴────────────┴───────────┴───────────┴
守卫  ░░░░░░░░░ 巡逻 ░░░░░░░░░▓▓▓▓▓▓ two\\nlines ▓▓▓▓▓▓▓▒▒▒▒▒ \\x1b[31mred ▒▒▒▒▒▒

  time  machine  from         event    to
0.00 s  守卫                  (start)  巡逻
1.00 s  守卫     巡逻         GO       two\\nlines
2.00 s  守卫     two\\nlines   GO       \\x1b[31mred
3.00 s  守卫     \\x1b[31mred  (stop)"""
    assert (
        timeline_text(lasting("巡逻", "two\nlines", "\x1b[31mred", machine="守卫"), width=80)
        == expected
    )


def test_no_line_is_longer_than_the_width() -> None:
    text = timeline_text(lasting("x" * 300, "巡" * 300, machine="m" * 300), width=60)
    assert max(map(width, text.splitlines())) == 60


def test_events_that_changed_nothing_come_first_and_finished_last() -> None:
    events = [
        SentEvent("Fsm", time, "A", event, None, outcome)
        for time, event, outcome in [
            (0.0, "FINISHED", "changed"),
            (0.1, "GO", "changed"),
            (0.2, "WAIT", "queued"),
            (1.0, "HIT", "unhandled"),
            (1.1, "FINISHED", "changed"),
            (1.5, "TAKE", "consumed"),
            (1.9, "STAY", "ignored"),
        ]
    ]
    chronicle = Chronicle(["Fsm"], lasting("A", "B").visits, events, [], 0.0, 2.0)
    assert timeline_text(chronicle, width=60).splitlines()[2:4] == [
        "Fsm  ░░░░░░░░░░░░ A ░░░░░░░░░░░░▓▓▓▓▓▓▓▓▓▓▓▓ B ▓▓▓▓▓▓▓▓▓▓▓▓",
        "        ╵GO                     ?HIT         ~TAKE      =",
    ]


def test_of_many_machines_the_busiest_are_shown_and_of_many_changes_the_last() -> None:
    names = [f"Fsm {n}" for n in range(30)]
    visits = [
        StateVisit(name, "A", second / 10, (second + 1) / 10, "GO")
        for n, name in enumerate(names)
        for second in range(n)
    ]
    lines = timeline_text(Chronicle(names, visits, [], [], 0.0, 3.0)).splitlines()
    assert [line.split("  ")[0] for line in lines[2:22]] == names[10:]
    assert "10 more machines, less busy, are not shown." in lines
    assert "        370 more before" in lines
    assert len(lines[lines.index("        370 more before") :]) == 1 + 40


def test_nothing_at_all() -> None:
    expected = """\
  0.00 s
  ┴─────────────────────────────────────"""
    assert timeline_text(Chronicle([], [], [], [], 0.0, 0.0), width=40) == expected


def test_characters_that_the_console_can_write() -> None:
    console = Console(_Terminal("ascii"), environment={"NO_COLOR": "1"})
    expected = """\
     0 s               1 s               2 s             3 s
     +-----------------+-----------------+-----------------+
Fsm  ####### On #######...... Off .......== \\u5de1\\u903b ==

  time  machine  from          event    to
0.00 s  Fsm                    (start)  On
1.00 s  Fsm      On            GO       Off
2.00 s  Fsm      Off           GO       \\u5de1\\u903b
3.00 s  Fsm      \\u5de1\\u903b  (stop)"""
    assert timeline_text(lasting("On", "Off", "巡逻"), width=60, console=console) == expected


def test_styles_where_there_are_colours() -> None:
    console = Console(_Terminal("utf-8"), environment={})
    lines = timeline_text(lasting("On", "Off"), width=40, console=console).splitlines()
    assert (
        lines[2]
        == "\x1b[1mFsm\x1b[0m  ░░░░░░ \x1b[1mOn\x1b[0m ░░░░░░░▓▓▓▓▓▓ \x1b[1mOff\x1b[0m ▓▓▓▓▓▓"
    )


class _Terminal(StringIO):
    """A terminal with an encoding."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self.name_of_encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.name_of_encoding

    def isatty(self) -> bool:
        return True


def test_a_whole_timeline_is_as_wide_and_as_long_as_it_must_be() -> None:
    long = f"A state with {'a long ' * 5}name"
    fsm = Fsm("A machine with a name that is longer than a quarter of the line")
    first, second = fsm.add_state(long), fsm.add_state("B")
    first.add_transition("GO", second)
    second.add_transition("GO", first)
    history = History(fsm)
    fsm.start()
    for _ in range(100):
        fsm.send_event("GO")
        fsm.update(1.0)
    lines = timeline_text(history.chronicle(), width=60, whole=True).splitlines()
    assert any(line.startswith(f"{fsm.name}  ") for line in lines)
    assert sum(f"  {long}  GO  " in line for line in lines) == 50
    assert not any("…" in line for line in lines)
