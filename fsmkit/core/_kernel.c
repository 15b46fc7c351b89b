/* The kernel: faster bodies for a few methods of fsmkit.core.
 *
 * The Python beside this file says what a machine does. `install` learns where the slots of its
 * classes lie and puts a `Method` in the place of each method named below. A Method calls the C
 * function of that name, which does what the Python does in the usual case. In every other case
 * (observers, something that waits, an argument of another kind, a subclass with a walk of its own, an
 * attribute that has been deleted) it falls back: it calls the Python method that it stands for,
 * before anything has been changed. Errors are handled by the Python methods `_fail`, `_settle` and
 * `_reset_after_error`.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

/* Slots: where they lie in the instances, by class. */

typedef struct { const char *name; Py_ssize_t offset; } Slot;

enum { STATES, GLOBALS, CURRENT, PHASE, ACTING, NEXT, INTERRUPTED, FAILURES, QUEUE, POSTED, DELAYED,
       OBSERVERS, VISIT, FINISHED_COUNT, PREVIOUS, LAST_EVENT, EVENT_DATA, TIME, DELTA_TIME, ENTERED_AT,
       CARRY_TIME, HOST };
static Slot of_fsm[] = {
    {"_states"}, {"_global_transitions"}, {"_current_state"}, {"_phase"}, {"_acting"}, {"_next"},
    {"_interrupted"}, {"_failures"}, {"_queue"}, {"_posted"}, {"_delayed"}, {"_observers"}, {"_visit"},
    {"_finished"}, {"previous_state"}, {"last_event"}, {"event_data"}, {"_time"}, {"delta_time"},
    {"_entered_at"}, {"_carry_time"}, {"_host"}, {NULL}};

enum { STATE_FSM, STATE_NAME, FINAL, STATE_ACTIONS, TRANSITIONS, STATE_VISIT };
static Slot of_state[] = {
    {"_fsm"}, {"_name"}, {"final"}, {"_actions"}, {"_transitions"}, {"_visit"}, {NULL}};

enum { ACTIONS, SIZE, UPDATES, LISTENERS, ENTERS, EXITS, ROUTES, VISIT_SLOTS };
static Slot of_visit[] = {
    {"actions"}, {"size"}, {"updates"}, {"listeners"}, {"enters"}, {"exits"}, {"routes"}, {NULL}};

enum { DUE };
static Slot of_delayed[] = {{"due"}, {NULL}};

enum { ERRORS, TELLING, IGNORES_UPDATES };
static Slot of_observers[] = {{"errors"}, {"telling"}, {"ignores_updates"}, {NULL}};

static PyTypeObject *Fsm, *State, *Action, *Visit, *Delayed, *Transition, *Observers;
static PyObject *ENTER, *UPDATE, *EXIT, *EVENT, *BETWEEN, *FINISHED, *NO_VISIT, *NOWHERE;
static double TOLERANCE;

/* The callbacks that an action may override, as FsmAction has them. */
enum { ON_ENTER, ON_UPDATE, ON_EXIT, ON_EVENT, CALLBACKS };
static PyObject *callback_names[CALLBACKS], *callback_bases[CALLBACKS];

static PyObject *s_fail, *s_settle, *s_reset, *s_rest, *s_begin, *s_prepare, *s_send_event, *s_walk,
    *s_children, *s_family, *s_enabled, *s_action_state, *s_action_fsm, *s_action_parent,
    *s_action_enabled, *s_action_finished, *s_finish_event, *s_background, *s_machines, *s_raise,
    *s_declares;
static PyObject *walk_method, *send_event_method, *end_visit_method, *children_base, *family_base, *enabled_base, *machines_base;
static PyObject *zero, *one;

#define AT(object, slots, slot) (*(PyObject **)((char *)(object) + slots[slot].offset))

/* The value of a slot, borrowed; NULL with an AttributeError if it has been deleted. */
static inline PyObject *get(PyObject *object, Slot *slots, int slot)
{
    PyObject *value = AT(object, slots, slot);
    if (value == NULL) PyErr_SetString(PyExc_AttributeError, slots[slot].name);
    return value;
}

static inline void put(PyObject *object, Slot *slots, int slot, PyObject *value)
{
    PyObject *old = AT(object, slots, slot);
    AT(object, slots, slot) = Py_NewRef(value);
    Py_XDECREF(old);
}

#define IS(object, slots, slot, value) (AT(object, slots, slot) == (value))
#define IS_DICT(x) ((x) != NULL && PyDict_CheckExact(x))
#define IS_EMPTY_LIST(x) ((x) != NULL && PyList_CheckExact(x) && PyList_GET_SIZE(x) == 0)
#define IS_EMPTY_TUPLE(x) ((x) != NULL && PyTuple_CheckExact(x) && PyTuple_GET_SIZE(x) == 0)

static inline int is_state(PyObject *x) { return x != NULL && PyObject_TypeCheck(x, State); }

/* Whether nobody looks on, or those who do need not be told of an update in which nothing else happens. */
static int looks_away(PyObject *fsm)
{
    PyObject *observers = AT(fsm, of_fsm, OBSERVERS);
    return observers == Py_None
        || (observers != NULL && Py_IS_TYPE(observers, Observers) && IS(observers, of_observers, TELLING, Py_None)
            && IS(observers, of_observers, IGNORES_UPDATES, Py_True)
            && IS_EMPTY_LIST(AT(observers, of_observers, ERRORS)));
}

/* The visit of a machine, borrowed; NULL, without an error, if it is not as it has to be. */
static inline PyObject *visit_of(PyObject *fsm)
{
    PyObject *visit = AT(fsm, of_fsm, VISIT);
    return visit != NULL && Py_IS_TYPE(visit, Visit) ? visit : NULL;
}

