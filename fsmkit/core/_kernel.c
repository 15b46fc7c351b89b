/* The kernel: faster bodies for a few methods of fsmkit.core.
 *
 * The Python beside this file says what a machine does. `install` learns where the slots of its
 * classes lie and puts a `Method` in the place of each method named below. A Method calls the C
 * function of that name, which does what the Python does in the usual case. In every other case
 * (observers, something that waits, an argument of another kind, a subclass with a walk of its own, an
 * attribute that has been deleted) it falls back: it calls the Python method that it stands for,
 * before anything has been changed. Errors are handled by the Python methods `_fail_`, `_settle_` and
 * `_reset_after_error_`. What is read before a call or an allocation is held by a reference: either may run
 * finalizers, which may do anything to the machine.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

/* Slots: where they lie in the instances, by class. */
typedef struct { const char *name; Py_ssize_t offset; } Slot;

enum { STATES, GLOBALS, PHASE, ACTING, NEXT, FAILURES, QUEUE, POSTED, DELAYED, OBSERVERS, VISIT, PREVIOUS, TIME,
       DELTA_TIME, STEP, HOST, HALTED };
static Slot of_fsm[] = {
    {"_states_"}, {"_global_transitions_"}, {"_phase_"}, {"_acting_"}, {"_next_"}, {"_failures_"}, {"_queue_"},
    {"_posted_"}, {"_delayed_"}, {"_observers_"}, {"_visit_"}, {"previous_state"}, {"_time_"}, {"delta_time"},
    {"_step_"}, {"_host_"}, {"_halted_"}, {NULL}};

enum { STATE_FSM, STATE_NAME, FINAL, STATE_ACTIONS, TRANSITIONS, STATE_VISIT };
static Slot of_state[] = {
    {"_fsm"}, {"_name"}, {"final"}, {"_actions"}, {"_transitions"}, {"_visit"}, {NULL}};

enum { STATE, LED_HERE, DATA, SINCE, ACTIONS, SIZE, FINISHED_COUNT, ANNOUNCED, FINISHED_DUE, EXITED, BELOW, PASSED,
       VISIT_DELAYED, SPECIAL, KINDS, UPDATES, EVERY_UPDATE, LISTENERS, ENTERS, EXITS, ROUTES };
static Slot of_visit[] = {
    {"state"}, {"event"}, {"data"}, {"since"}, {"actions"}, {"size"}, {"finished"}, {"is_announced"}, {"is_due"},
    {"is_exited"}, {"below"}, {"passed"}, {"delayed"}, {"is_special"}, {"kinds"}, {"updates"}, {"every_update"},
    {"listeners"}, {"enters"}, {"exits"}, {"routes"}, {NULL}};

enum { DUE, ERRORS = 0, NOTIFYING, IGNORES_UPDATES };
static Slot of_delayed[] = {{"due"}, {NULL}}, of_observers[] = {{"errors"}, {"notifying"}, {"ignores_updates"}, {NULL}};

static PyTypeObject *Fsm, *State, *Action, *Visit, *Delayed, *Transition, *Observers;
static PyObject *ENTER, *UPDATE, *EXIT, *EVENT, *BETWEEN, *FINISHED, *NOWHERE, *STRUCK_OUT;
static double TOLERANCE;

/* The callbacks that an action may override, as FsmAction has them. */
enum { ON_ENTER, ON_UPDATE, ON_EXIT, ON_EVENT, ON_SUSPEND, ON_RESUME, CALLBACKS };
static PyObject *callback_names[CALLBACKS], *callback_bases[CALLBACKS];

static PyObject *s_fail, *s_settle, *s_reset, *s_begin, *s_prepare, *s_enter, *s_leave, *s_send_event, *s_walk,
    *s_children, *s_family, *s_enabled, *s_action_state, *s_action_fsm, *s_action_parent, *s_action_enabled,
    *s_action_finished, *s_finish_event, *s_background, *s_machines, *s_raise, *s_declares, *s_is_stale, *s_owe, *s_kind, *s_finish;
static PyObject *walk_method, *send_event_method, *prepare_method, *children_base, *family_base, *enabled_base, *machines_base;
static PyObject *kind_of, *zero, *one, *nought, *no = Py_False, *none = Py_None;

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
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
#define IS_TUPLE_OR_LIST(x) ((x) != NULL && (PyTuple_CheckExact(x) || PyList_CheckExact(x)))
#define IS_TUPLE(x) ((x) != NULL && PyTuple_CheckExact(x))
#define IS_EMPTY_TUPLE(x) ((x) != NULL && PyTuple_CheckExact(x) && PyTuple_GET_SIZE(x) == 0)

static inline int is_state(PyObject *x) { return x != NULL && PyObject_TypeCheck(x, State); }
/* Whether nobody looks on, or those who do need not be told of an update in which nothing else happens. */
static int looks_away(PyObject *fsm)
{
    PyObject *observers = AT(fsm, of_fsm, OBSERVERS);
    return observers == Py_None
        || (observers != NULL && Py_IS_TYPE(observers, Observers) && IS(observers, of_observers, NOTIFYING, Py_None)
            && IS(observers, of_observers, IGNORES_UPDATES, Py_True)
            && IS_EMPTY_LIST(AT(observers, of_observers, ERRORS)));
}

