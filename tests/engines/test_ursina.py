"""Ursina: machines move, turn and tint its entities, driven by its frames; without a window.

Ursina changes the axes of Panda3D for the whole process. So it gets one of its own, the stage, on
which scripts are played, each in an empty scene.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent

import pytest
from laws import LAWS

if find_spec("ursina") is None:
    pytest.skip("Ursina is not installed (the extra ursina)", allow_module_level=True)

HERE = Path(__file__).parent

Play = Callable[[str], list[str]]
"""Plays a script and returns the lines it prints."""

SETTINGS = """
from panda3d.core import ClockObject, loadPrcFileData

loadPrcFileData("", "audio-library-name null\\nload-display p3tinydisplay\\nwin-size 64 64")
from ursina import Entity, Ursina, Vec3, application, camera, destroy, mouse, scene, window

from actions import *
from fsmkit import Fsm, FsmAction, FsmGroup, TimeReference
from fsmkit.engines.ursina import EntityTransform, attach, send_collisions, send_keys
from fsmkit.space import Space

clock = ClockObject.getGlobalClock()
clock.setMode(ClockObject.MNonRealTime)
clock.setDt(1 / 60)

def frames(count):
    for _ in range(count):
        app.step()

def running(*actions):
    fsm = Fsm("Machine")
    acting = fsm.add_state("Acting")
    for action in actions:
        acting.add_action(action)
    fsm.start()
    return fsm

def near(values):
    return tuple(round(value, 3) + 0.0 for value in values)

class Journal(FsmAction):
    def on_update(self):
        print(f"{self.delta_time:.3f}")

class Ears(FsmAction):
    def on_event(self, event, data):
        print(event, data)
        return True
"""

STAGE = """
import json, sys, traceback
from contextlib import redirect_stdout
from io import StringIO

channel, sys.stdout = sys.stdout, sys.stderr
app = Ursina(window_type="none", development_mode=False)
mouse.enabled = False  # it would look for the window
furniture = {id(entity) for entity in scene.entities}
for line in sys.stdin:
    printed, error = StringIO(), None
    try:
        with redirect_stdout(printed):
            exec(json.loads(line), {**globals()})
    except Exception:
        error = traceback.format_exc()
    print(json.dumps((printed.getvalue().splitlines(), error)), file=channel, flush=True)
    application.paused, application.time_scale = False, 1
    for entity in scene.entities:
        entity.eternal = id(entity) in furniture
    scene.clear()
    frames(1)
"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    folder = tmp_path_factory.mktemp("stage")
    with (
        (folder / "errors").open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-c", SETTINGS + STAGE],
            cwd=folder,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as stage,
    ):
        yield stage


@pytest.fixture
def play(stage: subprocess.Popen[str]) -> Play:
    def play(script: str) -> list[str]:
        assert stage.stdin is not None
        assert stage.stdout is not None
        stage.stdin.write(json.dumps(dedent(script)) + "\n")
        stage.stdin.flush()
        printed, error = json.loads(stage.stdout.readline())
        if error is not None:
            pytest.fail(error, pytrace=False)
        return list(printed)

    return play


@pytest.mark.parametrize("law", [law.__name__ for law in LAWS])
def test_the_laws_of_all_engines(play: Play, law: str) -> None:
    play(f"""
        sys.path.insert(0, {str(HERE)!r})
        from rig_of_ursina import obey

        obey(app, {law!r})
    """)


# Entities as transforms


def test_sixty_frames_of_a_two_second_change(play: Play) -> None:
    script = """
        door = Entity(model="cube")
        transform = EntityTransform(door)
        attach(running(
            Move(transform, (0.0, 0.0, 1.0), (4.0, 2.0, 1.0), 2.0),
            Rotate(transform, None, 90.0, 2.0),
            ScaleByDuration(transform, None, 3.0, 2.0),
            SetColorByDuration(transform, None, (255, 0, 0), 2.0),
            Tween(transform, "alpha", None, 0.0, 2.0),
        ))
        frames(60)
        print(near(door.position))
        print(near(door.rotation))
        print(near(door.scale))
        print(near(door.color))
        print([round(share, 2) for share in door.model.getColorScale()])
    """
    assert play(script) == [
        "(2.0, 1.0, 1.0)",
        "(0.0, 0.0, -45.0)",  # clockwise is positive in Ursina
        "(2.0, 2.0, 2.0)",
        "(1.0, 0.5, 0.5, 0.5)",
        "[1.0, 0.5, 0.5, 0.5]",
    ]


