"""Access control, and malformed messages."""

import http.client
import json
import socket
from collections.abc import Callable
from threading import Event
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest

from fsmkit import Fsm
from fsmkit.inspector.local import LocalInspector

BOTH_WAYS = pytest.mark.parametrize("inspected", ["server", "inside"], indirect=True)


def lamp() -> Fsm[None]:
    fsm = Fsm("Lamp", on_unhandled="ignore")
    fsm.add_state("Off").add_transition("PRESSED", fsm.add_state("On"))
    fsm.start()
    return fsm


def get(url: str, path: str = "", **headers: str) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=60)
    connection.putrequest("GET", parts.path + path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    response = connection.getresponse()
    answer = response.status, dict(response.getheaders()), response.read()
    connection.close()
    return answer


def test_it_listens_on_this_computer_only(inspected: Callable[..., Any]) -> None:
    page = inspected(lamp())
    assert page.inspector.url.startswith("http://127.0.0.1:")
    port = urlsplit(page.inspector.url).port
    other = socket.gethostbyname(socket.gethostname())
    if not other.startswith("127."):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((other, port), timeout=2)


@pytest.mark.parametrize("path", ["", "page/main.js", "graph?machine=Lamp", "snapshot", "socket"])
def test_without_the_token_there_is_nothing(path: str, inspected: Callable[..., Any]) -> None:
    page = inspected(lamp())
    root = page.inspector.url.replace(urlsplit(page.inspector.url).path, "/")
    for wrong in (root, f"{root}wrong/", page.inspector.url[:-3] + "/"):
        status, _, body = get(wrong, path)
        assert (status, body[:9]) == (403, b"The token")


def test_the_token_of_another_inspector_lets_nobody_in(inspected: Callable[..., Any]) -> None:
    one = inspected(lamp()).inspector.url
    other = inspected(lamp(), token="of-this-inspector-alone").inspector.url
    status, _, body = get(urlunsplit(urlsplit(other)._replace(path=urlsplit(one).path)), "")
    assert (status, body[:9]) == (403, b"The token")


HOSTS = ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1"]


@pytest.mark.parametrize("host", HOSTS)
def test_another_host_name_is_refused(host: str, inspected: Callable[..., Any]) -> None:
    url = inspected(lamp()).inspector.url
    status, _, body = get(url, Host=host.format(port=urlsplit(url).port))
    assert (status, body) == (403, b"Wrong host. Open the address that was printed.\n")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}"])
def test_a_page_of_another_site_is_refused(origin: str, inspected: Callable[..., Any]) -> None:
    from websockets.exceptions import InvalidStatus

    page = inspected(lamp())
    url = page.inspector.url
    origin = origin.format(port=urlsplit(url).port)
    assert get(url, "snapshot", Origin=origin)[0] == 403
    with pytest.raises(InvalidStatus, match="403"):
        type(page)(url, page.update, origin=origin)


def test_our_own_page_is_let_in(inspected: Callable[..., Any]) -> None:
    page = inspected(lamp())
    origin = page.inspector.url.replace(urlsplit(page.inspector.url).path, "")
    own = type(page)(page.inspector.url, page.update, origin=origin)
    assert own.hello["title"] == "Lamp"
    own.socket.close()


def test_the_page_may_load_nothing_from_elsewhere(inspected: Callable[..., Any]) -> None:
    _, headers, _ = get(inspected(lamp()).inspector.url)
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"


def test_files_outside_the_page_are_not_served(inspected: Callable[..., Any]) -> None:
    url = inspected(lamp()).inspector.url
    for path in (
        "page/../inspector.py",
        "page/%2e%2e/inspector.py",
        "page/graph/../../inspector.py",
        "page/graph/%2e%2e/%2e%2e/inspector.py",
        "page//etc/passwd",
        "page/graph",
    ):
        assert get(url, path)[0] == 404