/* What a slot holds, as a reference: a call or an allocation may let go of it. NULL, without an error, if nothing. */
static inline PyObject *held(PyObject *object, Slot *slots, int slot) { return Py_XNewRef(AT(object, slots, slot)); }

/* The visit of a machine, as a reference; NULL, without an error, if it is not as it has to be. */
static inline PyObject *visit_of(PyObject *fsm)
{
    PyObject *visit = AT(fsm, of_fsm, VISIT);
    return visit != NULL && Py_IS_TYPE(visit, Visit) ? Py_NewRef(visit) : NULL;
}

/* The hooks of a kind, as a reference; NULL, without an error, if they are no sequence. */
#define HOOKS_OF(visit, kind) \
    (IS_TUPLE_OR_LIST(AT(visit, of_visit, kind)) ? Py_NewRef(AT(visit, of_visit, kind)) : NULL)

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
    Py_XDECREF(type); Py_XDECREF(traceback);
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

static PyObject *of_python(PyObject *method, void *name) { return PyObject_GetAttrString(((Method *)method)->python, name); }
static PyObject *method_reduce(PyObject *method, PyObject *Py_UNUSED(none)) { return of_python(method, "__qualname__"); }
static PyObject *method_repr(PyObject *method) { return PyObject_Repr(((Method *)method)->python); }

static PyGetSetDef method_getset[] = {
    {"__class__", of_python, NULL, NULL, "__class__"}, {"__doc__", of_python, NULL, NULL, "__doc__"},
    {"__module__", of_python, NULL, NULL, "__module__"}, {NULL}};
static PyMethodDef method_methods[] = {{"__reduce__", method_reduce, METH_NOARGS, NULL}, {NULL}};
static PyTypeObject MethodType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "fsmkit.core._kernel.Method", .tp_basicsize = sizeof(Method),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Method, fast),
    .tp_call = PyVectorcall_Call, .tp_descr_get = method_bind, .tp_getattro = method_getattro,
    .tp_repr = method_repr, .tp_getset = method_getset, .tp_methods = method_methods,
};

#define PLAIN_CALL(type, from, to) \
    (names == NULL && PyVectorcall_NARGS(nargsf) >= (from) && PyVectorcall_NARGS(nargsf) <= (to) \
     && PyObject_TypeCheck(args[0], type))
#define FALL_BACK return fall_back(method, args, nargsf, names)
#define VECTORCALL(name) static PyObject *name(PyObject *method, PyObject *const *args, size_t nargsf, PyObject *names)

/* Visits */
/* hooks.overridden: the hooks of the actions whose class has a callback of its own. */
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

/* Whether an action takes part and has to finish, with no callback set on itself: all as it is unless set. */
static int is_ordinary(PyObject *action)
{
    if (!PyObject_TypeCheck(action, Action) || !has_base(action, Action, s_enabled, enabled_base)
        || !attribute_is(action, s_action_enabled, Py_True) || !attribute_is(action, s_background, Py_False))
        return 0;
    for (int i = 0; i < CALLBACKS; i++) {
        PyObject *own = attribute(action, callback_names[i]);
        PyObject *function = attribute((PyObject *)Py_TYPE(action), callback_names[i]);
        int same = own != NULL && PyMethod_Check(own) && PyMethod_GET_FUNCTION(own) == function;
        Py_XDECREF(own); Py_XDECREF(function);
        if (!same) return 0;
    }
    return 1;
}

/* Whether a list of hooks.kind_of holds for its class, by the version that the class had when Python looked last. */
static int is_known(PyObject *kind)
{
    if (!PyList_CheckExact(kind) || PyList_GET_SIZE(kind) != 3 || !PyType_Check(PyList_GET_ITEM(kind, 0))
        || !PyLong_CheckExact(PyList_GET_ITEM(kind, 2)))
        return 0;
    unsigned int version = ((PyTypeObject *)PyList_GET_ITEM(kind, 0))->tp_version_tag;
    return version != 0 && PyLong_AsUnsignedLongMask(PyList_GET_ITEM(kind, 2)) == version;
}

/* Visit.kinds */
static PyObject *kinds_of(PyObject *actions)
{
    PyObject *kinds = PyTuple_New(PyTuple_GET_SIZE(actions));
    for (Py_ssize_t i = 0; kinds != NULL && i < PyTuple_GET_SIZE(actions); i++) {
        PyObject *type = (PyObject *)Py_TYPE(PyTuple_GET_ITEM(actions, i)), *kind = attribute(type, s_kind);
        if (kind == NULL || !is_known(kind) || PyList_GET_ITEM(kind, 0) != type)
            Py_XSETREF(kind, PyObject_CallOneArg(kind_of, type));
        if (kind == NULL) Py_CLEAR(kinds); else PyTuple_SET_ITEM(kinds, i, kind);
    }
    return kinds;
}

