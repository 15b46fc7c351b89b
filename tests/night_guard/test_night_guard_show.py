"""What surrounds the game of examples/night_guard: its window, sounds, cards and diagrams."""

import importlib
import sys
from array import array
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from fsmkit.space import Position

ROOT = Path(__file__).parents[2]
FRAME = 1 / 60
INSPECTOR = "fsmkit.inspector"
BEFORE_ADA = (5.0, 8.0)

without_renderer = pytest.mark.filterwarnings("ignore:no fast renderer")


class Sound:
    """A sound that notes in a journal when it is played."""

    def __init__(self, name: str, journal: list[str]) -> None:
        self.name, self.journal = name, journal


@pytest.fixture
def journal() -> list[str]:
    return []


@pytest.fixture
def show(module: Callable[[str], Any], journal: list[str]) -> Any:
    """The show, without a window; its sounds are noted in the journal."""
    from fsmkit.sound import SILENCE, play

    @play.register
    def _(sound: Sound, volume: float = 1.0, loop: bool = False) -> Any:
        sound.journal.append(f"{sound.name} {volume:g}")
        ends = SimpleNamespace(is_over=False, stop=lambda: journal.append(f"{sound.name} ends"))
        return ends if loop else SILENCE

    soundtrack = module("soundtrack")
    speaker = soundtrack.Speaker()
    names = [each for each in soundtrack.Sounds.__slots__ if not each.startswith("__")]
    speaker.sounds = soundtrack.Sounds(**{name: Sound(name, journal) for name in names})
    return module("show").Show(speaker=speaker)


@pytest.fixture
def machines(module: Callable[[str], Any], show: Any) -> Any:
    machines = module("show").build(show)
    for machine in machines:
        machine.start()
    return machines


def send(machines: Any, *events: str) -> None:
    for event in events:
        for machine in machines:
            machine.offer_event(event)


def pass_time(machines: Any, seconds: float) -> None:
    for _ in range(round(seconds / FRAME)):
        machines.update(FRAME)


def stage(machines: Any) -> str:
    return str(next(iter(machines)).path[0])


def put_thief(show: Any, place: Position) -> None:
    show.game.thief.body.position = place


# The stage


@pytest.mark.slow
def test_the_title_chooses_the_museum_and_the_guards(machines: Any, show: Any) -> None:
    def chosen() -> tuple[str, str]:
        machines.update(FRAME)
        return show.game.museum.name, show.game.difficulty.name

    assert chosen() == ("palace", "normal")
    send(machines, "RIGHT", "DOWN")
    assert chosen() == ("cloister", "hard")
    send(machines, "RIGHT", "DOWN")
    assert chosen() == ("palace", "easy")
    send(machines, "LEFT", "UP")
    assert chosen() == ("cloister", "hard")


@pytest.mark.slow
def test_what_is_chosen_stays_chosen_from_night_to_night(machines: Any, show: Any) -> None:
    send(machines, "RIGHT", "DOWN", "ENTER", "LEFT", "UP", "LEAVE")
    machines.update(FRAME)
    assert (stage(machines), show.game.museum.name) == ("Title", "cloister")
    assert show.game.difficulty.name == "hard"


def test_the_title_begins_with_what_the_command_line_asks_for(module: Callable[[str], Any]) -> None:
    museum = module("museums").MUSEUMS["cloister"]
    show = module("show").Show(museum=museum, difficulty=module("difficulty").DIFFICULTIES["easy"])
    for machine in module("show").build(show):
        machine.start()
    assert (show.game.museum.name, show.game.difficulty.name) == ("cloister", "easy")