def test_sixty_frames_after_an_entity_that_goes_away(play: Play) -> None:
    script = """
        cat, mouse = Entity(), Entity(z=10, y=1)
        hunter = EntityTransform(cat, axes="xz", forward=90.0)
        prey = EntityTransform(mouse, axes="xz")
        attach(FsmGroup([
            running(LookAt(hunter, prey), MoveTowards(hunter, prey, 2.0)),
            running(Move(prey, None, (0.0, 12.0), 1.0)),
        ]))
        frames(60)
        print(near(mouse.position), near(cat.position), near(cat.forward))
    """
    assert play(script) == ["(0.0, 1.0, 12.0) (0.0, 0.0, 2.0) (0.0, 0.0, 1.0)"]


@pytest.mark.parametrize(
    ("axes", "forward", "front", "target"),
    [
        ("xyz", 0.0, "right", (0.6, 0.8, 0.0)),
        ("xyz", 90.0, "up", (-0.6, -0.8, 0.0)),
        ("xy", 180.0, "left", (0.6, -0.8)),
        ("xz", 0.0, "right", (0.6, 0.8)),
        ("xz", 90.0, "forward", (-0.8, -0.6)),
    ],
)
def test_the_front_of_an_entity_points_to_what_it_looks_at(
    play: Play, axes: str, forward: float, front: str, target: tuple[float, ...]
) -> None:
    script = f"""
        parent = Entity(rotation={(0, 30, 0) if axes == "xz" else (0, 0, 30)})
        turret = Entity(parent=parent)
        running(LookAt(EntityTransform(turret, axes={axes!r}, forward={forward}), {target}))
        ahead = near(turret.{front})
        print(tuple(ahead["xyz".index(axis)] for axis in {axes!r}))
    """
    assert play(script) == [str(target)]


def test_with_forward_90_an_entity_looks_where_the_engine_has_it_look(play: Play) -> None:
    script = """
        def ahead(axes, target, side):
            theirs, ours = Entity(), Entity()
            theirs.look_at_2d(target, {"xy": "z", "xz": "y"}[axes])
            running(LookAt(EntityTransform(ours, axes=axes, forward=90.0), EntityTransform(
                Entity(position=target), axes=axes)))
            return near(getattr(theirs, side)) == near(getattr(ours, side))

        print(ahead("xy", Vec3(-3, 4, 0), "up"), ahead("xz", Vec3(-3, 0, 4), "forward"))
    """
    assert play(script) == ["True True"]


def test_self_space_is_that_of_the_parent(play: Play) -> None:
    script = """
        cart = Entity(x=10, rotation_z=-90, scale=2)
        rider = Entity(parent=cart)
        transform = EntityTransform(rider)
        fsm = running(
            Move(transform, None, (1.0, 0.0, 0.0), 1.0, space=Space.SELF),
            Rotate(transform, None, 10.0, 1.0, space=Space.SELF),
            ScaleByDuration(transform, None, 3.0, 1.0, space=Space.SELF),
        )
        fsm.update(1.0)
        print(near(rider.position), near(rider.rotation), near(rider.scale))
        print(near(transform.position), round(transform.rotation, 3), near(transform.scale))
        print(near(rider.world_position))
    """
    assert play(script) == [
        "(1.0, 0.0, 0.0) (0.0, 0.0, -10.0) (3.0, 3.0, 3.0)",
        "(10.0, 2.0, 0.0) 100.0 (6.0, 6.0, 6.0)",
        "(10.0, 2.0, 0.0)",
    ]


def test_a_colour_is_read_as_it_was_written(play: Play) -> None:
    script = """
        lamp = Entity(model="quad")
        transform = EntityTransform(lamp)
        print(transform.color)
        transform.color = (10, 20, 30)
        print(transform.color)
        transform.color = (1.5, 2.5, 3.5, 4.5)
        print(transform.color, transform.alpha)
        lamp.alpha = 0.5
        print(transform.alpha)
    """
    assert play(script) == [
        "(255.0, 255.0, 255.0)",
        "(10, 20, 30)",
        "(1.5, 2.5, 3.5, 4.5) 4.5",
        "127.5",
    ]