/* Fsm._prepare_, for a state with ordinary actions that nobody observes; a new reference. */
static PyObject *prepare_visit(PyObject *fsm, PyObject *state)
{
    PyObject *actions = held(state, of_state, STATE_ACTIONS), *visit = NULL;
    PyObject *transitions = held(state, of_state, TRANSITIONS);
    if (!IS(fsm, of_fsm, OBSERVERS, Py_None) || !IS(fsm, of_fsm, HOST, Py_None) || actions == NULL
        || !PyTuple_CheckExact(actions) || PyTuple_GET_SIZE(actions) == 0 || !IS_DICT(transitions)
        || !has_base(fsm, Fsm, s_prepare, prepare_method))
        goto python;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(actions); i++)
        if (!is_ordinary(PyTuple_GET_ITEM(actions, i))) goto python;
    if ((visit = Visit->tp_alloc(Visit, 0)) == NULL) goto over;
    static const struct { int slot; PyObject **value; } USUAL[] = {
        {LED_HERE, &none}, {DATA, &none}, {BELOW, &none}, {VISIT_DELAYED, &none}, {FINISHED_COUNT, &zero},
        {SINCE, &nought}, {PASSED, &nought}, {ANNOUNCED, &no}, {FINISHED_DUE, &no}, {EXITED, &no}, {SPECIAL, &no}};
    for (size_t i = 0; i < COUNT(USUAL); i++) AT(visit, of_visit, USUAL[i].slot) = Py_NewRef(*USUAL[i].value);
    AT(visit, of_visit, STATE) = Py_NewRef(state);
    AT(visit, of_visit, ACTIONS) = Py_NewRef(actions);
    static const int slots[] = {ENTERS, EVERY_UPDATE, EXITS, LISTENERS};
    for (int i = 0; i < 4; i++)
        if ((AT(visit, of_visit, slots[i]) = overridden(i, actions)) == NULL) goto failed;
    int listens = PyTuple_GET_SIZE(AT(visit, of_visit, LISTENERS)) > 0;
    AT(visit, of_visit, ROUTES) = Py_NewRef(listens ? NOWHERE : transitions);
    if ((AT(visit, of_visit, UPDATES) = PySequence_List(AT(visit, of_visit, EVERY_UPDATE))) == NULL
        || (AT(visit, of_visit, SIZE) = PyLong_FromSsize_t(PyTuple_GET_SIZE(actions))) == NULL
        || (AT(visit, of_visit, KINDS) = kinds_of(actions)) == NULL)
        goto failed;
    put(state, of_state, STATE_VISIT, visit);
    goto over;
python:
    visit = PyObject_CallMethodOneArg(fsm, s_prepare, state);
    goto over;
failed:
    Py_CLEAR(visit);
over:
    Py_XDECREF(actions); Py_XDECREF(transitions);
    return visit;
}

/* Whether the classes of a visit are as they were: not Visit.is_stale; -1 if that raises. */
static int is_fresh(PyObject *visit)
{
    PyObject *kinds = held(visit, of_visit, KINDS), *stale = NULL;
    int fresh = kinds != NULL && PyTuple_CheckExact(kinds);
    for (Py_ssize_t i = 0; fresh == 1 && i < PyTuple_GET_SIZE(kinds); i++) {
        PyObject *kind = PyTuple_GET_ITEM(kinds, i);
        if (is_known(kind)) continue;
        if (stale == NULL) {
            stale = PyObject_GetAttr(visit, s_is_stale);
            if (stale != Py_False) fresh = stale == NULL ? -1 : 0;
        }
        if (fresh == 1 && PyList_CheckExact(kind) && PyList_GET_SIZE(kind) == 3 && PyType_Check(PyList_GET_ITEM(kind, 0))) {
            PyObject *version = PyLong_FromUnsignedLong(((PyTypeObject *)PyList_GET_ITEM(kind, 0))->tp_version_tag);
            if (version == NULL || PyList_SetItem(kind, 2, version) < 0) fresh = -1;
        }
    }
    Py_XDECREF(kinds); Py_XDECREF(stale);
    return fresh;
}

/* Visit.forget_finished; -1 if it raises. */
static int forget_finished(PyObject *visit)
{
    PyObject *state = AT(visit, of_visit, STATE), *actions = is_state(state) ? held(state, of_state, STATE_ACTIONS) : NULL;
    int done = 0;
    for (Py_ssize_t i = 0; done == 0 && IS_TUPLE(actions) && i < PyTuple_GET_SIZE(actions); i++)
        if (!attribute_is(PyTuple_GET_ITEM(actions, i), s_action_finished, Py_False))
            done = PyObject_SetAttr(PyTuple_GET_ITEM(actions, i), s_action_finished, Py_False);
    Py_XDECREF(actions);
    return done;
}

/* Visit.begin, where nothing is suspended or observed; 0 if that is for Python to do, -1 if it raises. */
static int begin_again(PyObject *visit)
{
    PyObject *size = AT(visit, of_visit, SIZE), *updates = held(visit, of_visit, UPDATES);
    PyObject *every = held(visit, of_visit, EVERY_UPDATE);
    int done = size != NULL && size != zero && updates != NULL && PyList_CheckExact(updates) && every != NULL
        && PyTuple_CheckExact(every);
    if (done == 1 && PyList_SetSlice(updates, 0, PyList_GET_SIZE(updates), every) < 0) done = -1;
    if (done == 1 && forget_finished(visit) < 0) done = -1;
    if (done == 1) {
        put(visit, of_visit, BELOW, Py_None); put(visit, of_visit, FINISHED_COUNT, zero);
        put(visit, of_visit, ANNOUNCED, Py_False); put(visit, of_visit, FINISHED_DUE, Py_False);
        put(visit, of_visit, EXITED, Py_False); put(visit, of_visit, SPECIAL, Py_False);
    }
    Py_XDECREF(updates); Py_XDECREF(every);
    return done;
}