/* The hooks of a kind, borrowed; NULL, without an error, if they are no tuple. */
static inline PyObject *hooks_of(PyObject *visit, int kind)
{
    PyObject *hooks = visit == NULL ? NULL : AT(visit, of_visit, kind);
    return hooks != NULL && PyTuple_CheckExact(hooks) ? hooks : NULL;
}

/* An attribute, or NULL without an error if there is none or it cannot be read. */
static PyObject *attribute(PyObject *object, PyObject *name)
{
    PyObject *value = NULL;
#if PY_VERSION_HEX >= 0x030D0000
    if (PyObject_GetOptionalAttr(object, name, &value) < 0) PyErr_Clear();
#else
    if (_PyObject_LookupAttr(object, name, &value) < 0) PyErr_Clear();
#endif
    return value;
}

/* Whether an attribute is this very object. */
static int attribute_is(PyObject *object, PyObject *name, PyObject *wanted)
{
    PyObject *value = attribute(object, name);
    Py_XDECREF(value); /* the object, or its class, holds it */
    return value == wanted;
}

/* Whether the class of `object` has this very attribute, and no override of it. */
static int has_base(PyObject *object, PyTypeObject *base_type, PyObject *name, PyObject *base)
{
    return Py_IS_TYPE(object, base_type) || attribute_is((PyObject *)Py_TYPE(object), name, base);
}

#define WALKS_PLAINLY(fsm) has_base(fsm, Fsm, s_walk, walk_method)

static PyObject *taken_error(void)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyErr_GetRaisedException();
#else
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    if (traceback != NULL) PyException_SetTraceback(error, traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return error;
#endif
}

static void give_error(PyObject *error)
{
#if PY_VERSION_HEX >= 0x030C0000
    PyErr_SetRaisedException(error);
#else
    PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(error)), error, PyException_GetTraceback(error));
#endif
}

/* Call a method for what it does; -1 if it raises. */
static int call(PyObject *object, PyObject *name, PyObject *argument)
{
    PyObject *answer = argument ? PyObject_CallMethodOneArg(object, name, argument)
                                : PyObject_CallMethodNoArgs(object, name);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

/* Methods: callables that stand in a class for the Python function of the same name. */

typedef struct { PyObject_HEAD vectorcallfunc fast; PyObject *python; } Method;

static PyObject *fall_back(PyObject *method, PyObject *const *args, size_t nargsf, PyObject *names)
{
    return PyObject_Vectorcall(((Method *)method)->python, args, nargsf, names);
}

static PyObject *method_bind(PyObject *method, PyObject *instance, PyObject *Py_UNUSED(owner))
{
    return instance == NULL || instance == Py_None ? Py_NewRef(method) : PyMethod_New(method, instance);
}

/* It passes for the Python function, so that help(), inspect and doctest find what they look for. */
static PyObject *method_getattro(PyObject *method, PyObject *name)
{
    PyObject *value = PyObject_GenericGetAttr(method, name);
    if (value != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
    PyErr_Clear();
    return PyObject_GetAttr(((Method *)method)->python, name);
}

static PyObject *of_python(PyObject *method, void *name)
{
    return PyObject_GetAttrString(((Method *)method)->python, name);
}

static PyObject *method_reduce(PyObject *method, PyObject *Py_UNUSED(ignored))
{
    return of_python(method, "__qualname__");
}

static PyObject *method_repr(PyObject *method) { return PyObject_Repr(((Method *)method)->python); }

static PyGetSetDef method_getset[] = {
    {"__class__", of_python, NULL, NULL, "__class__"}, {"__doc__", of_python, NULL, NULL, "__doc__"},
    {"__module__", of_python, NULL, NULL, "__module__"}, {NULL}};
static PyMethodDef method_methods[] = {{"__reduce__", method_reduce, METH_NOARGS, NULL}, {NULL}};
static PyTypeObject MethodType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "fsmkit.core._kernel.Method",
    .tp_basicsize = sizeof(Method),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Method, fast),
    .tp_call = PyVectorcall_Call,
    .tp_descr_get = method_bind,
    .tp_getattro = method_getattro,
    .tp_repr = method_repr,
    .tp_getset = method_getset,
    .tp_methods = method_methods,
};

#define PLAIN_CALL(type, from, to) \
    (names == NULL && PyVectorcall_NARGS(nargsf) >= (from) && PyVectorcall_NARGS(nargsf) <= (to) \
     && PyObject_TypeCheck(args[0], type))
#define FALL_BACK return fall_back(method, args, nargsf, names)
#define VECTORCALL(name) \
    static PyObject *name(PyObject *method, PyObject *const *args, size_t nargsf, PyObject *names)

/* Visits */

/* visit.overridden: the hooks of the actions whose class has a callback of its own. */
static PyObject *overridden(int callback, PyObject *actions)
{
    Py_ssize_t count = PyTuple_GET_SIZE(actions), found = 0;
    PyObject *hooks = PyTuple_New(count);
    for (Py_ssize_t i = 0; hooks != NULL && i < count; i++) {
        PyObject *action = PyTuple_GET_ITEM(actions, i);
        PyObject *function = PyObject_GetAttr((PyObject *)Py_TYPE(action), callback_names[callback]);
        if (function == NULL)
            Py_CLEAR(hooks);
        else if (function != callback_bases[callback]) {
            PyObject *hook = PyTuple_Pack(2, function, action);
            if (hook == NULL) Py_CLEAR(hooks); else PyTuple_SET_ITEM(hooks, found++, hook);
        }
        Py_XDECREF(function);
    }
    if (hooks != NULL && found < count) _PyTuple_Resize(&hooks, found);
    return hooks;
}