# Frames as clock


def test_the_engines_seconds_reach_the_machine(play: Play) -> None:
    script = """
        detach = attach(running(Journal()))
        frames(2)
        application.time_scale = 0.5
        frames(1)
        detach()
        detach()
        frames(1)
    """
    assert play(script) == ["0.017", "0.017", "0.008"]


def test_a_long_frame_is_cut(play: Play) -> None:
    script = """
        attach(running(Journal()))
        attach(running(Journal()), max_dt=0.1)
        clock.setDt(3.0)
        frames(1)
        clock.setDt(1 / 60)
    """
    assert play(script) == ["0.250", "0.100"]


def test_a_time_reference_slows_down(play: Play) -> None:
    script = """
        attach(running(Journal()), time=TimeReference("world", scale=0.5))
        frames(1)
    """
    assert play(script) == ["0.008"]


def test_a_paused_application_pauses_machines_unless_their_entity_ignores_it(play: Play) -> None:
    script = """
        attach(running(Journal()))
        menu = Entity(ignore_paused=True)
        attach(running(Journal()), entity=menu, max_dt=0.001)
        application.paused = True
        frames(2)
    """
    assert play(script) == ["0.001", "0.001"]


def test_the_machine_of_an_entity_runs_as_long_as_the_entity_exists(play: Play) -> None:
    script = """
        guard = Entity()
        attach(running(Journal()), entity=guard)
        frames(1)
        guard.enabled = False
        frames(1)
        guard.enabled = True
        frames(1)
        destroy(guard)
        frames(1)
    """
    assert play(script) == ["0.017", "0.017"]


def test_a_machine_without_an_entity_outlives_the_scene(play: Play) -> None:
    script = """
        attach(running(Journal()))
        scene.clear()
        frames(1)
    """
    assert play(script) == ["0.017"]


def test_detaching_from_inside_leaves_the_other_scripts_running(play: Play) -> None:
    script = """
        class Leave(FsmAction):
            def on_update(self):
                print("left")
                detach()

        guard = Entity()
        detach = attach(running(Leave()), entity=guard)
        attach(running(Journal()), entity=guard)
        frames(2)
    """
    assert play(script) == ["left", "0.017", "0.017"]


# Keys


def test_keys_are_events_with_the_key_as_data(play: Play) -> None:
    script = """
        stop = send_keys(
            running(Ears()),
            {"space": "JUMP", "left mouse down": "FIRE", "page down": "ZOOM"},
            released={"space": "LAND", "left mouse down": "CEASE", "page down": "UNZOOM"},
        )
        for key in ("space", "space hold", "mouse1", "page_down"):
            app.input(key)
        for key in ("space", "mouse1", "page_down"):
            app.input_up(key)
        application.paused = True
        app.input("space")
        application.paused = False
        stop()
        app.input("space")
    """
    assert play(script) == [
        *("JUMP space", "FIRE left mouse down", "ZOOM page down"),
        *("LAND space", "CEASE left mouse down", "UNZOOM page down"),
    ]


def test_all_of_a_group_get_a_key_and_need_not_know_it(play: Play) -> None:
    script = """
        ignorant = Fsm("Ignorant", on_unhandled="raise")
        ignorant.add_state("Idle")
        ignorant.start()
        send_keys(FsmGroup([ignorant, running(Ears())]), {"enter": "ATTACK"})
        app.input("enter")
    """
    assert play(script) == ["ATTACK enter"]


# Collisions


def test_a_touch_is_one_event_when_it_begins_and_one_when_it_ends(play: Play) -> None:
    script = """
        thief = Entity(name="thief", model="cube", collider="box", x=-3)
        Entity(name="guard", model="cube", collider="box")
        Entity(name="ghost", model="cube")
        attach(running(Move(EntityTransform(thief), None, (3.0, 0.0, 0.0), 0.5)))
        send_collisions(running(Ears()), thief, "CAUGHT", ended="FREE")
        for count in (8, 8, 14):
            frames(count)
            print(near(thief.position)[0])
    """
    assert play(script) == ["-1.4", "CAUGHT guard", "0.2", "FREE guard", "3.0"]