/* The walk */
/* Hand what a callback has raised to Fsm._fail_. */
static int fail(PyObject *fsm, PyObject *action)
{
    PyObject *error = taken_error();
    PyObject *answer = PyObject_CallMethodObjArgs(fsm, s_fail, error, action, NULL);
    Py_DECREF(error); Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

/* Fsm.process_state_actions: 1 if something has to be settled, 0 if not, -1 if it raises. */
static int walk(PyObject *fsm, PyObject *phase, PyObject *hooks)
{
    int failed = 0, outcome = -1;
    Py_INCREF(hooks);
    put(fsm, of_fsm, PHASE, phase);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(hooks); i++) {
        PyObject *hook = PySequence_Fast_GET_ITEM(hooks, i);
        if (hook == STRUCK_OUT) continue;
        if (!PyTuple_CheckExact(hook) || PyTuple_GET_SIZE(hook) != 2) {
            PyErr_Format(PyExc_TypeError, "%R is not a pair (function, action)", hook);
            goto over;
        }
        Py_INCREF(hook); /* it may be struck out meanwhile */
        PyObject *arguments[2] = {NULL, PyTuple_GET_ITEM(hook, 1)};
        put(fsm, of_fsm, ACTING, arguments[1]);
        PyObject *answer = PyObject_Vectorcall(
            PyTuple_GET_ITEM(hook, 0), arguments + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
        int stop = 0;
        if (answer == NULL) {
            if (fail(fsm, arguments[1]) < 0) stop = -1;
            else if (phase == ENTER || phase == UPDATE) stop = 1;
            failed = 1;
        } else
            Py_DECREF(answer);
        Py_DECREF(hook);
        PyObject *next = stop < 0 ? NULL : get(fsm, of_fsm, NEXT);
        if (next == NULL) goto over;
        if (stop || next != Py_None) { outcome = 1; goto over; }
    }
    outcome = failed;
over:
    Py_DECREF(hooks);
    return outcome;
}

/* Fsm.process_state_actions */
VECTORCALL(process_state_actions)
{
    if (!PLAIN_CALL(Fsm, 3, 3) || !(PyTuple_CheckExact(args[2]) || PyList_CheckExact(args[2]))) FALL_BACK;
    int done = walk(args[0], args[1], args[2]);
    return done < 0 ? NULL : PyBool_FromLong(done);
}

/* Whether an answer is true, which is taken; -1 if there is none. */
static int truth(PyObject *answer)
{
    int is_true = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    return is_true;
}

/* Fsm._enter_ */
static int enter(PyObject *fsm, PyObject *target, PyObject *event, PyObject *data)
{
    PyObject *visit = NULL, *before = NULL, *enters = NULL, *time = held(fsm, of_fsm, TIME);
    int done = 0;
    if (target == Py_None || time == NULL || !IS(fsm, of_fsm, OBSERVERS, Py_None)
        || !IS_EMPTY_LIST(AT(fsm, of_fsm, DELAYED)))
        goto python;
    visit = held(target, of_state, STATE_VISIT);
    if (visit == NULL) goto python;
    if (visit == Py_None) Py_SETREF(visit, prepare_visit(fsm, target));
    if (visit == NULL) { done = -1; goto over; }
    if (!Py_IS_TYPE(visit, Visit) || (done = is_fresh(visit)) != 1) goto python;
    if (!IS(visit, of_visit, SPECIAL, Py_False) && (done = begin_again(visit)) != 1) goto python;
    if ((before = visit_of(fsm)) == NULL || (enters = HOOKS_OF(visit, ENTERS)) == NULL) goto python;
    put(visit, of_visit, LED_HERE, event); put(visit, of_visit, DATA, data); put(visit, of_visit, SINCE, time);
    put(fsm, of_fsm, PREVIOUS, AT(before, of_visit, STATE) ? AT(before, of_visit, STATE) : Py_None);
    put(fsm, of_fsm, VISIT, visit);
    done = walk(fsm, ENTER, enters);
    goto over;
python:
    if (done >= 0) done = truth(PyObject_CallMethodObjArgs(fsm, s_enter, target, event, data, NULL));
over:
    Py_XDECREF(visit); Py_XDECREF(before); Py_XDECREF(enters); Py_XDECREF(time);
    return done;
}

/* Fsm._change_state_ */
static int change_state(PyObject *fsm, PyObject *visit, PyObject *target, PyObject *event, PyObject *data)
{
    PyObject *exits = HOOKS_OF(visit, EXITS);
    if (exits == NULL) { PyErr_SetString(PyExc_AttributeError, "exits"); return -1; }
    int failed = walk(fsm, EXIT, exits), left = 0;
    Py_DECREF(exits);
    if (failed < 0) return -1;
    if (!IS(visit, of_visit, SPECIAL, Py_False)) { /* Fsm._leave_ */
        if (!IS(fsm, of_fsm, OBSERVERS, Py_None) || !IS_EMPTY_LIST(AT(fsm, of_fsm, DELAYED))
            || !IS(visit, of_visit, BELOW, Py_None) || !IS(fsm, of_fsm, HALTED, Py_None))
            left = truth(PyObject_CallMethodNoArgs(fsm, s_leave));
        else {
            put(visit, of_visit, EXITED, Py_True); put(fsm, of_fsm, ACTING, Py_None);
            left = forget_finished(visit);
        }
        if (left < 0) return -1;
    }
    int entered = enter(fsm, target, event, data);
    return entered < 0 ? -1 : failed | left | entered;
}

/* Deciding and settling */
/* Fsm._dispatch_ of an event sent in a callback that leads straight to a change; 0 if it does not. */
static int decide(PyObject *fsm, PyObject *event, PyObject *data)
{
    PyObject *phase = AT(fsm, of_fsm, PHASE), *visit = NULL, *state = NULL, *own = NULL, *globals = NULL, *target = NULL;
    int done = 0;
    if ((phase != ENTER && phase != UPDATE && phase != EVENT && phase != BETWEEN) || !IS(fsm, of_fsm, NEXT, Py_None)
        || !IS(fsm, of_fsm, STEP, Py_None) || !IS(fsm, of_fsm, OBSERVERS, Py_None) || !IS(fsm, of_fsm, HALTED, Py_None)
        || (visit = visit_of(fsm)) == NULL || !IS_EMPTY_TUPLE(AT(visit, of_visit, LISTENERS))
        || !is_state(state = held(visit, of_visit, STATE)))
        goto over;
    own = held(state, of_state, TRANSITIONS);
    globals = held(fsm, of_fsm, GLOBALS);
    if (!IS_DICT(own) || !IS_DICT(globals)) goto over;
    target = Py_XNewRef(PyDict_GetItemWithError(own, event));
    if (target == NULL && !PyErr_Occurred()) {
        target = Py_XNewRef(PyDict_GetItemWithError(globals, event));
        if (target == state) goto over;
    }
    if (!is_state(target)) { done = PyErr_Occurred() ? -1 : 0; goto over; }
    PyObject *change = PyTuple_Pack(3, target, event, data);
    done = change == NULL ? -1 : 1;
    if (change != NULL) put(fsm, of_fsm, NEXT, change);
    Py_XDECREF(change);
over:
    Py_XDECREF(visit); Py_XDECREF(state); Py_XDECREF(own); Py_XDECREF(globals); Py_XDECREF(target);
    return done;
}

/* Fsm._settle_, for a first change after updates that leads no further; else the Python method does the rest. */
static int settle(PyObject *fsm)
{
    PyObject *change = held(fsm, of_fsm, NEXT), *visit = visit_of(fsm), *target;
    int done;
    if (visit == NULL || change == NULL || !PyTuple_CheckExact(change) || PyTuple_GET_SIZE(change) != 3
        || !IS(fsm, of_fsm, PHASE, UPDATE) || !IS_TUPLE_OR_LIST(AT(visit, of_visit, EXITS))
        || ((target = PyTuple_GET_ITEM(change, 0)) != Py_None && !is_state(target)))
        done = call(fsm, s_settle, NULL);
    else {
        put(fsm, of_fsm, NEXT, Py_None);
        done = change_state(fsm, visit, target, PyTuple_GET_ITEM(change, 1), PyTuple_GET_ITEM(change, 2));
        PyObject *now = AT(fsm, of_fsm, VISIT);
        int is_quiet = IS(fsm, of_fsm, NEXT, Py_None) && IS_EMPTY_TUPLE(AT(fsm, of_fsm, FAILURES))
            && IS_EMPTY_TUPLE(AT(fsm, of_fsm, QUEUE)) && IS(fsm, of_fsm, OBSERVERS, Py_None)
            && IS(fsm, of_fsm, HALTED, Py_None) && now != NULL && Py_IS_TYPE(now, Visit) && IS(now, of_visit, FINISHED_DUE, Py_False);
        if (done >= 0) done = is_quiet ? 0 : call(fsm, s_settle, one);
    }
    Py_XDECREF(change); Py_XDECREF(visit);
    return done;
}

/* The end of a call from outside: Fsm._reset_after_error_ after an error, and at rest in any case. */
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
    PyObject *visit = visit_of(fsm), *routes = visit == NULL ? NULL : held(visit, of_visit, ROUTES), *target = NULL;
    PyObject *answer = NULL;
    if (visit != NULL && IS_TUPLE_OR_LIST(AT(visit, of_visit, EXITS)) && IS_DICT(routes) && WALKS_PLAINLY(fsm))
        target = Py_XNewRef(PyDict_GetItemWithError(routes, event));
    if (is_state(target)) {
        int done = change_state(fsm, visit, target, event, data);
        answer = at_rest(fsm, done == 1 ? call(fsm, s_settle, one) : done, Py_True);
    } else if (!PyErr_Occurred())
        answer = fall_back(method, args, nargsf, names);
    Py_XDECREF(visit); Py_XDECREF(routes); Py_XDECREF(target);
    return answer;
}