/* Whether all actions take part and have to finish: `enabled` and `background` as they are unless set. */
static int all_ordinary(PyObject *actions)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(actions); i++) {
        PyObject *action = PyTuple_GET_ITEM(actions, i);
        if (!PyObject_TypeCheck(action, Action) || !has_base(action, Action, s_enabled, enabled_base)) return 0;
        if (!attribute_is(action, s_action_enabled, Py_True) || !attribute_is(action, s_background, Py_False)) return 0;
    }
    return 1;
}

/* transition.routes: whether a table has targets alone. */
static int all_plain(PyObject *table)
{
    PyObject *event, *way;
    Py_ssize_t position = 0;
    if (table == NULL || !PyDict_CheckExact(table)) return 0;
    while (PyDict_Next(table, &position, &event, &way))
        if (!is_state(way)) return 0;
    return 1;
}

/* FsmState._prepare_visit, for a state with actions that nobody observes. */
static PyObject *prepare_visit(PyObject *fsm, PyObject *state)
{
    PyObject *actions = AT(state, of_state, STATE_ACTIONS), *transitions = AT(state, of_state, TRANSITIONS);
    if (!IS(fsm, of_fsm, OBSERVERS, Py_None) || actions == NULL || !PyTuple_CheckExact(actions)
        || PyTuple_GET_SIZE(actions) == 0 || !all_plain(transitions) || !all_ordinary(actions))
        return PyObject_CallMethodNoArgs(state, s_prepare);
    PyObject *visit = Visit->tp_alloc(Visit, 0);
    if (visit == NULL) return NULL;
    static const int slots[CALLBACKS] = {ENTERS, UPDATES, EXITS, LISTENERS};
    AT(visit, of_visit, ACTIONS) = Py_NewRef(actions);
    for (int i = 0; i < CALLBACKS; i++)
        if ((AT(visit, of_visit, slots[i]) = overridden(i, actions)) == NULL) goto failed;
    PyObject *listeners = AT(visit, of_visit, LISTENERS);
    AT(visit, of_visit, ROUTES) = Py_NewRef(PyTuple_GET_SIZE(listeners) ? NOWHERE : transitions);
    if ((AT(visit, of_visit, SIZE) = PyLong_FromSsize_t(PyTuple_GET_SIZE(actions))) == NULL) goto failed;
    put(state, of_state, STATE_VISIT, visit);
    return visit;
failed:
    Py_DECREF(visit);
    return NULL;
}

/* Visit.ending_with: with the hook that tidies up, and without updates of `action`. */
static PyObject *rested(PyObject *fsm, PyObject *visit, PyObject *action)
{
    PyObject *updates = AT(visit, of_visit, UPDATES), *exits = AT(visit, of_visit, EXITS);
    Py_ssize_t count = PyTuple_GET_SIZE(updates), kept = 0, last = PyTuple_GET_SIZE(exits);
    PyObject *copy = Visit->tp_alloc(Visit, 0), *left = PyTuple_New(count), *end = NULL;
    if (copy == NULL || left == NULL) goto failed;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *hook = PyTuple_GET_ITEM(updates, i);
        if (!PyTuple_CheckExact(hook) || PyTuple_GET_SIZE(hook) != 2 || PyTuple_GET_ITEM(hook, 1) != action)
            PyTuple_SET_ITEM(left, kept++, Py_NewRef(hook));
    }
    if (kept < count && _PyTuple_Resize(&left, kept) < 0) goto failed;
    for (int slot = 0; slot < VISIT_SLOTS; slot++)
        AT(copy, of_visit, slot) = Py_XNewRef(AT(visit, of_visit, slot));
    Py_SETREF(AT(copy, of_visit, UPDATES), left);
    left = NULL;
    if ((end = PyTuple_Pack(2, end_visit_method, fsm)) == NULL) goto failed;
    int is_there = PySequence_Contains(exits, end);
    if (is_there < 0) goto failed;
    if (!is_there) {
        PyObject *more = PyTuple_New(last + 1);
        if (more == NULL) goto failed;
        for (Py_ssize_t i = 0; i < last; i++) PyTuple_SET_ITEM(more, i, Py_NewRef(PyTuple_GET_ITEM(exits, i)));
        PyTuple_SET_ITEM(more, last, Py_NewRef(end));
        Py_SETREF(AT(copy, of_visit, EXITS), more);
    }
    Py_DECREF(end);
    return copy;
failed:
    Py_XDECREF(copy);
    Py_XDECREF(left);
    Py_XDECREF(end);
    return NULL;
}

/* The walk */

/* Hand what a callback has raised to Fsm._fail. */
static int fail(PyObject *fsm)
{
    PyObject *error = taken_error();
    int done = call(fsm, s_fail, error);
    Py_DECREF(error);
    return done;
}

/* Make `target` current; give the hooks to enter it with. */
static PyObject *make_current(PyObject *fsm, PyObject *target, PyObject *event, PyObject *data)
{
    PyObject *current = get(fsm, of_fsm, CURRENT), *visit;
    if (current == NULL || get(fsm, of_fsm, TIME) == NULL) return NULL;
    put(fsm, of_fsm, PREVIOUS, current);
    put(fsm, of_fsm, CURRENT, target);
    put(fsm, of_fsm, LAST_EVENT, event);
    put(fsm, of_fsm, EVENT_DATA, data);
    put(fsm, of_fsm, ENTERED_AT, AT(fsm, of_fsm, TIME));
    if (target == Py_None)
        visit = Py_NewRef(NO_VISIT);
    else {
        visit = get(target, of_state, STATE_VISIT);
        visit = visit == NULL ? NULL : visit == Py_None ? prepare_visit(fsm, target) : Py_NewRef(visit);
    }
    if (visit == NULL) return NULL;
    put(fsm, of_fsm, VISIT, visit);
    PyObject *hooks = Py_IS_TYPE(visit, Visit) ? hooks_of(visit, ENTERS) : NULL;
    if (hooks == NULL) PyErr_Format(PyExc_TypeError, "%R is not a visit", visit);
    Py_XINCREF(hooks);
    Py_DECREF(visit);
    return hooks;
}