def test_files_of_the_page_are_served_from_its_folders(inspected: Callable[..., Any]) -> None:
    url = inspected(lamp()).inspector.url
    for path, kind in {
        "page/main.js": "text/javascript; charset=utf-8",
        "page/graph/graph.js": "text/javascript; charset=utf-8",
        "page/parts/colours.css": "text/css; charset=utf-8",
    }.items():
        status, headers, _ = get(url, path)
        assert (status, headers["content-type"]) == (200, kind)


@pytest.mark.slow
@BOTH_WAYS
def test_read_only_grants_no_control(inspected: Callable[..., Any]) -> None:
    fsm = lamp()
    page = inspected(fsm, read_only=True)
    assert page.hello["read_only"]
    for do, arguments in {
        "pause": {}, "resume": {}, "step": {}, "speed": {"factor": 2.0},
        "send": {"machine": "Lamp", "event": "PRESSED"},
        "force": {"machine": "Lamp", "state": "On"},
        "break": {"machine": "Lamp", "kind": "state", "name": "On", "on": True},
        "set_breakpoint": {"kind": "error"}, "switch_breakpoint": {"number": 1, "on": False},
        "remove_breakpoint": {"number": 1}, "clear_breakpoints": {}, "run_to_change": {},
        "go_on": {"machine": "Lamp", "seq": 0}, "go_on_group": {"seq": 0},
        "set": {"machine": "Lamp", "path": ["context", "health"], "value": 1}, "undo": {},
        "enable": {"machine": "Lamp", "state": "Off", "place": "0", "on": False},
        "suspend": {"machine": "Lamp", "on": True},
    }.items():  # fmt: skip
        assert page.ask(do, **arguments)["error"] == (
            "This inspector is read-only: it grants no control."
        )
    assert page.ask("ask", machine="Lamp", event="PRESSED")["ok"]
    assert page.ask("moment", machine="Lamp", time=0.0)["ok"]
    assert page.ask("group_moment", time=0.0)["ok"]
    assert page.ask("names", machine="Lamp")["ok"]
    assert page.ask("follow_all", on=True)["ok"]
    assert page.ask("follow_sends", on=True)["ok"]
    assert page.ask("lines", machine="Lamp")["ok"]
    assert page.ask("findings", machine="Lamp")["ok"]
    assert fsm.current_state is fsm.states["Off"]


FACTOR = "'speed': 'factor' must be a finite number, got "

DEEP = "[" * 50 + "]" * 50