/* Whether Fsm._begin_update_ has something to do `seconds` from now; -1 if that is for Python to say. */
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
    PyObject *fsm = args[0], *time = AT(fsm, of_fsm, TIME), *updates = NULL, *visit = AT(fsm, of_fsm, VISIT);
    double seconds = PyFloat_AS_DOUBLE(args[1]);
    int waits, done = 0;
    if (!(0.0 <= seconds && seconds < Py_HUGE_VAL) || !IS(fsm, of_fsm, PHASE, Py_None) || !looks_away(fsm)
        || visit == NULL || !Py_IS_TYPE(visit, Visit) || !is_state(AT(visit, of_visit, STATE))
        || !IS(visit, of_visit, FINISHED_DUE, Py_False) || !IS_TUPLE_OR_LIST(AT(visit, of_visit, UPDATES))
        || time == NULL || !PyFloat_CheckExact(time) || !IS(fsm, of_fsm, STEP, Py_None)
        || !IS(fsm, of_fsm, HALTED, Py_None) || !WALKS_PLAINLY(fsm) || (waits = something_waits(fsm, seconds)) < 0)
        FALL_BACK;
    PyObject *now = PyFloat_FromDouble(PyFloat_AS_DOUBLE(time) + seconds);
    if (now == NULL) return NULL;
    put(fsm, of_fsm, TIME, now); put(fsm, of_fsm, DELTA_TIME, args[1]);
    Py_DECREF(now);
    if (waits) waits = truth(PyObject_CallMethodObjArgs(fsm, s_begin, args[1], Py_False, NULL));
    if (waits == 0) {
        if ((visit = visit_of(fsm)) != NULL) updates = HOOKS_OF(visit, UPDATES);
        Py_XDECREF(visit);
        if (updates == NULL) PyErr_SetString(PyExc_AttributeError, "updates");
    }
    if (waits < 0 || (waits == 0 && updates == NULL))
        done = -1;
    else if (waits == 0) {
        done = walk(fsm, UPDATE, updates);
        if (done == 1) done = settle(fsm);
    }
    Py_XDECREF(updates);
    return at_rest(fsm, done, Py_None);
}