/* Fsm.process_state_actions: 1 if something has to be settled, 0 if not, -1 if it raises. */
static int walk(PyObject *fsm, PyObject *phase, PyObject *hooks, PyObject *target, PyObject *event, PyObject *data)
{
    int failed = 0, outcome = -1;
    Py_INCREF(hooks);
    for (;;) {
        put(fsm, of_fsm, PHASE, phase);
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(hooks); i++) {
            PyObject *hook = PyTuple_GET_ITEM(hooks, i);
            if (!PyTuple_CheckExact(hook) || PyTuple_GET_SIZE(hook) != 2) {
                PyErr_Format(PyExc_TypeError, "%R is not a pair (function, action)", hook);
                goto over;
            }
            PyObject *arguments[2] = {NULL, PyTuple_GET_ITEM(hook, 1)};
            put(fsm, of_fsm, ACTING, arguments[1]);
            PyObject *answer = PyObject_Vectorcall(
                PyTuple_GET_ITEM(hook, 0), arguments + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
            if (answer == NULL) {
                if (fail(fsm) < 0) goto over;
                if (phase != EXIT) { outcome = 1; goto over; }
                failed = 1;
            } else
                Py_DECREF(answer);
            PyObject *interrupted = get(fsm, of_fsm, INTERRUPTED);
            if (interrupted == NULL) goto over;
            if (interrupted != Py_False) { outcome = 1; goto over; }
        }
        if (phase != EXIT) break;
        PyObject *enters = make_current(fsm, target, event, data);
        if (enters == NULL) goto over;
        Py_SETREF(hooks, enters);
        if (target == Py_None) break;
        phase = ENTER;
    }
    outcome = failed;
over:
    Py_DECREF(hooks);
    return outcome;
}

/* Fsm.process_state_actions */
VECTORCALL(process_state_actions)
{
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    if (!PLAIN_CALL(Fsm, 3, 6) || !PyTuple_CheckExact(args[2])) FALL_BACK;
    PyObject *target = n > 3 ? args[3] : Py_None;
    if (target != Py_None && !is_state(target)) FALL_BACK;
    int done = walk(args[0], args[1], args[2], target, n > 4 ? args[4] : Py_None, n > 5 ? args[5] : Py_None);
    return done < 0 ? NULL : PyBool_FromLong(done);
}

/* Deciding and settling */

/* Fsm._dispatch of an event sent in a callback that leads straight to a change; 0 if it does not. */
static int decide(PyObject *fsm, PyObject *event, PyObject *data)
{
    PyObject *state = AT(fsm, of_fsm, CURRENT), *phase = AT(fsm, of_fsm, PHASE), *visit = visit_of(fsm);
    PyObject *globals = AT(fsm, of_fsm, GLOBALS);
    if (visit == NULL || (phase != ENTER && phase != UPDATE && phase != EVENT && phase != BETWEEN) || !is_state(state)
        || !IS(fsm, of_fsm, NEXT, Py_None) || !IS(fsm, of_fsm, CARRY_TIME, Py_False)
        || !IS(fsm, of_fsm, OBSERVERS, Py_None) || !IS_EMPTY_TUPLE(AT(visit, of_visit, LISTENERS)))
        return 0;
    PyObject *transitions = AT(state, of_state, TRANSITIONS);
    if (!IS_DICT(transitions) || !IS_DICT(globals)) return 0;
    PyObject *target = PyDict_GetItemWithError(transitions, event);
    if (target == NULL && !PyErr_Occurred()) {
        target = PyDict_GetItemWithError(globals, event);
        if (target == state) return 0;
    }
    if (!is_state(target)) return PyErr_Occurred() ? -1 : 0;
    PyObject *change = PyTuple_Pack(3, target, event, data);
    if (change == NULL) return -1;
    put(fsm, of_fsm, NEXT, change);
    put(fsm, of_fsm, INTERRUPTED, Py_True);
    Py_DECREF(change);
    return 1;
}

/* Fsm._settle, for a first change that leads no further; else the Python method does the rest. */
static int settle(PyObject *fsm)
{
    PyObject *change = AT(fsm, of_fsm, NEXT), *exits = hooks_of(visit_of(fsm), EXITS), *target;
    if (exits == NULL || change == NULL || !PyTuple_CheckExact(change) || PyTuple_GET_SIZE(change) != 3
        || !IS(fsm, of_fsm, PHASE, UPDATE)
        || ((target = PyTuple_GET_ITEM(change, 0)) != Py_None && !is_state(target)))
        return call(fsm, s_rest, NULL) < 0 ? -1 : call(fsm, s_settle, NULL);
    Py_INCREF(change);
    put(fsm, of_fsm, NEXT, Py_None);
    put(fsm, of_fsm, INTERRUPTED, Py_False);
    int done = walk(fsm, EXIT, exits, target, PyTuple_GET_ITEM(change, 1), PyTuple_GET_ITEM(change, 2));
    Py_DECREF(change);
    if (done == 0 && IS(fsm, of_fsm, NEXT, Py_None) && IS_EMPTY_TUPLE(AT(fsm, of_fsm, FAILURES))
        && IS_EMPTY_TUPLE(AT(fsm, of_fsm, QUEUE)) && IS(fsm, of_fsm, OBSERVERS, Py_None))
        return 0;
    return done < 0 ? -1 : call(fsm, s_settle, one);
}