MALFORMED: dict[str | bytes, str] = {
    "no JSON": "The message must be JSON.",
    "[" * 100_00: "The message must be JSON.",
    "[1]": "The message must be a JSON object.",
    '{"id": [1], "do": "pause"}': "The id of a request must be a number or a string.",
    '{"id": 1e999, "do": "pause"}': "The id of a request must be a number or a string.",
    '{"id": 1}': "There is no request None. Choose one of: ",
    '{"id": 1, "do": "__init__"}': "There is no request '__init__'. Choose one of: ",
    '{"id": 1, "do": "snapshot"}': "There is no request 'snapshot'. Choose one of: ",
    '{"id": 1, "do": "speed"}': "'speed' needs 'factor'.",
    '{"id": 1, "do": "speed", "factor": "2"}': f"{FACTOR}'2'.",
    '{"id": 1, "do": "speed", "factor": true}': f"{FACTOR}True.",
    '{"id": 1, "do": "speed", "factor": NaN}': f"{FACTOR}nan.",
    '{"id": 1, "do": "speed", "factor": 11}': "The speed must be a number >= 0.1 and <= 10, got",
    '{"id": 1, "do": "speed", "factor": %s}' % ("9" * 400): FACTOR,
    '{"id": 1, "do": "moment", "machine": "Lamp", "time": -1e999}': (
        "'moment': 'time' must be a finite number, got -inf."
    ),
    '{"id": 1, "do": "group_moment", "time": "now"}': (
        "'group_moment': 'time' must be a finite number, got 'now'."
    ),
    '{"id": 1, "do": "group_moment", "time": 0, "machines": "Lamp"}': (
        "'group_moment': 'machines' must be a list, got 'Lamp'."
    ),
    '{"id": 1, "do": "group_moment", "time": 0, "machines": [{"x": 1}]}': (
        "'group_moment': 'machines' must be strings of at most 1000 characters."
    ),
    '{"id": 1, "do": "go_on_group", "seq": "0"}': (
        "'go_on_group': 'seq' must be an integer, got '0'."
    ),
    '{"id": 1, "do": "go_on_group", "seq": 0}': "That moment of the group is no longer kept.",
    '{"id": 1, "do": "follow_sends"}': "'follow_sends' needs 'on'.",
    '{"id": 1, "do": "follow_sends", "on": "yes"}': (
        "'follow_sends': 'on' must be true or false, got 'yes'."
    ),
    '{"id": 1, "do": "follow_sends", "on": true, "page": {}}': (
        "'follow_sends' has no argument 'page'."
    ),
    '{"id": 1, "do": "follow_all"}': "'follow_all' needs 'on'.",
    '{"id": 1, "do": "lines"}': "'lines' needs 'machine'.",
    '{"id": 1, "do": "lines", "machine": ["Lamp"]}': (
        "'lines': 'machine' must be a string, got ['Lamp']."
    ),
    '{"id": 1, "do": "lines", "machine": "Lamp", "file": "/etc/passwd"}': (
        "'lines' has no argument 'file'."
    ),
    '{"id": 1, "do": "lines", "machine": "../Lamp"}': (
        "'../Lamp' is not (or no longer) an inspected machine."
    ),
    '{"id": 1, "do": "findings", "machine": 7}': "'findings': 'machine' must be a string, got 7.",
    '{"id": 1, "do": "findings", "machine": "Lamp", "ignore": []}': (
        "'findings' has no argument 'ignore'."
    ),
    '{"id": 1, "do": "findings", "machine": "Lamp #9"}': (
        "'Lamp #9' is not (or no longer) an inspected machine."
    ),
    '{"id": 1, "do": "follow_all", "on": 1}': "'follow_all': 'on' must be true or false, got 1.",
    '{"id": 1, "do": "follow_all", "on": true, "page": {}}': "'follow_all' has no argument 'page'.",
    b"{}": "A message must be text, got bytes.",
    '{"id": 1, "do": "colours", "machine": "Lamp"}': "'colours' has no argument 'machine'.",
    '{"id": 1, "do": "pause", "now": 1}': "'pause' has no argument 'now'.",
    '{"id": 1, "do": "send", "machine": "Lamp", "event": ""}': (
        "The name of the event must not be empty."
    ),
    '{"id": 1, "do": "send", "machine": "Lamp", "event": 3}': (
        "'send': 'event' must be a string, got 3."
    ),
    '{"id": 1, "do": "send", "machine": "Lump", "event": "E"}': (
        "'Lump' is not (or no longer) an inspected machine."
    ),
    '{"id": 1, "do": "break", "machine": "Lamp", "kind": "action", "name": "x", "on": true}': (
        "The kind of a breakpoint must be 'state' or 'event', got 'action'."
    ),
    '{"id": 1, "do": "set_breakpoint"}': "'set_breakpoint' needs 'kind'.",
    '{"id": 1, "do": "set_breakpoint", "kind": "code"}': "The kind of a breakpoint must be ",
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "machine": ["Lamp"]}': (
        "'set_breakpoint': 'machine' must be a string, got ['Lamp']."
    ),
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "machine": null}': (
        "'set_breakpoint': 'machine' must be a string, got None."
    ),
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "number": "1"}': (
        "'set_breakpoint': 'number' must be an integer, got '1'."
    ),
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "count": 1.5}': (
        "'set_breakpoint': 'count' must be an integer, got 1.5."
    ),
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "count": %s}' % ("9" * 400): (
        "The count must be an integer from 1 to 1000000, got 999"
    ),
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "every": 1}': (
        "'set_breakpoint': 'every' must be true or false, got 1."
    ),
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "stays": true}': (
        "'set_breakpoint' has no argument 'stays'."
    ),
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "condition": "__import__(\'os\')"}': (
        "A condition must consist of a name, an operator and a value."
    ),
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "condition": {"name": ["x"]}}': (
        "The name in a condition must be a string of 1 to 1000 characters, got ['x']."
    ),
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "condition": '
    '{"name": "__init__.__globals__", "operator": "==", "value": 1}}': (
        "No machine has a value '__init__.__globals__'."
    ),
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "condition": '
    '{"name": "time", "operator": "__gt__", "value": 1}}': (
        "The operator of a condition must be '<', '<=', '>=', '>', '==', '!=' or 'changes', got "
        "'__gt__'."
    ),
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "condition": '
    '{"name": "time", "operator": "<", "value": 1e999}}': (
        "The value of a condition must be finite, got inf."
    ),
    '{"id": 1, "do": "set_breakpoint", "kind": "error", "text": "{time.__class__}"}': (
        "No machine has a value 'time.__class__'."
    ),
    '{"id": 1, "do": "switch_breakpoint", "number": 1, "on": true}': (
        "That breakpoint has been removed."
    ),
    '{"id": 1, "do": "remove_breakpoint", "number": true}': (
        "'remove_breakpoint': 'number' must be an integer, got True."
    ),
    '{"id": 1, "do": "names", "machine": "Lump"}': "'Lump' is not (or no longer) an inspected",
    '{"id": 1, "do": "run_to_change", "machine": "Lump"}': "'Lump' is not (or no longer) an insp",
    '{"id": 1, "do": "set", "machine": "Lamp", "path": "context", "value": 1}': (
        "'set': 'path' must be a list, got 'context'."
    ),
    '{"id": 1, "do": "set", "machine": "Lamp", "path": ["context"]}': "'set' needs 'value'.",
    f'{{"id": 1, "do": "set", "machine": "Lamp", "path": ["context", "x"], "value": {DEEP}}}': (
        "NoneType has no public field 'x'."
    ),
    '{"id": 1, "do": "offer", "machine": "Lamp", "path": [[["context"]]]}': (
        "A path must consist of strings, got [['context']]."
    ),
    '{"id": 1, "do": "look_inside", "machine": "Lamp", "path": ["watch", "__class__"]}': (
        "There is no field ('watch', '__class__'): a path is "
    ),
    '{"id": 1, "do": "enable", "machine": "Lamp", "state": "Off", "place": 0, "on": true}': (
        "'enable': 'place' must be a string, got 0."
    ),
    '{"id": 1, "do": "enable", "machine": "Lamp", "state": "Off", "place": "0", "on": 1}': (
        "'enable': 'on' must be true or false, got 1."
    ),
    '{"id": 1, "do": "suspend", "machine": "Lump", "on": true}': (
        "'Lump' is not (or no longer) an inspected machine."
    ),
    '{"id": 1, "do": "suspend", "machine": "Lamp", "on": "yes"}': (
        "'suspend': 'on' must be true or false, got 'yes'."
    ),
    json.dumps({"id": 1, "do": "send", "machine": "Lamp", "event": "E" * 2000}): (
        "'send': 'event' must have at most 1000 characters, got 2000."
    ),
}