/* Finishing */
/* Visit.has_all_finished; -1 if it raises. */
static int has_all_finished(PyObject *visit)
{
    PyObject *finished = get(visit, of_visit, FINISHED_COUNT), *size = finished ? get(visit, of_visit, SIZE) : NULL;
    if (size == NULL) return -1;
    if (!IS(visit, of_visit, ANNOUNCED, Py_False)) return 0;
    return PyLong_CheckExact(finished) && PyLong_CheckExact(size) ? PyObject_RichCompareBool(finished, size, Py_EQ) : 0;
}

/* Fsm._send_finished_ */
static int send_finished(PyObject *fsm, PyObject *visit)
{
    PyObject *state = held(visit, of_visit, STATE), *globals = held(fsm, of_fsm, GLOBALS), *own = NULL;
    int known = 0;
    put(visit, of_visit, FINISHED_DUE, Py_False);
    if (is_state(state) && IS(fsm, of_fsm, NEXT, Py_None) && IS_DICT(globals)
        && (own = held(state, of_state, TRANSITIONS), IS_DICT(own))) {
        put(visit, of_visit, ANNOUNCED, Py_True);
        if ((known = PyDict_Contains(own, FINISHED)) == 0) known = PyDict_Contains(globals, FINISHED);
        if (known > 0) {
            int decided = has_base(fsm, Fsm, s_send_event, send_event_method) ? decide(fsm, FINISHED, Py_None) : 0;
            known = decided != 0 ? decided : call(fsm, s_send_event, FINISHED);
        }
    }
    Py_XDECREF(state); Py_XDECREF(globals); Py_XDECREF(own);
    return known < 0 ? -1 : 0;
}

/* FsmAction.finish, called by the action itself while it is entered or updated. */
VECTORCALL(finish)
{
    if (!PLAIN_CALL(Action, 1, 2)) FALL_BACK; /* what was not needed counts where time is carried over */
    PyObject *action = args[0], *fsm = attribute(action, s_action_fsm), *visit = NULL, *event = NULL, *result = NULL;
    if (fsm == NULL || !PyObject_TypeCheck(fsm, Fsm) || !IS(fsm, of_fsm, OBSERVERS, Py_None)
        || !IS(fsm, of_fsm, ACTING, action) || !(IS(fsm, of_fsm, PHASE, UPDATE) || IS(fsm, of_fsm, PHASE, ENTER))
        || !IS(fsm, of_fsm, STEP, Py_None) || !IS(fsm, of_fsm, HALTED, Py_None) || (visit = visit_of(fsm)) == NULL
        || !attribute_is(action, s_background, Py_False) || !attribute_is(action, s_action_parent, Py_None)
        || !attribute_is(action, s_action_finished, Py_False)) {
        result = fall_back(method, args, nargsf, names);
        goto over;
    }
    if (PyObject_SetAttr(action, s_action_finished, Py_True) < 0 || call(visit, s_finish, action) < 0
        || (event = PyObject_GetAttr(action, s_finish_event)) == NULL)
        goto over;
    if (event != Py_None && call(fsm, s_send_event, event) < 0) {
        PyObject *error = taken_error(); /* it may drop what is decided now */
        if (has_all_finished(visit) == 1) call(visit, s_owe, NULL);
        give_error(error);
        goto over;
    }
    int all = has_all_finished(visit);
    if (all < 0 || (all && send_finished(fsm, visit) < 0)) goto over;
    result = Py_NewRef(Py_None);
over:
    Py_XDECREF(fsm); Py_XDECREF(visit); Py_XDECREF(event);
    return result;
}