def test_only_the_others_that_are_given_count(play: Play) -> None:
    script = """
        thief, coin, wall, gem = (
            Entity(name=name, model="cube", collider="box")
            for name in ("thief", "coin", "wall", "gem")
        )
        loot = [coin]
        stop = send_collisions(running(Ears()), thief, "TAKEN", others=loot)
        frames(2)
        loot.append(gem)
        frames(2)
        stop()
        thief.x = 9
        frames(1)
        thief.x = 0
        frames(1)
    """
    assert play(script) == ["TAKEN coin", "TAKEN gem"]


def test_what_is_destroyed_no_longer_touches(play: Play) -> None:
    script = """
        thief, coin = (Entity(model="cube", collider="box") for _ in range(2))

        class Hands(FsmAction):
            def on_event(self, event, data):
                print(event, data is coin)
                return True

        steal = attach(running(DelegateAction(on_update=lambda _: destroy(victim))), entity=thief)
        send_collisions(running(Hands()), thief, "TAKEN", ended="GONE")
        victim = Entity()
        frames(1)
        victim = coin
        frames(2)
        victim = thief  # in a script before that of the collisions
        frames(2)
    """
    assert play(script) == ["TAKEN True", "GONE True"]


# What is seen


@pytest.mark.slow
def test_what_an_entity_shows_of_its_transform(tmp_path: Path) -> None:
    script = SETTINGS + dedent("""
        from panda3d.core import PNMImage

        try:
            app = Ursina(window_type="offscreen", development_mode=False, size=(64, 64))
        except Exception as error:  # Panda3D's own, of no special class
            raise SystemExit(f"Panda3D cannot draw here, not even by itself: {error}")
        window.color = (0, 0, 0, 1)
        camera.orthographic, camera.fov = True, 10

        # Two long, one wide, from its place along +x.
        thing = EntityTransform(Entity(model="quad", scale=(2, 1), origin=(-0.5, 0)))
        thing.position, thing.rotation, thing.color = (2.0, 0.0, 0.0), 90.0, (255, 128, 0)
        frames(3)
        picture = PNMImage()
        app.win.getScreenshot(picture)
        shown = [(x, y) for x in range(64) for y in range(64) if picture.getRed(x, y) == 1.0]
        color = [round(255 * share) for share in picture.getXel(44, 26)]
        print([[*min(shown), *max(shown)], color])
    """)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if "cannot draw here" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    corners, color = json.loads(done.stdout.splitlines()[-1])
    # 6.4 pixels per unit, the origin in the middle: x from 1.5 to 2.5, y from 0 up to 2
    assert corners == pytest.approx([41, 19, 47, 31], abs=1)
    assert color == [255, 128, 0]


def test_without_ursina_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['ursina'] = None; import fsmkit.engines.ursina"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "ImportError: fsmkit.engines.ursina needs Ursina: pip install 'fsmkit[ursina]'."
    )


@pytest.mark.parametrize("name", ["panda3d", "ursina"])
@pytest.mark.parametrize("is_script", [True, False])
def test_a_user_file_that_hides_the_engine_is_named(
    tmp_path: Path, name: str, is_script: bool
) -> None:
    (tmp_path / f"{name}.py").write_text(f"from fsmkit.engines.{name} import attach\n")
    (tmp_path / "game.py").write_text(f"import fsmkit.engines.{name}\n")
    script = f"{name}.py" if is_script else "game.py"
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    last = done.stderr.splitlines()[-1]
    assert f"ImportError: fsmkit.engines.{name} could not import" in last
    assert f"{name}.py" in last
    assert "give it another name" in last


# What comes and goes