@BOTH_WAYS
@pytest.mark.parametrize("text", MALFORMED, ids=lambda text: str(text[:40]))
def test_a_malformed_message_gets_an_error_and_changes_nothing(
    text: str | bytes, inspected: Callable[..., Any]
) -> None:
    fsm = lamp()
    page = inspected(fsm)
    assert page.answer_to(text)["error"].startswith(MALFORMED[text])
    assert page.ask("ask", machine="Lamp", event="PRESSED")["ok"]
    assert fsm.current_state is fsm.states["Off"]
    assert fsm.previous_state is None


def test_a_message_that_is_too_large_ends_the_socket_only(inspected: Callable[..., Any]) -> None:
    from websockets.exceptions import ConnectionClosed

    page = inspected(lamp())
    page.socket.send("x" * 100_000)
    with pytest.raises((ConnectionClosed, AssertionError)):
        page.frame(lambda _: False)
    again = type(page)(page.inspector.url, page.update)
    assert again.ask("pause")["ok"]
    again.socket.close()


@BOTH_WAYS
def test_names_are_text(inspected: Callable[..., Any]) -> None:
    hostile = '<img src=x onerror="alert(1)">'
    fsm: Fsm[None] = Fsm(hostile)
    fsm.add_state(hostile).add_transition(hostile, hostile)
    fsm.start()
    page = inspected(fsm)
    _, _, body = page.get("graph?machine=%3Cimg%20src%3Dx%20onerror%3D%22alert(1)%22%3E")
    svg = json.loads(body)["svg"]
    assert "<img" not in svg
    assert "&lt;img" in svg


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("radius=3", "'graph': 'radius' must be '0', '1' or '2', got '3'."),
        ("radius=-1", "'graph': 'radius' must be '0', '1' or '2', got '-1'."),
        ("radius=1e9", "'graph': 'radius' must be '0', '1' or '2', got '1e9'."),
        ("radius=1&around=" + "x+" * 65, "'graph': 'around' must be at most 64 ids, got 65."),
        ("depth=1", "'graph' has no argument 'depth'."),
    ],
)
def test_malformed_wishes_for_a_graph_are_refused(
    query: str, error: str, inspected: Callable[..., Any]
) -> None:
    status, _, body = get(inspected(lamp()).inspector.url, f"graph?machine=Lamp&{query}")
    assert (status, json.loads(body)) == (400, {"error": error})


