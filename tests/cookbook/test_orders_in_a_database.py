"""What the recipe orders_in_a_database promises: two processes, days, keys, crashes, versions."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from recipe_runs import COOKBOOK, recipe

from actions import DelegateAction, OnEvent

DAY = 86_400.0
ORDERS = recipe("orders_in_a_database")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "orders.db")


def shop(path: str, *names: str) -> Any:
    orders = ORDERS.Orders(path)
    for name in names:
        orders.place(name, ORDERS.Order(price=30), now=0.0)
    return orders


def audit(orders: Any, name: str = "A") -> list[tuple[float, str]]:
    rows = orders.db.execute("SELECT at, what FROM audit WHERE name = ? ORDER BY at", (name,))
    return [(at / DAY, what) for at, what in rows]


def mails(orders: Any, name: str = "A") -> list[str]:
    return [
        text for (text,) in orders.db.execute("SELECT mail FROM outbox WHERE name = ?", (name,))
    ]


def row(orders: Any, columns: str, name: str = "A") -> tuple[Any, ...]:
    found: tuple[Any, ...] = orders.db.execute(
        f"SELECT {columns} FROM orders WHERE name = ?", (name,)
    ).fetchone()
    return found


def test_each_request_continues_where_the_last_one_has_ended(path: str) -> None:
    shop(path, "A").handle("A", "PAY", 30, key="1", now=DAY)
    orders = shop(path)
    assert orders.handle("A", "SHIP", key="2", now=2 * DAY) == "yes, it is Shipped"
    assert audit(orders) == [(0.0, "placed: Open"), (1.0, "PAY: Paid"), (2.0, "SHIP: Shipped")]
    assert mails(orders) == ["Your order: open", "Your order: paid", "Your order: shipped"]
    assert row(orders, "state, version, due_at") == ("Shipped", 3, None)
    assert json.loads(row(orders, "context")[0]) == {"price": 30, "paid": 30}


def test_the_same_key_gets_the_same_answer_and_changes_nothing(path: str) -> None:
    orders = shop(path, "A")
    first = orders.handle("A", "PAY", 30, key="1", now=DAY)
    assert orders.handle("A", "PAY", 30, key="1", now=DAY) == first
    assert shop(path).handle("A", "PAY", 99, key="1", now=2 * DAY) == first
    assert row(orders, "version") == (2,)
    assert orders.handle("A", "PAY", 30, key="2", now=DAY) == "no, it is Paid"
    assert mails(orders) == ["Your order: open", "Your order: paid"]


def test_a_limit_of_days_is_passed_at_its_own_moment_by_one_update(path: str) -> None:
    orders = shop(path, "A")
    orders.handle("A", "PAY", 20, key="1", now=400.25 * DAY)
    assert audit(orders) == [
        (0.0, "placed: Open"),
        (3.0, "FINISHED: Reminded"),
        (7.0, "FINISHED: Given up"),
    ]


def test_reminders_go_to_the_orders_that_are_due(path: str) -> None:
    orders = shop(path, "A", "B")
    orders.handle("B", "PAY", 30, key="1", now=DAY)
    assert row(orders, "due_at") == (3 * DAY,)
    orders.remind(now=2.9 * DAY)
    assert row(orders, "version") == (1,)
    orders.remind(now=3.5 * DAY)
    orders.remind(now=3.5 * DAY)
    assert mails(orders) == ["Your order: open", "Your order: reminded"]
    assert row(orders, "state, version, due_at") == ("Reminded", 2, 7 * DAY)
    assert row(orders, "version", "B") == (2,)


def test_a_request_that_comes_too_late_finds_what_another_has_saved(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, fast = shop(path, "A"), shop(path)
    load, loads = slow._load, []

    def load_and_wait(*arguments: Any) -> Any:
        found = load(*arguments)
        loads.append(found[0].current_state.name)
        if len(loads) == 1:
            fast.handle("A", "CANCEL", key="fast", now=DAY)
        return found

    monkeypatch.setattr(slow, "_load", load_and_wait)
    answer = slow.handle("A", "PAY", 30, key="slow", now=DAY)
    assert loads == ["Open", "Cancelled"]
    assert answer == "no, it is Cancelled"
    assert audit(slow) == [(0.0, "placed: Open"), (1.0, "CANCEL: Cancelled")]
    assert mails(slow) == ["Your order: open", "Your order: cancelled"]


def test_a_reminder_that_another_process_has_sent_is_not_sent_again(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, fast = shop(path, "A"), shop(path)
    load = slow._load

    def load_and_wait(*arguments: Any) -> Any:
        found = load(*arguments)
        fast.remind(now=4 * DAY)
        return found

    monkeypatch.setattr(slow, "_load", load_and_wait)
    slow.remind(now=4 * DAY)
    assert mails(slow) == ["Your order: open", "Your order: reminded"]


@pytest.mark.parametrize("table", ["answers", "orders", "outlines", "audit", "outbox"])
def test_after_a_crash_everything_is_there_or_nothing(path: str, table: str) -> None:
    orders = shop(path, "A")
    before = [*orders.db.iterdump()]

    def crash(action: int, what: str | None, *_: object) -> int:
        writes = action in (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE)
        return sqlite3.SQLITE_DENY if writes and what == table else sqlite3.SQLITE_OK

    orders.db.set_authorizer(crash)
    with pytest.raises(sqlite3.DatabaseError, match="prohibited|not authorized"):
        orders.handle("A", "PAY", 30, key="1", now=DAY)
    orders.db.close()
    orders = shop(path)
    assert [*orders.db.iterdump()] == before
    assert orders.handle("A", "PAY", 30, key="1", now=DAY) == "yes, it is Paid"


def test_the_events_that_are_possible_are_the_buttons_of_a_page(path: str) -> None:
    orders = shop(path, "A")
    assert orders.events("A", now=DAY) == ["PAY", "CANCEL"]
    assert orders.events("A", now=8 * DAY) == []
    assert row(orders, "state, version") == ("Open", 1)
    with pytest.raises(KeyError, match="Z"):
        orders.events("Z", now=DAY)
    with pytest.raises(sqlite3.IntegrityError):
        shop(path, "A")


def test_the_outline_is_stored_once_and_a_row_is_small(path: str) -> None:
    orders = shop(path, *map(str, range(20)))
    assert orders.db.execute("SELECT count() FROM outlines").fetchone() == (1,)
    assert len(row(orders, "machine", "7")[0]) < 600


def next_version(build: Callable[..., Any]) -> Callable[..., Any]:
    """Return a builder of next year's machine: a review, a receipt, guards of another name."""

    def covers_it_all(state: Any, amount: int) -> bool:
        return amount >= state.context.order.price

    def built(request: Any = None) -> Any:
        fsm = build(request)
        fsm.add_state("Review").add_transition("OK", "Paid")
        opened = fsm.states["Open"]
        wait = opened.actions[-1]
        opened.remove_action(wait)
        opened.add_action(OnEvent("NOTE", lambda: None))
        opened.add_action(wait)
        opened.remove_transition("PAY")
        opened.add_transition("PAY", "Paid", when=covers_it_all, do=ORDERS.book)
        opened.add_transition("REVIEW", "Review")
        fsm.states["Paid"].add_action(DelegateAction())
        return fsm

    return built