/* The end of a call from outside: Fsm._reset_after_error after an error, and at rest in any case. */
static PyObject *at_rest(PyObject *fsm, int done, PyObject *answer)
{
    PyObject *error = NULL;
    if (done < 0) {
        error = taken_error();
        if (call(fsm, s_reset, error) < 0) Py_SETREF(error, taken_error());
    }
    put(fsm, of_fsm, PHASE, Py_None);
    if (error == NULL) {
        if (!looks_away(fsm) && call(fsm, s_raise, NULL) < 0) return NULL;
        return Py_NewRef(answer);
    }
    give_error(error);
    return NULL;
}

/* Fsm.send_event */
VECTORCALL(send_event)
{
    if (!PLAIN_CALL(Fsm, 2, 3) || !PyUnicode_CheckExact(args[1])) FALL_BACK;
    PyObject *fsm = args[0], *event = args[1], *data = PyVectorcall_NARGS(nargsf) == 3 ? args[2] : Py_None;
    if (!IS(fsm, of_fsm, PHASE, Py_None)) {
        int decided = decide(fsm, event, data);
        if (decided == 0) FALL_BACK;
        return decided < 0 ? NULL : Py_NewRef(Py_True);
    }
    PyObject *visit = visit_of(fsm), *exits = hooks_of(visit, EXITS), *routes;
    if (exits == NULL || !IS(fsm, of_fsm, HOST, Py_None) || (routes = AT(visit, of_visit, ROUTES), !IS_DICT(routes)) || !WALKS_PLAINLY(fsm))
        FALL_BACK;
    PyObject *target = PyDict_GetItemWithError(routes, event);
    if (!is_state(target)) {
        if (PyErr_Occurred()) return NULL;
        FALL_BACK;
    }
    Py_INCREF(target);
    int done = walk(fsm, EXIT, exits, target, event, data);
    Py_DECREF(target);
    return at_rest(fsm, done == 1 ? call(fsm, s_settle, one) : done, Py_True);
}

/* Whether Fsm._deliver has something to do `seconds` from now; -1 if that is for Python to say. */
static int something_waits(PyObject *fsm, double seconds)
{
    PyObject *delayed = AT(fsm, of_fsm, DELAYED), *posted = AT(fsm, of_fsm, POSTED), *queue = AT(fsm, of_fsm, QUEUE);
    if (delayed == NULL || !PyList_CheckExact(delayed) || posted == NULL || queue == NULL) return -1;
    if (!IS_EMPTY_LIST(posted) || !IS_EMPTY_TUPLE(queue)) return 1;
    if (PyList_GET_SIZE(delayed) == 0) return 0;
    PyObject *first = PyList_GET_ITEM(delayed, 0);
    PyObject *due = Py_IS_TYPE(first, Delayed) ? AT(first, of_delayed, DUE) : NULL;
    if (due == NULL || !PyFloat_CheckExact(due)) return -1;
    return PyFloat_AS_DOUBLE(due) <= PyFloat_AS_DOUBLE(AT(fsm, of_fsm, TIME)) + seconds + TOLERANCE;
}

/* Fsm.update */
VECTORCALL(update)
{
    if (!PLAIN_CALL(Fsm, 2, 2) || !PyFloat_CheckExact(args[1])) FALL_BACK;
    PyObject *fsm = args[0], *time = AT(fsm, of_fsm, TIME), *updates;
    double seconds = PyFloat_AS_DOUBLE(args[1]);
    int waits, done = 0;
    if (!(0.0 <= seconds && seconds < Py_HUGE_VAL) || !IS(fsm, of_fsm, PHASE, Py_None)
        || !looks_away(fsm) || !is_state(AT(fsm, of_fsm, CURRENT)) || time == NULL
        || !IS(fsm, of_fsm, CARRY_TIME, Py_False)
        || !PyFloat_CheckExact(time) || (updates = hooks_of(visit_of(fsm), UPDATES)) == NULL
        || !WALKS_PLAINLY(fsm) || (waits = something_waits(fsm, seconds)) < 0)
        FALL_BACK;
    PyObject *now = PyFloat_FromDouble(PyFloat_AS_DOUBLE(time) + seconds);
    if (now == NULL) return NULL;
    put(fsm, of_fsm, TIME, now);
    put(fsm, of_fsm, DELTA_TIME, args[1]);
    Py_DECREF(now);
    if (waits) {
        PyObject *changed = PyObject_CallMethodOneArg(fsm, s_begin, args[1]);
        waits = changed == NULL ? -1 : PyObject_IsTrue(changed);
        Py_XDECREF(changed);
        if (waits == 0 && (updates = hooks_of(visit_of(fsm), UPDATES)) == NULL) {
            PyErr_SetString(PyExc_AttributeError, "_visit");
            waits = -1;
        }
    }
    if (waits < 0)
        done = -1;
    else if (!waits) {
        done = walk(fsm, UPDATE, updates, Py_None, Py_None, Py_None);
        if (done == 1) done = settle(fsm);
    }
    return at_rest(fsm, done, Py_None);
}

/* Finishing */

/* Fsm._send_finished */
static int send_finished(PyObject *fsm)
{
    PyObject *state = AT(fsm, of_fsm, CURRENT), *globals = AT(fsm, of_fsm, GLOBALS), *transitions;
    if (!is_state(state) || !IS(fsm, of_fsm, NEXT, Py_None) || globals == NULL || !PyDict_CheckExact(globals)
        || (transitions = AT(state, of_state, TRANSITIONS)) == NULL || !PyDict_CheckExact(transitions))
        return 0;
    int known = PyDict_Contains(transitions, FINISHED);
    if (known == 0) known = PyDict_Contains(globals, FINISHED);
    if (known <= 0) return known;
    if (has_base(fsm, Fsm, s_send_event, send_event_method)) {
        int decided = decide(fsm, FINISHED, Py_None);
        if (decided != 0) return decided;
    }
    return call(fsm, s_send_event, FINISHED);
}