/* Building */
static inline int is_name(PyObject *x) { return PyUnicode_CheckExact(x) && PyUnicode_GET_LENGTH(x) > 0; }

/* Definition.add_state */
VECTORCALL(add_state)
{
    if (!PLAIN_CALL(Fsm, 2, 2)) FALL_BACK;
    PyObject *fsm = args[0], *states = AT(fsm, of_fsm, STATES);
    if (!is_name(args[1]) || !IS(fsm, of_fsm, PHASE, Py_None) || !IS(fsm, of_fsm, OBSERVERS, Py_None)
        || !IS_DICT(states) || PyDict_Contains(states, args[1]) != 0)
        FALL_BACK;
    PyObject *state = State->tp_alloc(State, 0);
    if (state == NULL) return NULL;
    Py_INCREF(states);
    AT(state, of_state, STATE_FSM) = Py_NewRef(fsm);
    AT(state, of_state, STATE_NAME) = Py_NewRef(args[1]);
    AT(state, of_state, FINAL) = Py_NewRef(Py_False);
    AT(state, of_state, STATE_ACTIONS) = PyTuple_New(0);
    AT(state, of_state, TRANSITIONS) = PyDict_New();
    AT(state, of_state, STATE_VISIT) = Py_NewRef(Py_None);
    if (AT(state, of_state, TRANSITIONS) == NULL || PyDict_SetItem(states, args[1], state) < 0) Py_CLEAR(state);
    Py_DECREF(states);
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
        || (name = AT(args[2], of_state, STATE_NAME)) == NULL || PyDict_GetItemWithError(states, name) != args[2]
        || (transitions = AT(args[0], of_state, TRANSITIONS)) == NULL || !PyDict_CheckExact(transitions)
        || PyDict_Contains(transitions, args[1]) != 0) {
        PyErr_Clear(); /* a name that cannot be hashed: the Python says so */
        FALL_BACK;
    }
    Py_INCREF(transitions);
    PyObject *added = Transition->tp_alloc(Transition, 5), *fields[5] = {args[1], args[2], Py_None, Py_None, Py_False};
    for (int i = 0; added != NULL && i < 5; i++) PyTuple_SET_ITEM(added, i, Py_NewRef(fields[i]));
    if (added != NULL && PyDict_SetItem(transitions, args[1], args[2]) < 0) Py_CLEAR(added);
    Py_DECREF(transitions);
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
        || !attribute_is(action, s_finish_event, Py_None) || Py_TYPE(action)->tp_setattro != PyObject_GenericSetAttr
        || !attribute_is(action, s_action_state, Py_None)
        || (old = AT(state, of_state, STATE_ACTIONS)) == NULL || !PyTuple_CheckExact(old))
        FALL_BACK;
    Py_INCREF(old); Py_INCREF(fsm);
    Py_ssize_t count = PyTuple_GET_SIZE(old);
    PyObject *actions = PyTuple_New(count + 1), *result = NULL;
    for (Py_ssize_t i = 0; actions != NULL && i < count; i++)
        PyTuple_SET_ITEM(actions, i, Py_NewRef(PyTuple_GET_ITEM(old, i)));
    if (actions != NULL) {
        PyTuple_SET_ITEM(actions, count, Py_NewRef(action));
        if (!IS(state, of_state, STATE_ACTIONS, old))
            result = fall_back(method, args, nargsf, names); /* a finalizer has added another one */
        else if (PyObject_SetAttr(action, s_action_state, state) == 0 && PyObject_SetAttr(action, s_action_fsm, fsm) == 0) {
            put(state, of_state, STATE_ACTIONS, actions); put(state, of_state, STATE_VISIT, Py_None);
            result = Py_NewRef(action);
        }
    }
    Py_XDECREF(actions); Py_DECREF(old); Py_DECREF(fsm);
    return result;
}

/* Installing */
static const struct { const char *owner, *name; vectorcallfunc fast; PyObject **kept; } METHODS[] = {
    {"Processing", "process_state_actions", process_state_actions, &walk_method},
    {"Fsm", "send_event", send_event, &send_event_method},
    {"Fsm", "update", update, NULL},
    {"FsmAction", "finish", finish, NULL},
    {"Definition", "add_state", add_state, NULL},
    {"FsmState", "add_transition", add_transition, NULL},
    {"FsmState", "add_action", add_action, NULL},
};

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
static PyMethodDef fsm_getter = {"fsm", fsm_of, METH_O, "The machine it belongs to; None before it is added to a state."};