def test_a_machine_is_stopped_with_its_entity(play: Play) -> None:
    script = """
        def machine(name):
            fsm = Fsm(name)
            on = fsm.add_state("On")
            on.add_action(DelegateAction(on_update=bool, on_exit=lambda: print(name, "ends")))
            fsm.start()
            return fsm

        field = Entity(name="field")
        sheep, lamb = Entity(parent=field), Entity()
        attach(machine("sheep"), entity=sheep)
        attach(machine("lamb"), entity=lamb)
        frames(2)
        destroy(field)  # and what is below it
        frames(2)
        application.paused = True
        scene.clear()
        frames(2)
        print(*app.taskMgr.getTasksNamed("fsmkit-destroyed"))
    """
    assert play(script) == ["sheep ends", "lamb ends", ""]


def test_an_action_that_destroys_the_entity_of_its_machine_ends_it(play: Play) -> None:
    script = """
        bomb = Entity()
        shape = EntityTransform(bomb)
        fsm = running(
            DelegateAction(on_update=lambda: destroy(bomb)),
            SetValue(shape, "scale", 2.0, every_update=True),
        )
        attach(fsm, entity=bomb)
        frames(3)
        print(fsm.is_running)
    """
    assert play(script) == ["False"]


def test_an_entity_must_be_one(play: Play) -> None:
    script = """
        for wrong in (EntityTransform(Entity()), "guard"):
            try:
                attach(running(), entity=wrong)
            except TypeError as error:
                print(str(error)[:71])
    """
    message = "attach: entity must be an Entity, or a function from a machine to one, "
    assert play(script) == [message] * 2


# More about keys


def test_names_of_keys(play: Play) -> None:
    script = """
        from ursina.input_handler import Keys, bind, rebinds

        bind("left mouse down", "attack")
        for key in (Keys.left_arrow, "left", "attack", "right mouse", "f1", "-", "shift", "é"):
            send_keys(running(), {key: "ANY"})
        rebinds.clear()
        for key in ("arrow_left", "W", "spcae", "left arow", 32, "gamepad z", "mouse1"):
            try:
                send_keys(running(), {key: "ANY"})
            except (ValueError, TypeError) as error:
                print(type(error).__name__, str(error).partition(". ")[2][:28] if key != 32 else "")
    """
    printed = play(script)
    assert len(printed) == 7
    assert printed[2] == "ValueError Did you mean 'space'? Names "


def test_a_key_that_is_released_while_nobody_listens_is_released_later(play: Play) -> None:
    script = """
        from fsmkit.engines.ursina import Held

        hero, walk, jump = Entity(), Held("a", "d"), Held("space")
        send_keys(running(Ears()), {walk: "WALK"}, released={walk: "STOP"}, entity=hero)
        send_keys(running(), {}, held=[jump])
        app.input("d", True)
        app.input("space")
        hero.enabled = False
        application.paused = True
        app.input_up("d", True)
        app.input_up("space")
        frames(2)
        hero.enabled = True
        application.paused = False
        frames(1)
        print(walk.value, jump.value)
    """
    assert play(script) == ["WALK 1.0", "STOP 0.0", "0.0 0.0"]


def test_gamepads_by_ursinas_names(play: Play) -> None:
    script = """
        from ursina.input_handler import held_keys
        from fsmkit.engines.ursina import Held

        aim = Held(axis="gamepad 2 right stick y", dead_zone=0.0)
        send_keys(
            running(Ears()),
            {"gamepad dpad up": "UP", "gamepad 1 a": "ONE", "gamepad 2 a": "TWO"},
            released={"gamepad dpad up": "DOWN"},
            held=[aim],
        )
        for key in ("gamepad dpad up", "gamepad dpad up up", "gamepad a", "gamepad_1 a"):
            app.input(key)
        held_keys["gamepad_1 right stick y"] = 0.5
        frames(1)
        print(aim.value)
        held_keys.clear()
    """
    assert play(script) == [
        *("UP gamepad dpad up", "DOWN gamepad dpad up", "ONE gamepad 1 a", "TWO gamepad 2 a"),
        "0.5",
    ]


