"""What readers of other tools and spellings look for: an extension that has the search find it.

A phrase that is searched for as it stands leads to its page first. Its words count as words of the
page, so that they are found together with others. The order of the rest: search_scorer.js.
"""

from __future__ import annotations

import re
from typing import Any, Final

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.logging import getLogger

PHRASES: Final[dict[str, str]] = {
    "five_minutes": (
        "getting started, get started, quick start, quickstart, first steps, hello world, "
        "beginner, begin"
    ),
    "install": "pip, uv, setup, set up, dependencies, requirements",
    "tutorial": "getting started, beginner, learn, course",
    "playground": "try it, online, demo, browser, pyodide, sandbox",
    "examples": "sample, samples, demo",
    "cookbook": "recipes, how to, howto, patterns",
    "concepts": "basics, overview, introduction",
    "concepts/async": "async, await, asyncio, coroutine, task",
    "concepts/chance": "random, seed, dice, probability, loot",
    "concepts/choosing": "utility ai, selector, priority, decision, behavior selector",
    "concepts/copies": "copy, deepcopy, pickle, clone, rollback",
    "concepts/errors": "exception, exceptions, error handling, try except, traceback",
    "concepts/events": "message, signal, trigger, send event, payload, event data",
    "concepts/failing": "failure, fail, failed",
    "concepts/finishing": "finish, done, completed, on complete",
    "concepts/global_transitions": "any state, wildcard, from any state",
    "concepts/groups": "several states, superstate, shared transitions",
    "concepts/guards": (
        "condition, conditions, guard condition, conditional transition, if, predicate"
    ),
    "concepts/interruptions": "interrupt, suspend, resume, stun, pushdown, stack of states",
    "concepts/logging": (
        "log, observer, observe, listener, callback on change, on change, audit, debug print"
    ),
    "concepts/many_machines": "group of machines, broadcast, several machines, enemies, npcs",
    "concepts/nesting": (
        "nested state, nested states, substate, substates, hierarchical, hierarchy, hsm, "
        "hfsm, submachine, composite state, parallel states, orthogonal regions, history "
        "state"
    ),
    "concepts/testing": "unit test, unit tests",
    "concepts/threads": "thread, thread safe, threading, multithreading, blocking call",
    "concepts/time": (
        "timer, timers, delay, delta time, slow motion, time scale, schedule, timeout, wait"
    ),
    "concepts/typed_events": "typed events, event types, type safe events, payload type",
    "concepts/types": "type hints, mypy, pyright, typing, generic",
    "concepts/workflows": (
        "workflow, workflows, django, sqlalchemy, database, approval, order state, business "
        "process, persistence"
    ),
    "cookbook/alarm_for_all": "alert everyone, broadcast",
    "cookbook/animation_layers": "animation, animations, animator, upper body",
    "cookbook/asyncio_service": "service, daemon, server",
    "cookbook/boss_phases": "boss, boss fight, phases",
    "cookbook/combo": "combo, combos, attack chain, input buffer",
    "cookbook/connection_with_backoff": "reconnect, connection, backoff, websocket",
    "cookbook/crash_report": "crash, bug report, flight recorder, sentry",
    "cookbook/cut_scene": "cutscene, cut scene, script, sequence of events, intro",
    "cookbook/debounce": "debounce, gpio, button, switch",
    "cookbook/dialogue": "dialog, dialogue, conversation, quest, visual novel",
    "cookbook/double_click_and_hold": "double click, long press, hold",
    "cookbook/emergency_stop": "emergency stop, e-stop, estop, safety, motor off",
    "cookbook/fixed_step_physics": "fixed timestep, fixed time step, fixed update, frame rate, fps",
    "cookbook/hot_reload": "hot reload, live coding",
    "cookbook/machine_from_a_table": "yaml, json, spreadsheet, data driven, from a file, config",
    "cookbook/orders_in_a_database": "database, sqlite, sql, postgres, orders",
    "cookbook/pause_menu": "pause, pause game, pause the game, pause menu, menu, settings",
    "cookbook/retry_with_backoff": "retry, try again, backoff",
    "cookbook/robot_docking": "robot, docking, charging",
    "cookbook/save_slots": "save slot, save slots, save game, load game",
    "cookbook/socket_thread": "socket, serial port, uart, tcp",
    "cookbook/spawn_waves": "spawn, waves, spawner, levels",
    "cookbook/state_per_enum": "enum, strenum, constants",
    "cookbook/stun_and_return": "stun, knockback, hit reaction",
    "cookbook/traffic_light": "traffic light",
    "cookbook/turn_based_game": "turn based, turns, board game, card game",
    "cookbook/undo_by_copies": "undo, redo, undo redo",
    "cookbook/vending_machine": "vending machine, coins",
    "cookbook/elevator": "elevator, lift",
    "gallery": "action library, list of actions, ready-made actions",
    "gallery/change_over_time": "tween, fade, lerp, interpolate, color, animate value",
    "gallery/composition": "sequence, parallel, loop, repeat, timeout, race, one after another",
    "gallery/conditions": "line of sight, vision, distance, in range, see the player",
    "gallery/events": "send event, switch case, compare, ignore event",
    "gallery/motion": (
        "move, move an object, movement, patrol, waypoints, follow, chase, jump, flee"
    ),
    "gallery/presentation": "sound, sounds, audio, music, sfx, animation",
    "gallery/time": "wait, sleep, timer, cooldown, delay, next frame",
    "gallery/turning": "rotate, rotation, look at, turn, face the player",
    "gallery/values": "set bool, set value, set variable, counter, increment, toggle",
    "coming_from": "alternatives, comparison, migrate, migration, versus, vs",
    "coming_from/behaviour_trees": (
        "behavior tree, behavior trees, behaviour tree, behaviour trees, py_trees, bt, blackboard"
    ),
    "coming_from/mesa": "mesa, agent based model, agent-based, abm, netlogo",
    "coming_from/playmaker": "playmaker, play maker, fsm template",
    "coming_from/python_statemachine": "python-statemachine, python statemachine",
    "coming_from/robotics": "ros, ros 2, ros2, smach, flexbe, yasmin",
    "coming_from/statecharts": (
        "statechart, statecharts, scxml, harel, xstate, stately, sismic, uml, godot, godot "
        "statecharts"
    ),
    "coming_from/transitions": "pytransitions, transitions library",
    "coming_from/unity_scripts": "unity, monobehaviour, unity coroutine, c#",
    "coming_from/unityhfsm": "unityhfsm, mecanim, unity animator",
    "events": "event queue, queue, delayed event, event order",
    "writing_actions": (
        "custom action, own action, write an action, subclass, fsmaction, on_enter, "
        "on_update, on_exit"
    ),
    "other_styles": "if else, polling, classic fsm, reason act",
    "pictures": (
        "diagram, diagrams, draw, graphviz, svg, png, mermaid, plantuml, visualize, "
        "visualise, visualization, graph, jupyter, notebook"
    ),
    "inspector": "debug, debugger, debugging, monitor, live view, gui",
    "inspector/breakpoints": "breakpoint, breakpoints, break on event",
    "inspector/control": "step, time travel, go back in time, slow down",
    "inspector/cost_of_a_frame": "profiler, profile, profiling",
    "inspector/map": "minimap, positions",
    "checks": "lint, linter, validate, validation, static analysis, ci, github actions",
    "testing": "test, tests, pytest, unit test, mock, assert",
    "exploring": "model checking, fuzzing, fuzz, property based, hypothesis, invariant",
    "recording": "record, replay, deterministic, determinism, why does nothing happen",
    "timelines": "timeline, gantt, perfetto, trace",
    "save_games": (
        "save, save game, save games, load, load game, savegame, serialize, serialise, "
        "serialization, snapshot, persist, json"
    ),
    "reloading": "hot reload, hot reloading, live reload, reload, change code while running",
    "editing": "visual editor, editor, graph editor, drag and drop, no code",
    "command_line": "cli, terminal, command line, fsmkit run",
    "pathfinding": (
        "a star, a*, astar, path finding, navmesh, navigation, tiled, flow field, dijkstra, grid"
    ),
    "planning": "goap, planner, goal, goals, goal oriented",
    "crowds": "crowd, swarm, million agents, many agents, ecs, numpy, numba, gpu, massive",
    "crowd_neighbours": "neighbors, neighbor, neighbours, flocking, boids",
    "crowd_cuda": "cuda, gpu, graphics card",
    "crowd_shards": "cluster, distributed, multiprocessing, ray, dask",
    "crowd_studies": "sweep, parameter sweep, experiment, parquet, pandas",
    "engines": (
        "game engine, keyboard, keyboard input, input, keys, key press, mouse, gamepad, "
        "controller, joystick, collision, collisions, sprite, game loop"
    ),
    "engines/pygame": "pygame, pygame-ce, sprite, sprites",
    "engines/arcade": "python arcade, sprite",
    "engines/panda3d": "panda, 3d",
    "engines/ursina": "3d, entity",
    "engines/pymunk": "physics, chipmunk, rigid body",
    "anywhere_else": (
        "main loop, game loop, ros 2, qt, tkinter, kivy, simpy, godot, blender, micropython, "
        "gymnasium, discord"
    ),
    "ship_your_game": (
        "freeze, freeze exe, exe, pyinstaller, nuitka, cx_freeze, build exe, distribute, "
        "package, executable, steam, pygbag"
    ),
    "benchmarks": "performance, fast, speed, slow, overhead",
    "faq": "multiplayer, network game, netcode, help, questions, problem",
    "glossary": "terms, vocabulary, definition, meaning",
    "cheat_sheet": "cheatsheet, quick reference, summary",
    "reference": "api, api reference, docstrings",
    "upgrading": "upgrade, breaking changes, new version, deprecated",
    "easings": "easing, ease in, ease out, curve",
    "promise": "guarantees, stability, semver",
}
"""What a page is looked for by, in words that are not its own or stand deep in its text."""


def add_phrases(app: Sphinx) -> list[tuple[str, dict[str, Any], str]]:
    """Put the phrases into the index before it is written, and add no page.

    They are not put into the pages: of a page that has not changed Sphinx would forget them.
    """
    index = getattr(app.builder, "indexer", None)
    for page, phrases in PHRASES.items() if index else ():
        entries = index._index_entries.setdefault(page, [])
        entries += [(phrase, "", "main") for phrase in phrases.split(", ")]
        for word in re.findall(r"\w+", phrases):
            index._mapping.setdefault(index.lang.stem(word), set()).add(page)
    return []


def check_pages(_app: Sphinx, env: BuildEnvironment) -> None:
    """Warn about phrases for a page that is not there."""
    for page in PHRASES.keys() - env.found_docs:
        getLogger(__name__).warning("docs/making/search.py: there is no page %r", page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.connect("html-collect-pages", add_phrases)
    app.connect("env-check-consistency", check_pages)
    return {"parallel_read_safe": True}