BAD_ADDRESSES = {
    "graph?machine=Lamp&__class__=1": (400, "'graph' has no argument '__class__'."),
    "graph?machine=Lamp&dark=yes": (400, "'graph': 'dark' must be '0' or '1', got 'yes'."),
    "graph?machine=Lump": (409, "'Lump' is not (or no longer) an inspected machine."),
    "snapshot?machine=Lump": (409, "'Lump' is not (or no longer) an inspected machine."),
    "snapshot?machine=Lamp&file=/etc/passwd": (400, "'snapshot' has no argument 'file'."),
    "recording?path=/etc/passwd": (400, "'recording' has no argument 'path'."),
}


@BOTH_WAYS
@pytest.mark.parametrize("address", BAD_ADDRESSES)
def test_an_address_that_asks_for_what_there_is_not_is_refused(
    address: str, inspected: Callable[..., Any]
) -> None:
    status, headers, body = inspected(lamp()).get(address)
    assert (status, json.loads(body)["error"]) == BAD_ADDRESSES[address]
    assert headers["content-type"] == "application/json"


def test_the_socket_stays_open_for_as_long_as_the_server_uses_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("starlette")
    from fsmkit.inspector import server

    may_end = Event()

    class SlowServer:
        def __init__(self, _config: object) -> None:
            """Serve nothing."""

        def run(self, sockets: list[socket.socket]) -> None:
            may_end.wait()

    monkeypatch.setattr(server, "Server", SlowServer)
    monkeypatch.setattr(server, "CLOSING_PATIENCE", 0.0)
    session = LocalInspector(lamp()).session
    serving = server.ServerThread(server.Pages(session, read_only=False), 0, "token")
    serving.close()
    assert serving._socket.fileno() >= 0
    may_end.set()
    serving._thread.join()
    assert serving._socket.fileno() < 0
    session.close()