static int put_getter(void)
{
    PyObject *old = PyObject_GetAttrString((PyObject *)Action, "fsm"), *function = PyCFunction_New(&fsm_getter, NULL);
    PyObject *property = old && function ? PyObject_CallMethod(old, "getter", "O", function) : NULL;
    int done = property == NULL ? -1 : PyObject_SetAttrString((PyObject *)Action, "fsm", property);
    Py_XDECREF(old); Py_XDECREF(function); Py_XDECREF(property);
    return done;
}
#else
static int put_getter(void) { return 0; }
#endif

/* install(core): put the methods in; `core` has the classes and constants by name. Nothing is changed
 * if something is missing. */
static PyObject *install(PyObject *Py_UNUSED(module), PyObject *core)
{
    static int64_t owner = -1; /* the interpreter whose classes these are: there is one set of them */
    int64_t here = PyInterpreterState_GetID(PyInterpreterState_Get());
    if (owner < 0) owner = here;
    if (owner != here) {
        PyErr_SetString(PyExc_ImportError, "the kernel serves another interpreter, and no subinterpreters beside it");
        return NULL;
    }
    PyObject *tolerance, *owners[COUNT(METHODS)], *methods[COUNT(METHODS)];
    struct { const char *name; PyTypeObject **type; Slot *slots; } classes[] = {
        {"Fsm", &Fsm, of_fsm}, {"FsmState", &State, of_state}, {"Visit", &Visit, of_visit},
        {"DelayedEvent", &Delayed, of_delayed}, {"Observers", &Observers, of_observers}, {"FsmAction", &Action, NULL}, {"Transition", &Transition, NULL}};
    struct { const char *name; PyObject **value; } constants[] = {
        {"ENTER", &ENTER}, {"UPDATE", &UPDATE}, {"EXIT", &EXIT}, {"EVENT", &EVENT}, {"BETWEEN", &BETWEEN}, {"FINISHED", &FINISHED},
        {"NOWHERE", &NOWHERE}, {"STRUCK_OUT", &STRUCK_OUT}, {"kind_of", &kind_of}, {"TIME_TOLERANCE", &tolerance}};
    struct { const char *name; PyObject **word; } words[] = {
        {"_fail_", &s_fail}, {"_settle_", &s_settle}, {"_reset_after_error_", &s_reset}, {"_enter_", &s_enter},
        {"_begin_update_", &s_begin}, {"_prepare_", &s_prepare}, {"_leave_", &s_leave}, {"send_event", &s_send_event},
        {"process_state_actions", &s_walk}, {"_raise_errors_of_observers_", &s_raise}, {"is_stale", &s_is_stale}, {"owe_finished", &s_owe}, {"finish", &s_finish}, {"_fsmkit_kind", &s_kind}, {"background", &s_background}, {"machines", &s_machines}, {"children", &s_children},
        {"_fsmkit_declares", &s_declares},
        {"_fsmkit_family", &s_family}, {"enabled", &s_enabled}, {"_fsmkit_state", &s_action_state},
        {"_fsmkit_fsm", &s_action_fsm}, {"_fsmkit_parent", &s_action_parent}, {"_fsmkit_enabled", &s_action_enabled},
        {"_fsmkit_finished", &s_action_finished}, {"finish_event", &s_finish_event},
        {"on_enter", &callback_names[ON_ENTER]}, {"on_update", &callback_names[ON_UPDATE]},
        {"on_exit", &callback_names[ON_EXIT]}, {"on_event", &callback_names[ON_EVENT]},
        {"on_suspend", &callback_names[ON_SUSPEND]}, {"on_resume", &callback_names[ON_RESUME]}};
    for (size_t i = 0; i < COUNT(words); i++)
        if ((*words[i].word = PyUnicode_InternFromString(words[i].name)) == NULL) return NULL;
    for (size_t i = 0; i < COUNT(classes); i++) {
        NEED(*(PyObject **)classes[i].type, core, classes[i].name);
        if (!PyType_Check(*classes[i].type)) return PyErr_Format(PyExc_TypeError, "%s is not a class", classes[i].name);
        if (classes[i].slots != NULL && locate(*classes[i].type, classes[i].slots) < 0) return NULL;
    }
    for (size_t i = 0; i < COUNT(constants); i++) NEED(*constants[i].value, core, constants[i].name);
    TOLERANCE = PyFloat_AsDouble(tolerance);
    PyObject *action = (PyObject *)Action, *needed[] = {s_fail, s_settle, s_reset, s_begin, s_raise, s_enter, s_leave};
    for (size_t i = 0; i < COUNT(needed); i++)
        if (!PyObject_HasAttr((PyObject *)Fsm, needed[i]))
            return PyErr_Format(PyExc_TypeError, "Fsm has no %U", needed[i]);
    for (int i = 0; i < CALLBACKS; i++)
        if ((callback_bases[i] = PyObject_GetAttr(action, callback_names[i])) == NULL) return NULL;
    NEED(prepare_method, (PyObject *)Fsm, "_prepare_");
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
    nought = PyFloat_FromDouble(0.0);
    return zero == NULL || one == NULL || nought == NULL ? NULL : PyModule_Create(&definition);
}