/* FsmAction.finish, called by the action itself while it is entered or updated. */
VECTORCALL(finish)
{
    if (!PLAIN_CALL(Action, 1, 2)) FALL_BACK; /* what was not needed counts where time is carried over */
    PyObject *action = args[0], *fsm = attribute(action, s_action_fsm), *visit, *event, *count;
    Py_XDECREF(fsm); /* the action holds it */
    if (fsm == NULL || !PyObject_TypeCheck(fsm, Fsm) || !IS(fsm, of_fsm, OBSERVERS, Py_None)
        || !IS(fsm, of_fsm, ACTING, action)
        || !(IS(fsm, of_fsm, PHASE, UPDATE) || IS(fsm, of_fsm, PHASE, ENTER)) || (visit = visit_of(fsm)) == NULL
        || hooks_of(visit, UPDATES) == NULL || hooks_of(visit, EXITS) == NULL
        || (count = AT(fsm, of_fsm, FINISHED_COUNT)) == NULL || !PyLong_CheckExact(count)
        || !IS(fsm, of_fsm, CARRY_TIME, Py_False) || !attribute_is(action, s_background, Py_False)
        || !attribute_is(action, s_action_parent, Py_None) || !attribute_is(action, s_action_finished, Py_False))
        FALL_BACK;
    PyObject *result = NULL, *more = PyNumber_Add(count, one), *left = rested(fsm, visit, action);
    Py_INCREF(fsm);
    if (more == NULL || left == NULL || PyObject_SetAttr(action, s_action_finished, Py_True) < 0) goto over;
    put(fsm, of_fsm, FINISHED_COUNT, more);
    put(fsm, of_fsm, VISIT, left);
    if ((event = PyObject_GetAttr(action, s_finish_event)) == NULL) goto over;
    int done = event == Py_None ? 0 : call(fsm, s_send_event, event);
    Py_DECREF(event);
    if (done < 0) goto over;
    PyObject *finished = get(fsm, of_fsm, FINISHED_COUNT);
    PyObject *size = finished == NULL || (visit = visit_of(fsm)) == NULL ? NULL : get(visit, of_visit, SIZE);
    if (size == NULL) goto over;
    int all = PyObject_RichCompareBool(finished, size, Py_EQ);
    if (all < 0 || (all && send_finished(fsm) < 0)) goto over;
    result = Py_NewRef(Py_None);
over:
    Py_XDECREF(more);
    Py_XDECREF(left);
    Py_DECREF(fsm);
    return result;
}

/* Fsm._end_visit, with nobody looking on and no delayed events. */
VECTORCALL(end_visit)
{
    if (!PLAIN_CALL(Fsm, 1, 1)) FALL_BACK;
    PyObject *fsm = args[0], *state, *actions;
    if (!IS(fsm, of_fsm, OBSERVERS, Py_None) || !IS_EMPTY_LIST(AT(fsm, of_fsm, DELAYED))
        || !is_state(state = AT(fsm, of_fsm, CURRENT)) || (actions = AT(state, of_state, STATE_ACTIONS)) == NULL
        || !PyTuple_CheckExact(actions))
        FALL_BACK;
    put(fsm, of_fsm, ACTING, Py_None);
    Py_INCREF(actions);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(actions); i++) {
        PyObject *action = PyTuple_GET_ITEM(actions, i);
        if (!attribute_is(action, s_action_finished, Py_False)
            && PyObject_SetAttr(action, s_action_finished, Py_False) < 0) {
            Py_DECREF(actions);
            return NULL;
        }
    }
    Py_DECREF(actions);
    put(fsm, of_fsm, FINISHED_COUNT, zero);
    Py_RETURN_NONE;
}

/* Building */

static inline int is_name(PyObject *x) { return PyUnicode_CheckExact(x) && PyUnicode_GET_LENGTH(x) > 0; }

/* Definition.add_state */
VECTORCALL(add_state)
{
    if (!PLAIN_CALL(Fsm, 2, 2)) FALL_BACK;
    PyObject *fsm = args[0], *states;
    if (!is_name(args[1]) || !IS(fsm, of_fsm, PHASE, Py_None) || !IS(fsm, of_fsm, OBSERVERS, Py_None)
        || (states = AT(fsm, of_fsm, STATES), !IS_DICT(states)) || PyDict_Contains(states, args[1]) != 0)
        FALL_BACK;
    PyObject *state = State->tp_alloc(State, 0);
    if (state == NULL) return NULL;
    AT(state, of_state, STATE_FSM) = Py_NewRef(fsm);
    AT(state, of_state, STATE_NAME) = Py_NewRef(args[1]);
    AT(state, of_state, FINAL) = Py_NewRef(Py_False);
    AT(state, of_state, STATE_ACTIONS) = PyTuple_New(0);
    AT(state, of_state, TRANSITIONS) = PyDict_New();
    AT(state, of_state, STATE_VISIT) = Py_NewRef(Py_None);
    if (AT(state, of_state, TRANSITIONS) == NULL || PyDict_SetItem(states, args[1], state) < 0) Py_CLEAR(state);
    return state;
}

