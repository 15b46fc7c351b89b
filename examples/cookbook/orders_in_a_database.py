"""Keep orders in a database, and let several processes work on them.

A request restores the machine of an order, sends it one event and saves it. The
new state, the audit trail and the emails to send are written in one
transaction: after a crash, all of it is there or nothing.

- **Two processes, one order.** The process that saves second finds a different
  `version` than it read. It then writes nothing, and the request starts again.
- **The same request twice.** A client that got no answer asks again, with the
  same key. It gets the answer that is stored under that key.
- **Emails.** An action puts them into the outbox, a table, and another process
  sends them from there. Restoring calls no action, so none is sent twice.
- **Deadlines of days.** The machine carries time over: one `update` with all
  the seconds since the last request goes through everything that was due, each
  at its own time.
- **Reminders.** `fsm.next_due` says when something is due without an event. As
  a column it finds the orders to look at now, among millions.
- **Small rows.** The outline of the machine, the same for every order, is
  stored once, by its hash. Orders of last year's machine are restored into
  today's, as long as everything saved has a place there.

The reasons are in [workflows](../concepts/workflows.md).
"""

import json
import sqlite3
from contextlib import suppress
from math import isfinite
from typing import Any

from attrs import Factory, asdict, define

from actions import DelegateAction, TimedWait
from fsmkit import FINISHED, Fsm, FsmState
from fsmkit.observer import Observer
from fsmkit.recording import restore, snapshot

DAY = 86_400.0
TABLES = """
CREATE TABLE IF NOT EXISTS orders (
    name TEXT PRIMARY KEY, state TEXT, version INTEGER, placed_at REAL,
    due_at REAL, context TEXT, machine TEXT);
CREATE INDEX IF NOT EXISTS due ON orders (due_at);
CREATE TABLE IF NOT EXISTS outlines (hash TEXT PRIMARY KEY, outline TEXT);
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT);
CREATE TABLE IF NOT EXISTS audit (name TEXT, at REAL, what TEXT);
CREATE TABLE IF NOT EXISTS outbox (name TEXT, mail TEXT);
"""


@define
class Order:
    price: int = 30
    paid: int = 0


@define
class Request:
    """An order that one process is working on, with what it has changed."""

    name: str
    order: Order
    version: int = 0
    placed_at: float = 0.0
    mails: list[str] = Factory(list)


def covers_the_price(state: FsmState[Request], amount: int) -> bool:
    return amount >= state.context.order.price


def book(state: FsmState[Request], amount: int) -> None:
    state.context.order.paid = amount


def mail(text: str) -> DelegateAction[Request]:
    return DelegateAction(lambda state: state.context.mails.append(text))


def build(request: Request | None = None) -> Fsm[Request]:
    context = request or Request("A", Order())
    fsm = Fsm("Order", context, on_unhandled="ignore", carry_time=True)
    for name in (
        "Open",
        "Reminded",
        "Paid",
        "Shipped",
        "Given up",
        "Cancelled",
    ):
        fsm.add_state(name, final=name in ("Shipped", "Given up", "Cancelled"))
        fsm.states[name].add_action(mail(f"Your order: {name.lower()}"))
    for name, days, after in (
        ("Open", 3, "Reminded"),
        ("Reminded", 4, "Given up"),
    ):
        state = fsm.states[name]
        state.add_action(TimedWait(days * DAY))
        state.add_transition(FINISHED, after)
        state.add_transition("PAY", "Paid", when=covers_the_price, do=book)
        state.add_transition("CANCEL", "Cancelled")
    fsm.states["Paid"].add_transition("SHIP", "Shipped")
    return fsm


class Audit(Observer):
    """What happened to an order, and when, however long ago."""

    def __init__(self) -> None:
        self.lines: list[tuple[float, str]] = []

    def state_entered(
        self, fsm: Fsm[Any], state: FsmState[Any], event: str | None
    ) -> None:
        at = fsm.context.placed_at + fsm.time
        self.lines.append((at, f"{event or 'placed'}: {state.name}"))


class Outlines(dict[str, Any]):
    """The outlines of machines, by their hashes; read when first needed."""

    def __init__(self, db: sqlite3.Connection) -> None:
        super().__init__()
        self.db = db

    def __missing__(self, name: str) -> Any:
        query = "SELECT outline FROM outlines WHERE hash = ?"
        ((text,),) = self.db.execute(query, (name,)).fetchall()
        self[name] = json.loads(text)
        return self[name]


class ConflictError(Exception):
    """Another process saved the order first."""