def test_orders_of_last_year_fit_the_machine_of_this_one(path: str) -> None:
    shop(path, "A")
    another = recipe("orders_in_a_database")
    names = another.Orders.place.__globals__
    names["build"] = next_version(names["build"])
    orders = another.Orders(path)
    assert orders.events("A", now=DAY) == ["CANCEL", "PAY", "REVIEW"]
    orders.handle("A", "REVIEW", key="1", now=DAY)
    orders.handle("A", "OK", key="2", now=DAY)
    assert audit(orders)[1:] == [(1.0, "REVIEW: Review"), (1.0, "OK: Paid")]
    assert orders.db.execute("SELECT count() FROM outlines").fetchone() == (2,)


WORKER = """
import runpy, sys, time
from pathlib import Path
names = runpy.run_path(sys.argv[1])
orders, path, worker = names["Orders"](sys.argv[2]), sys.argv[2], sys.argv[3]
Path(path + worker).touch()
while not Path(path + "go").exists():
    time.sleep(0.001)
for number in range(40):
    print(orders.handle(str(number), "PAY", 30, key=worker + str(number), now=86_400.0))
"""


@pytest.mark.slow
def test_of_two_processes_at_the_same_orders_each_is_paid_once(path: str) -> None:
    numbers = [str(number) for number in range(40)]
    orders = shop(path, *numbers)
    program = str(COOKBOOK / "orders_in_a_database.py")
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, program, path, name], stdout=subprocess.PIPE, text=True
        )
        for name in ("x", "y")
    ]
    while not all(Path(path + name).exists() for name in ("x", "y")):
        assert [worker.poll() for worker in workers] == [None, None]
    Path(path + "go").touch()
    printed = [worker.communicate(timeout=120)[0].splitlines() for worker in workers]
    paid = "yes, it is Paid"
    for number, answers in zip(numbers, zip(*printed, strict=True), strict=True):
        assert sorted(answer == paid for answer in answers) == [False, True], answers
        assert audit(orders, number) == [(0.0, "placed: Open"), (1.0, "PAY: Paid")]
        assert mails(orders, number) == ["Your order: open", "Your order: paid"]
        assert row(orders, "version", number) == (3,)