/* The machine of a state, at rest; borrowed, NULL if anything is unusual. */
static PyObject *machine_of(PyObject *state)
{
    PyObject *fsm = AT(state, of_state, STATE_FSM);
    return fsm != NULL && PyObject_TypeCheck(fsm, Fsm) && IS(fsm, of_fsm, PHASE, Py_None)
        && IS(fsm, of_fsm, OBSERVERS, Py_None) ? fsm : NULL;
}

/* FsmState.add_transition, of one that is no more than its target */
VECTORCALL(add_transition)
{
    PyObject *fsm, *states, *name, *transitions;
    if (!PLAIN_CALL(State, 3, 3) || !is_name(args[1]) || !is_state(args[2]) || (fsm = machine_of(args[0])) == NULL
        || (states = AT(fsm, of_fsm, STATES)) == NULL || !PyDict_CheckExact(states)
        || !IS(args[0], of_state, STATE_VISIT, Py_None) || IS(fsm, of_fsm, CURRENT, args[0])
        || (name = AT(args[2], of_state, STATE_NAME)) == NULL || PyDict_GetItemWithError(states, name) != args[2]
        || (transitions = AT(args[0], of_state, TRANSITIONS)) == NULL || !PyDict_CheckExact(transitions)
        || PyDict_Contains(transitions, args[1]) != 0) {
        PyErr_Clear(); /* a name that cannot be hashed: the Python says so */
        FALL_BACK;
    }
    PyObject *added = Transition->tp_alloc(Transition, 5);
    if (added == NULL) return NULL;
    PyObject *fields[5] = {args[1], args[2], Py_None, Py_None, Py_False};
    for (int i = 0; i < 5; i++) PyTuple_SET_ITEM(added, i, Py_NewRef(fields[i]));
    if (PyDict_SetItem(transitions, args[1], args[2]) < 0) Py_CLEAR(added);
    return added;
}

/* FsmState.add_action, of an action that runs no others and declares nothing unusual */
VECTORCALL(add_action)
{
    if (!PLAIN_CALL(State, 2, 2)) FALL_BACK;
    PyObject *state = args[0], *action = args[1], *fsm, *old;
    if (!PyObject_TypeCheck(action, Action) || (fsm = machine_of(state)) == NULL
        || !has_base(action, Action, s_machines, machines_base)
        || !has_base(action, Action, s_children, children_base) || !has_base(action, Action, s_family, family_base)
        || !attribute_is(action, s_declares, Py_False) || !attribute_is(action, s_background, Py_False)
        || !attribute_is(action, s_action_state, Py_None)
        || (old = AT(state, of_state, STATE_ACTIONS)) == NULL || !PyTuple_CheckExact(old))
        FALL_BACK;
    Py_ssize_t count = PyTuple_GET_SIZE(old);
    PyObject *actions = PyTuple_New(count + 1);
    if (actions == NULL) return NULL;
    for (Py_ssize_t i = 0; i < count; i++) PyTuple_SET_ITEM(actions, i, Py_NewRef(PyTuple_GET_ITEM(old, i)));
    PyTuple_SET_ITEM(actions, count, Py_NewRef(action));
    if (PyObject_SetAttr(action, s_action_state, state) < 0 || PyObject_SetAttr(action, s_action_fsm, fsm) < 0) {
        Py_DECREF(actions);
        return NULL;
    }
    put(state, of_state, STATE_ACTIONS, actions);
    put(state, of_state, STATE_VISIT, Py_None);
    Py_DECREF(actions);
    return Py_NewRef(action);
}

/* Installing */

static const struct { const char *owner, *name; vectorcallfunc fast; PyObject **kept; } METHODS[] = {
    {"Processing", "process_state_actions", process_state_actions, &walk_method},
    {"Fsm", "send_event", send_event, &send_event_method},
    {"Fsm", "update", update, NULL},
    {"Processing", "_end_visit", end_visit, &end_visit_method},
    {"FsmAction", "finish", finish, NULL},
    {"Definition", "add_state", add_state, NULL},
    {"FsmState", "add_transition", add_transition, NULL},
    {"FsmState", "add_action", add_action, NULL},
};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Learn where the slots of a class lie; -1 with a TypeError if one is not there. */
static int locate(PyTypeObject *type, Slot *slots)
{
    for (; slots->name != NULL; slots++) {
        PyObject *member = PyObject_GetAttrString((PyObject *)type, slots->name);
        int is_slot = member != NULL && Py_IS_TYPE(member, &PyMemberDescr_Type)
            && ((PyMemberDescrObject *)member)->d_member->type == T_OBJECT_EX;
        if (is_slot) slots->offset = ((PyMemberDescrObject *)member)->d_member->offset;
        Py_XDECREF(member);
        if (!is_slot) {
            PyErr_Format(PyExc_TypeError, "%s.%s is not a slot", type->tp_name, slots->name);
            return -1;
        }
    }
    return 0;
}

#define NEED(variable, object, name) if (((variable) = PyObject_GetAttrString(object, name)) == NULL) return NULL

#if PY_VERSION_HEX < 0x030C0000 /* later, the interpreter reads a property of Python's faster than of C's */
/* FsmAction.fsm */
static PyObject *fsm_of(PyObject *Py_UNUSED(module), PyObject *action)
{
    PyObject *fsm = attribute(action, s_action_fsm);
    return fsm != NULL ? fsm : Py_NewRef(Py_None);
}
static PyMethodDef fsm_getter = {"fsm", fsm_of, METH_O, NULL};