class Orders:
    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path, timeout=60.0)
        self.db.executescript(TABLES)
        self.outlines = Outlines(self.db)

    def place(self, name: str, order: Order, *, now: float) -> None:
        """Create an order; IntegrityError if there is one of that name."""
        fsm, audit = build(Request(name, order, 0, now)), Audit()
        fsm.observe(audit)
        fsm.start()
        with self.db:
            self.db.execute(
                "INSERT INTO orders (name, version) VALUES (?, 0)", (name,)
            )
            self._save(fsm, audit, now)

    def handle(
        self,
        name: str,
        event: str,
        data: object = None,
        *,
        key: str,
        now: float,
    ) -> str:
        """Send an event to an order; return the answer, once for each key."""
        query = "SELECT answer FROM answers WHERE key = ?"
        while True:
            for (answer,) in self.db.execute(query, (key,)).fetchall():
                return str(answer)
            fsm, audit = self._load(name, now)
            taken = fsm.send_event(event, data)
            answer = f"{'yes' if taken else 'no'}, it is {fsm.path[0]}"
            try:
                with self.db:
                    row = (key, answer)
                    self.db.execute("INSERT INTO answers VALUES (?, ?)", row)
                    self._save(fsm, audit, now)
                return answer
            except (ConflictError, sqlite3.IntegrityError):
                continue  # nothing was written: begin again

    def events(self, name: str, *, now: float) -> list[str]:
        """Return the events that an order may take: the buttons of a page."""
        fsm, _ = self._load(name, now)
        possible = [
            each for each in fsm.possible_events() if each.agrees is not False
        ]
        return [each.event for each in possible if each.event != FINISHED]

    def remind(self, *, now: float) -> None:
        """Let time pass for the orders in which something is due."""
        query = "SELECT name FROM orders WHERE due_at <= ?"
        for (name,) in self.db.execute(query, (now,)).fetchall():
            fsm, audit = self._load(name, now)
            with suppress(ConflictError), self.db:  # another process was faster
                self._save(fsm, audit, now)

    def _load(self, name: str, now: float) -> tuple[Fsm[Request], Audit]:
        """Return the machine of an order as it is now, and its audit."""
        query = "SELECT version, placed_at, context, machine FROM orders"
        row = self.db.execute(f"{query} WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise KeyError(name)
        version, placed_at, context, machine = row
        order = Order(**json.loads(context))
        fsm, audit = build(Request(name, order, version, placed_at)), Audit()
        restore(fsm, json.loads(machine), definitions=self.outlines)
        fsm.observe(audit)
        fsm.update(max(0.0, now - placed_at - fsm.time))
        return fsm, audit

    def _save(self, fsm: Fsm[Request], audit: Audit, now: float) -> None:
        """Write the results of a request, in the open transaction."""
        request, name = fsm.context, fsm.context.name
        machine = json.dumps(snapshot(fsm, definitions=self.outlines))
        saved = self.db.execute(
            "UPDATE orders SET state = ?, placed_at = ?, due_at = ?,"
            " context = ?, machine = ?, version = version + 1"
            " WHERE name = ? AND version = ?",
            (
                fsm.path[0],
                request.placed_at,
                now + fsm.next_due if isfinite(fsm.next_due) else None,
                json.dumps(asdict(request.order)),
                machine,
                name,
                request.version,
            ),
        )
        if not saved.rowcount:
            raise ConflictError(name)
        self.db.executemany(
            "INSERT OR IGNORE INTO outlines VALUES (?, ?)",
            [(key, json.dumps(each)) for key, each in self.outlines.items()],
        )
        self.db.executemany(
            "INSERT INTO audit VALUES (?, ?, ?)",
            [(name, *line) for line in audit.lines],
        )
        self.db.executemany(
            "INSERT INTO outbox VALUES (?, ?)",
            [(name, text) for text in request.mails],
        )


def main() -> None:
    orders = Orders(":memory:")
    orders.place("A", Order(price=30), now=0.0)
    orders.place("B", Order(price=50), now=0.0)
    for key, day, amount in (("a1", 1, 20), ("a2", 4, 30), ("a2", 5, 30)):
        print(orders.handle("A", "PAY", amount, key=key, now=day * DAY))
    print("B may take:", *orders.events("B", now=2 * DAY))
    orders.remind(now=400 * DAY)  # after a year without requests
    query = "SELECT name, at, what FROM audit ORDER BY name, at"
    for name, at, what in orders.db.execute(query):
        print(f"{name}, day {at / DAY}: {what}")
    print(*orders.db.execute("SELECT count() FROM outbox").fetchone(), "mails")


if __name__ == "__main__":
    main()