def test_a_gamepad_that_is_plugged_in_later_is_read_by_ursina(play: Play) -> None:
    script = """
        from types import SimpleNamespace
        from ursina import gamepad, input_handler
        from ursina.input_handler import held_keys

        devices, attached, real = [], [], app.devices
        app.devices = SimpleNamespace(getDevices=lambda kind: devices, update=lambda: None)
        app.attachInputDevice = lambda pad, prefix: attached.append((pad.name, prefix))
        app.detachInputDevice = lambda pad: attached.append((pad.name, None))
        axis = SimpleNamespace(value=0.5)
        send_keys(running(Ears()), {"gamepad a": "JUMP"}, released={"gamepad a": "LAND"})
        frames(1)
        devices.append(SimpleNamespace(name="pad", findAxis=lambda axis_: axis))
        frames(2)
        app.input("gamepad a")
        devices.clear()
        frames(2)
        print(*attached)
        app.devices = real
        del app.attachInputDevice, app.detachInputDevice
    """
    assert play(script) == [
        "JUMP gamepad a",
        "LAND gamepad a",
        "('pad', None) ('pad', 'gamepad') ('pad', None)",
    ]


# More about collisions and the mouse


def test_groups_that_touch_in_the_order_of_both_and_leave_nothing_behind(play: Play) -> None:
    script = """
        class Hands(FsmAction):
            def on_event(self, event, data):
                print(event, *(each.name for each in data))
                return True

        def box(name, x):
            return Entity(name=name, model="cube", collider="box", x=x)

        sheep = [box("sheep 1", 0), box("sheep 0", 0.1)]
        wolves = [box("wolf 0", 9), box("wolf 1", 9)]
        send_collisions(running(Hands()), sheep, wolves[::-1], "BITTEN", ended="FREE")
        frames(2)
        for wolf in wolves:
            wolf.x = 0.2
        frames(2)
        sheep.pop()
        frames(2)
        wolves[0].collision = False
        frames(2)
        sheep[0].enabled = False
        frames(2)
    """
    assert play(script) == [
        *("BITTEN sheep 1 wolf 0", "BITTEN sheep 1 wolf 1"),
        *("BITTEN sheep 0 wolf 0", "BITTEN sheep 0 wolf 1"),
        *("FREE sheep 0 wolf 0", "FREE sheep 0 wolf 1"),
        *("FREE sheep 1 wolf 0", "FREE sheep 1 wolf 1"),
    ]


def test_bullets_that_are_spawned_and_destroyed(play: Play) -> None:
    script = """
        def box(x):
            return Entity(model="cube", collider="box", x=x)

        bullets, target = [], box(0)
        send_collisions(running(Ears()), bullets, target, "HIT")
        for _ in range(3):
            bullets.append(box(0.5))
            frames(2)
            destroy(bullets[0])
            frames(1)
            bullets.clear()
            frames(1)
        print(target.collider.node_path.getParent().getNumChildren())
    """
    printed = play(script)
    assert [line.split()[0] for line in printed[:-1]] == ["HIT"] * 3
    assert printed[-1] == "2"  # the cube and the collider


@pytest.mark.slow
def test_a_mesh_can_only_be_touched_by_others(play: Play) -> None:
    script = """
        rock = Entity(model="cube", collider="mesh")
        try:
            send_collisions(running(), rock, "HIT")
        except TypeError as error:
            print(str(error).partition("must ")[2])
        ball = Entity(model="sphere", collider="sphere", name="ball")
        send_collisions(running(Ears()), ball, "HIT")
        frames(2)
    """
    printed = play(script)
    assert printed[0] == (
        "be 'box', 'sphere' or 'capsule', got a mesh, which can only be touched by others."
    )
    assert len(printed) == 2


@pytest.mark.slow
def test_the_mouse_on_what_is_destroyed_or_disabled(play: Play) -> None:
    script = """
        from fsmkit.engines.ursina import send_mouse

        chests = [Entity(name="one"), Entity(name="two")]
        send_mouse(running(Ears()), chests, "GRAB", released="DROP", button="right mouse down")
        for chest in chests:
            chest.hovered, mouse.hovered_entity = True, chest
            frames(1)
            app.input("left mouse down")
            app.input("right mouse down")
            app.input("right mouse up")
        destroy(chests[1])
        app.input("right mouse down")
        mouse.hovered_entity = chests[0]
        chests[0].enabled = False
        app.input("right mouse down")
        mouse.hovered_entity = None
    """
    assert play(script) == ["GRAB one", "DROP one", "GRAB two", "DROP two"]