static int put_getter(void)
{
    PyObject *old = PyObject_GetAttrString((PyObject *)Action, "fsm"), *function = PyCFunction_New(&fsm_getter, NULL);
    PyObject *text = old == NULL ? NULL : PyObject_GetAttrString(old, "__doc__");
    PyObject *setter = old == NULL ? NULL : PyObject_GetAttrString(old, "fset"), *property = NULL;
    if (text != NULL && setter != NULL && function != NULL)
        property = PyObject_CallFunctionObjArgs((PyObject *)&PyProperty_Type, function, setter, Py_None, text, NULL);
    int done = property == NULL ? -1 : PyObject_SetAttrString((PyObject *)Action, "fsm", property);
    Py_XDECREF(old); Py_XDECREF(function); Py_XDECREF(text);
    Py_XDECREF(setter); Py_XDECREF(property);
    return done;
}
#else
static int put_getter(void) { return 0; }
#endif

/* install(core): put the methods in; `core` has the classes and constants by name. Nothing is changed
 * if something is missing. */
static PyObject *install(PyObject *Py_UNUSED(module), PyObject *core)
{
    PyObject *tolerance, *owners[COUNT(METHODS)], *methods[COUNT(METHODS)];
    struct { const char *name; PyTypeObject **type; Slot *slots; } classes[] = {
        {"Fsm", &Fsm, of_fsm}, {"FsmState", &State, of_state}, {"Visit", &Visit, of_visit},
        {"DelayedEvent", &Delayed, of_delayed}, {"Observers", &Observers, of_observers}, {"FsmAction", &Action, NULL}, {"Transition", &Transition, NULL}};
    struct { const char *name; PyObject **value; } constants[] = {
        {"ENTER", &ENTER}, {"UPDATE", &UPDATE}, {"EXIT", &EXIT}, {"EVENT", &EVENT}, {"BETWEEN", &BETWEEN}, {"FINISHED", &FINISHED}, {"NO_VISIT", &NO_VISIT},
        {"NOWHERE", &NOWHERE}, {"TIME_TOLERANCE", &tolerance}};
    struct { const char *name; PyObject **word; } words[] = {
        {"_fail", &s_fail}, {"_settle", &s_settle}, {"_reset_after_error", &s_reset}, {"_update_the_rest", &s_rest},
        {"_begin_update", &s_begin}, {"_prepare_visit", &s_prepare}, {"send_event", &s_send_event},
        {"process_state_actions", &s_walk}, {"_raise_errors_of_observers", &s_raise}, {"background", &s_background}, {"machines", &s_machines}, {"children", &s_children},
        {"_fsmkit_declares", &s_declares},
        {"_fsmkit_family", &s_family}, {"enabled", &s_enabled}, {"_fsmkit_state", &s_action_state},
        {"_fsmkit_fsm", &s_action_fsm}, {"_fsmkit_parent", &s_action_parent}, {"_fsmkit_enabled", &s_action_enabled},
        {"_fsmkit_finished", &s_action_finished}, {"finish_event", &s_finish_event},
        {"on_enter", &callback_names[ON_ENTER]}, {"on_update", &callback_names[ON_UPDATE]},
        {"on_exit", &callback_names[ON_EXIT]}, {"on_event", &callback_names[ON_EVENT]}};
    for (size_t i = 0; i < COUNT(words); i++)
        if ((*words[i].word = PyUnicode_InternFromString(words[i].name)) == NULL) return NULL;
    for (size_t i = 0; i < COUNT(classes); i++) {
        NEED(*(PyObject **)classes[i].type, core, classes[i].name);
        if (!PyType_Check(*classes[i].type)) return PyErr_Format(PyExc_TypeError, "%s is not a class", classes[i].name);
        if (classes[i].slots != NULL && locate(*classes[i].type, classes[i].slots) < 0) return NULL;
    }
    for (size_t i = 0; i < COUNT(constants); i++) NEED(*constants[i].value, core, constants[i].name);
    TOLERANCE = PyFloat_AsDouble(tolerance);
    PyObject *action = (PyObject *)Action, *needed[] = {s_fail, s_settle, s_reset, s_rest, s_begin, s_raise};
    for (size_t i = 0; i < COUNT(needed); i++)
        if (!PyObject_HasAttr((PyObject *)Fsm, needed[i]))
            return PyErr_Format(PyExc_TypeError, "Fsm has no %U", needed[i]);
    for (int i = 0; i < CALLBACKS; i++)
        if ((callback_bases[i] = PyObject_GetAttr(action, callback_names[i])) == NULL) return NULL;
    NEED(children_base, action, "children");
    NEED(family_base, action, "_fsmkit_family");
    NEED(machines_base, action, "machines");
    NEED(enabled_base, action, "enabled");
    for (size_t i = 0; i < COUNT(METHODS); i++) {
        Method *method = PyObject_New(Method, &MethodType);
        if (method == NULL) return NULL;
        method->fast = METHODS[i].fast;
        NEED(owners[i], core, METHODS[i].owner);
        NEED(method->python, owners[i], METHODS[i].name);
        if (!PyFunction_Check(method->python))
            return PyErr_Format(PyExc_TypeError, "%s.%s is not a function", METHODS[i].owner, METHODS[i].name);
        methods[i] = (PyObject *)method;
        if (METHODS[i].kept != NULL) *METHODS[i].kept = methods[i];
    }
    for (size_t i = 0; i < COUNT(METHODS); i++)
        if (PyObject_SetAttrString(owners[i], METHODS[i].name, methods[i]) < 0) return NULL;
    if (put_getter() < 0) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"install", install, METH_O, "Put the methods of the kernel into the classes."}, {NULL}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "fsmkit.core._kernel", "Faster bodies for a few methods of fsmkit.core.", -1, functions};

PyMODINIT_FUNC PyInit__kernel(void)
{
    if (PyType_Ready(&MethodType) < 0) return NULL;
    zero = PyLong_FromLong(0);
    one = PyLong_FromLong(1);
    return zero == NULL || one == NULL ? NULL : PyModule_Create(&definition);
}