@pytest.mark.slow
def test_escape_leads_to_the_title_and_out_of_it(machines: Any, show: Any) -> None:
    send(machines, "ENTER")
    pass_time(machines, 1.0)
    first = show.game
    way = [stage(machines)]
    for _ in range(2):
        send(machines, "LEAVE")
        way.append(stage(machines))
    assert way == ["Play", "Title", "Closed"]
    assert show.game is not first
    assert not any(machine.is_running for machine in first.guards)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("event", "back"), [("PAUSE", "PAUSE"), ("PAUSE", "ENTER"), ("AWAY", "PAUSE")]
)
def test_a_pause_halts_the_night_and_its_sounds(
    event: str, back: str, machines: Any, show: Any
) -> None:
    send(machines, "ENTER")
    pass_time(machines, 1.0)
    send(machines, event)
    time = show.game.time
    pass_time(machines, 1.0)
    assert (show.game.time, show.card.title, show.veil) == (time, "PAUSED", 1.0)
    assert show.speaker.is_halted
    send(machines, back)
    machines.update(FRAME)
    assert show.game.time == pytest.approx(time + FRAME)
    assert (show.veil, show.speaker.is_halted) == (0.0, False)


@pytest.mark.slow
def test_a_player_who_looks_away_twice_is_still_in_the_pause(machines: Any) -> None:
    send(machines, "ENTER", "AWAY", "AWAY")
    assert stage(machines) == "Paused"


def test_a_player_who_looks_away_at_the_title_stays_there(machines: Any) -> None:
    send(machines, "AWAY")
    assert stage(machines) == "Title"


@pytest.mark.slow
def test_a_player_who_looks_at_the_inspector_sees_the_night_continue(
    machines: Any, show: Any
) -> None:
    send(machines, "ENTER")
    show.inspection.page = SimpleNamespace(close=lambda: None)
    send(machines, "AWAY")
    assert stage(machines) == "Play"
    send(machines, "PAUSE")
    assert stage(machines) == "Paused"


@pytest.mark.slow
def test_a_pause_while_the_title_fades_does_not_stop_it_fading(machines: Any, show: Any) -> None:
    send(machines, "ENTER")
    pass_time(machines, 0.3)
    send(machines, "PAUSE")
    assert show.veil == 1.0
    send(machines, "PAUSE")
    assert 0.0 < show.veil < 1.0
    pass_time(machines, 0.5)
    assert show.veil == 0.0


@pytest.mark.slow
def test_after_the_end_enter_begins_a_new_night(machines: Any, show: Any) -> None:
    send(machines, "ENTER")
    first = show.game
    put_thief(show, BEFORE_ADA)
    pass_time(machines, 6.0)
    assert (stage(machines), show.card.title, show.veil) == ("Ended", "CAUGHT", 1.0)
    send(machines, "ENTER")
    pass_time(machines, 1.0)
    assert show.game is not first
    assert stage(machines) == "Play"
    assert set(show.inspection.machines) == set(show.game.machines)


@pytest.mark.parametrize(
    ("event", "owner", "attribute"),
    [
        ("F3", "show", "shows_states"),
        ("MUTE", "speaker", "is_muted"),
    ],
)
def test_a_key_switches_on_and_off(
    event: str, owner: str, attribute: str, machines: Any, show: Any
) -> None:
    thing = show if owner == "show" else show.speaker
    values = [getattr(thing, attribute)]
    for _ in range(2):
        send(machines, event)
        values.append(getattr(thing, attribute))
    assert values == [False, True, False]


# Hints


@pytest.mark.slow
def test_f5_says_what_has_changed_and_the_text_goes_away(machines: Any, show: Any) -> None:
    send(machines, "ENTER", "F5")
    assert "has not changed" in show.hint.text
    pass_time(machines, 9.0)
    assert show.hint.text == ""


def test_guards_who_are_reloaded_keep_their_voices(
    machines: Any, show: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(machines, "ENTER")
    listen = show.game.guards[0].states["Listen"]
    before = [type(action).__name__ for action in listen.actions]
    meanwhile: list[str] = []

    def reload_guards() -> str:
        meanwhile.extend(type(action).__name__ for action in listen.actions)
        return "3 machines go on."

    monkeypatch.setattr(show.game, "reload_guards", reload_guards)
    send(machines, "F5")
    after = [type(action).__name__ for action in listen.actions]
    assert (before, meanwhile) == (after, [name for name in before if name != "Play"])


def test_one_key_opens_the_inspector_says_where_it_is_and_closes_it(
    machines: Any, show: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    page = SimpleNamespace(url="http://here", close=lambda: opened.append("closed"))
    inspector = ModuleType(INSPECTOR)
    vars(inspector)["inspect"] = lambda machines, **_: page
    monkeypatch.setitem(sys.modules, INSPECTOR, inspector)
    monkeypatch.setattr("webbrowser.open", opened.append)
    send(machines, "F1")
    assert show.hint.text == "The inspector is in your browser, or at http://here"
    send(machines, "F1")
    assert opened == ["http://here", "closed"]


@pytest.mark.slow
def test_a_missing_inspector_is_reported_and_can_be_asked_for_again(
    machines: Any, show: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, INSPECTOR, None)
    send(machines, "F1")
    assert show.hint.text.endswith("pip install 'fsmkit[inspector]'")
    pass_time(machines, 9.0)
    assert show.hint.text == ""
    send(machines, "F1")
    assert show.hint.text.endswith("pip install 'fsmkit[inspector]'")


# Sounds


@pytest.mark.slow
def test_each_thing_that_happens_is_heard_once(
    machines: Any, show: Any, journal: list[str]
) -> None:
    send(machines, "ENTER")
    journal.clear()
    put_thief(show, BEFORE_ADA)
    pass_time(machines, 6.0)
    heard = [each for each in journal if not each.startswith("door")]
    assert heard == ["huh 1", "siren 0.5", "hey 1", "caught 1", "siren ends"]


@pytest.mark.slow
def test_a_jewel_that_is_taken_is_heard_and_rings_the_alarm(
    machines: Any, show: Any, journal: list[str]
) -> None:
    send(machines, "ENTER")
    journal.clear()
    put_thief(show, show.game.jewels[0].tile)
    pass_time(machines, 0.1)
    assert journal[-2:] == ["siren 0.5", "jewel 1"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "heard"),
    [
        ((24.0, 8.0), "step_on_stone 1"),
        ((24.0, 9.0), "step_on_carpet 1"),
        ((14.0, 3.0), "step_on_wood 1"),
        ((24.0, 8.0), "step_on_stone 0.25"),
    ],
    ids=["marble", "carpet", "boards", "sneaking"],
)
def test_steps_sound_by_the_floor_and_the_gait(
    place: Position, heard: str, machines: Any, show: Any, journal: list[str]
) -> None:
    send(machines, "ENTER")
    put_thief(show, place)
    show.game.steer((1.0, 0.0), sneaking=heard.endswith("0.25"))
    pass_time(machines, 0.7)
    assert {each for each in journal if each.startswith("step")} == {heard}


@pytest.mark.slow
def test_the_siren_ends_with_the_night_that_the_player_leaves(
    machines: Any, show: Any, journal: list[str]
) -> None:
    send(machines, "ENTER")
    put_thief(show, show.game.jewels[0].tile)
    pass_time(machines, 0.1)
    journal.clear()
    send(machines, "LEAVE")
    assert "siren ends" in journal


@pytest.mark.slow
def test_the_sounds_are_neither_clipped_nor_do_they_click(module: Callable[[str], Any]) -> None:
    sounds = module("sounds")
    for name, make in sounds.SOUNDS.items():
        loud = make()
        assert isinstance(loud, array)
        assert 0.2 < max(map(abs, loud)) / sounds.LOUDEST < 0.99, name
        steepest = max(abs(after - before) for before, after in pairwise(loud))
        if name == "siren":
            assert abs(loud[0] - loud[-1]) <= steepest
        else:
            assert (loud[0], loud[-1]) == (0, 0), name


def test_every_sound_of_the_soundtrack_is_made(module: Callable[[str], Any]) -> None:
    soundtrack, sounds = module("soundtrack"), module("sounds")
    wanted = [each for each in soundtrack.Sounds.__slots__ if not each.startswith("__")]
    assert wanted == [*sounds.SOUNDS]


# The overlay


@pytest.fixture
def drawing(module: Callable[[str], Any]) -> Any:
    pytest.importorskip(
        "pygame", reason="pygame-ce is not installed (the extra pygame)"
    ).font.init()
    return module("drawing")


def labels(overlay: Any) -> list[str]:
    return [each.plate.text for each in overlay.look(1200, 720).labels]


def test_it_shows_the_thief_and_the_guards_those_too_that_are_reloaded(
    drawing: Any, show: Any
) -> None:
    overlay = drawing.overlay_of(show.game)
    everybody = ["Thief: Still", "Ada: Patrol", "Ben: Patrol", "Cid: Patrol"]
    before = labels(overlay)
    show.reload_guards()
    assert (before, labels(overlay)) == (everybody, everybody)


def test_it_follows_the_nearest_guard_and_does_not_waver(drawing: Any, show: Any) -> None:
    follow = drawing.nearest_guard(show.game)
    shown = []
    for place in ((2.0, 9.0), (8.0, 5.0), (5.0, 6.1), (2.0, 9.0)):
        put_thief(show, place)
        shown.append(follow().name)
    assert shown == ["Ada", "Ben", "Ben", "Ada"]


@pytest.mark.slow
def test_its_diagram_keeps_out_of_the_thief_s_way(drawing: Any, show: Any) -> None:
    import pygame

    picture, surface = drawing.Picture(show.game, show.chronicle), pygame.Surface((1200, 776))
    for x in (1, 5, 10, 15, 20, 15, 10, 20, 25, 28):
        for y in (1, 9, 16):
            put_thief(show, (float(x), float(y)))
            picture.draw(surface, overlay=True, waits=True)
            _, box = picture.overlay.look(1200, 720).diagram
            assert not box.holds(drawing.at((x, y)))


def test_without_graphviz_it_has_labels_and_says_what_it_lacks(
    drawing: Any, show: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pygame

    hints = []
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    monkeypatch.setattr(drawing, "draw_panel", lambda *args: hints.append(args[-1]))
    picture = drawing.Picture(show.game, show.chronicle)
    picture.draw(pygame.Surface((1200, 776)), overlay=True, hint="Welcome")
    picture.draw(pygame.Surface((1200, 776)), hint="Welcome")
    assert hints == [drawing.NO_GRAPHVIZ, "Welcome"]
    assert len(labels(picture.overlay)) == 4


# The window


class Metronome:
    """A clock for which every frame takes as long."""

    def tick(self, fps: float) -> float:
        return 1000.0 * FRAME


@pytest.fixture
def window(module: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    monkeypatch.setattr("pygame.time.Clock", Metronome)
    window = module("playing").Window()
    yield window
    window.close()


def press(name: str, *, up: bool = False) -> None:
    import pygame

    kind = pygame.KEYUP if up else pygame.KEYDOWN
    pygame.event.post(pygame.event.Event(kind, key=pygame.key.key_code(name)))


def press_mouse(button: int, pixel: tuple[int, int], *, up: bool = False) -> None:
    import pygame

    kind = pygame.MOUSEBUTTONUP if up else pygame.MOUSEBUTTONDOWN
    pygame.event.post(pygame.event.Event(kind, button=button, pos=pixel))


def run_frames(window: Any, count: int) -> None:
    for _ in range(count):
        assert window.run_frame()


@pytest.mark.slow
@without_renderer
def test_keys_steer_and_the_newest_wins(window: Any) -> None:
    press("return")
    run_frames(window, 2)
    hands, body = window.show.game.hands, window.show.game.thief.body
    press("right")
    press("left shift")
    run_frames(window, 5)
    assert (hands.path, body.rotation) == (("Sneak",), 0.0)
    press("a")
    run_frames(window, 2)
    assert abs(body.rotation) == pytest.approx(180.0)
    press("a", up=True)
    press("left shift", up=True)
    run_frames(window, 2)
    assert (hands.path, body.rotation) == (("Run",), 0.0)
    press("right", up=True)
    run_frames(window, 2)
    assert hands.path == ("Still",)


@pytest.mark.slow
@without_renderer
def test_a_gamepad_steers_as_far_as_its_stick_is_moved(window: Any) -> None:
    press("return")
    run_frames(window, 2)
    window.across.move("gamepad left stick x", -0.9)
    window.along.move("gamepad left stick y", 0.1)
    window.sneaks.press("gamepad x")
    run_frames(window, 2)
    game = window.show.game
    assert game.hands.path == ("Sneak",)
    assert abs(game.thief.body.rotation) == pytest.approx(180.0)
    window.across.move("gamepad left stick x", 0.0)
    run_frames(window, 2)
    assert game.hands.path == ("Still",)


@pytest.mark.slow
@without_renderer
def test_the_mouse_begins_the_night_and_leads_the_thief(
    window: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = importlib.import_module("drawing.panel")
    buttons = [panel.button_of(name, window.screen.get_size()).center for name in panel.BUTTONS]
    for button in (buttons[1], (5, 5), buttons[2]):
        press_mouse(1, button)
        press_mouse(1, button, up=True)
        run_frames(window, 2)
    assert (stage(window.machines), window.show.difficulty.name) == ("Play", "hard")
    game = window.show.game
    monkeypatch.setattr("pygame.mouse.get_pos", lambda: (240, 660))
    press_mouse(3, (240, 660))
    run_frames(window, 5)
    assert game.hands.path == ("Sneak",)
    run_frames(window, 90)
    assert game.hands.path == ("Still",)
    assert window.show.game.thief.body.position == pytest.approx((5.5, 16.0), abs=0.4)


@pytest.mark.slow
@without_renderer
@pytest.mark.parametrize("keys", [["f3"], ["f3", "f5", "m", "p"]])
def test_every_key_goes_together_with_every_card(keys: list[str], window: Any) -> None:
    for key in ("right", "return", *keys, "escape", *keys, "return"):
        press(key)
        run_frames(window, 3)
    assert stage(window.machines) == "Play"
    press("escape")
    run_frames(window, 1)
    press("escape")
    assert not window.run_frame()


@pytest.mark.slow
@without_renderer
def test_without_a_sound_device_it_is_silent(
    module: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    pygame = pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")
    pygame.mixer.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")
    window = module("playing").Window()
    press("return")
    press("m")
    press("p")
    run_frames(window, 3)
    assert window.speaker.sounds.all == []
    window.close()


@pytest.mark.slow
@without_renderer
def test_muted_sounds_are_not_heard(window: Any) -> None:
    def volumes() -> set[float]:
        run_frames(window, 1)
        return {sound.get_volume() for sound in window.speaker.sounds.all}

    heard = [volumes()]
    for _ in range(2):
        press("m")
        heard.append(volumes())
    assert heard == [{1.0}, {0.0}, {1.0}]


@pytest.mark.parametrize(
    ("screen", "is_whole"),
    [((1920, 1080), False), ((1200, 776), False), ((1366, 768), True), ((1024, 900), True)],
)
def test_where_the_window_is_too_big_for_the_screen_all_of_that_is_taken(
    screen: tuple[int, int],
    is_whole: bool,
    module: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pygame = pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")
    opened: list[tuple[tuple[int, int], int]] = []
    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [screen, (9999, 9999)])
    monkeypatch.setattr(
        pygame.display, "set_mode", lambda size, flags: opened.append((size, flags))
    )
    module("playing").open_window((1200, 776))
    kind = pygame.FULLSCREEN if is_whole else pygame.RESIZABLE
    assert opened == [((1200, 776), pygame.SCALED | kind)]


@pytest.mark.slow
def test_the_film_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any) -> None:
    pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "making"))
    film = module("night_guard_film")
    film.make(tmp_path / "film.webp", [film.Scene(0.0, 0.2, "A night")], width=300)
    with image.open(tmp_path / "film.webp") as made:
        assert (made.size, made.n_frames) == ((300, 194), 2)
    with image.open(tmp_path / "film_still.webp") as made:
        assert (made.size, made.n_frames) == ((300, 194), 1)
    monkeypatch.delitem(sys.modules, "night_guard_film")
