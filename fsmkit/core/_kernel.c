/* The kernel: faster bodies for a few methods of fsmkit.core.
 *
 * The Python beside this file says what a machine does. `install` learns where the slots of its classes lie and puts
 * a `Method` in the place of each method named below. A Method calls the C function of that name, which does what
 * the Python does in the usual case. In every other case (an observer that intercepts, something that waits, an
 * argument of another kind, a subclass with a walk of its own, an attribute that has been deleted) it falls back: it
 * calls the Python method that it stands for, before anything has been changed. Methods in Python ask guards and
 * listeners, and handle errors. What is read before a call or an allocation is held by a reference: either may run
 * finalizers, which may do anything to the machine.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#if PY_VERSION_HEX < 0x030D0000
#define PyObject_GetOptionalAttr _PyObject_LookupAttr
#endif
#if PY_VERSION_HEX < 0x030C0000
static PyObject *PyErr_GetRaisedException(void)
{
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    if (traceback != NULL) PyException_SetTraceback(error, traceback);
    Py_XDECREF(type); Py_XDECREF(traceback);
    return error;
}
#define PyErr_SetRaisedException(error) PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(error)), error, PyException_GetTraceback(error))
#endif

/* Slots: where they lie in the instances, by class. */
typedef struct { const char *name; Py_ssize_t offset; } Slot;

enum { STATES, GLOBALS, PHASE, ACTING, NEXT, FAILURES, QUEUE, POSTED, DELAYED, OBSERVERS, VISIT, PREVIOUS, TIME,
       DELTA_TIME, STEP, HOST, HALTED, OPTIONS };
static Slot of_fsm[] = {
    {"_states_"}, {"_global_transitions_"}, {"_phase_"}, {"_acting_"}, {"_next_"}, {"_failures_"}, {"_queue_"},
    {"_posted_"}, {"_delayed_"}, {"_observers_"}, {"_visit_"}, {"previous_state"}, {"_time_"}, {"delta_time"},
    {"_step_"}, {"_host_"}, {"_halted_"}, {"_options_"}, {NULL}};

enum { STATE_FSM, STATE_NAME, FINAL, STATE_FAILED, STATE_ACTIONS, TRANSITIONS, SHARED, STATE_CALLBACKS };
static Slot of_state[] = {
    {"_fsm"}, {"_name"}, {"final"}, {"failed"}, {"_actions"}, {"_transitions"}, {"_shared"}, {"_callbacks"}, {NULL}};

enum { STATE, LED_HERE, DATA, SINCE, ACTIONS, FINISHED_COUNT, ANNOUNCED, FINISHED_DUE, EXITED, BELOW, SPECIAL, UPDATES,
       ROUTES, VISIT_CALLBACKS, SPARE };
static Slot of_visit[] = {
    {"state"}, {"event"}, {"data"}, {"since"}, {"actions"}, {"finished"}, {"is_announced"}, {"is_due"}, {"is_exited"},
    {"below"}, {"is_special"}, {"updates"}, {"routes"}, {"callbacks"}, {"spare"}, {NULL}};

enum { THEIRS_ALONE, SIZE, KINDS, EVERY_UPDATE, LISTENERS, ENTERS, EXITS };
static Slot of_callbacks[] = {
    {"actions"}, {"size"}, {"kinds"}, {"every_update"}, {"listeners"}, {"enters"}, {"exits"}, {NULL}};

enum { DUE, ERRORS = 0, NOTIFYING, ATTACHED, HOOK_METHODS, INTERCEPTS, WANTS_UPDATES, HAS_ASKED };
static Slot of_delayed[] = {{"due"}, {NULL}}, of_observers[] = {
    {"errors"}, {"notifying"}, {"attached"}, {"methods"}, {"intercepts"}, {"wants_updates"}, {"has_asked"}, {NULL}};

static PyTypeObject *Fsm, *State, *Action, *Visit, *Callbacks, *Delayed, *Transition, *Observers, *Failure;
static PyObject *ENTER, *UPDATE, *EXIT, *EVENT, *BETWEEN, *FINISHED, *NOWHERE, *STRUCK_OUT, *NO_CALLBACKS;
static double TOLERANCE;

/* The callbacks that an action may override, as FsmAction has them. */
enum { ON_ENTER, ON_UPDATE, ON_EXIT, ON_EVENT, ON_SUSPEND, ON_RESUME, CALLBACKS };

/* Names: ID(name) is that string, interned. A `_name_` is a method of Fsm. */
#define NAMES(each) \
    each(_fail_) each(_settle_) each(_reset_after_error_) each(_enter_) each(_begin_update_) each(_prepare_) \
    each(_leave_) each(send_event) each(process_state_actions) each(_raise_errors_of_observers_) each(_notify_) \
    each(_send_) each(_send_observed_) each(keep_error) each(_offer_) each(_not_taken_) each(_perform_) each(consumed) \
    each(changed) each(state_entered) each(state_exited) each(event_sent) each(_announce_) each(_send_finished_) \
    each(_fsmkit_kind) each(background) each(machines) each(children) each(_fsmkit_declares) each(_fsmkit_family) \
    each(enabled) each(_fsmkit_state) each(_fsmkit_fsm) each(_fsmkit_parent) each(_fsmkit_enabled) \
    each(_fsmkit_finished) each(_fsmkit_listens) each(finish_event) each(on_enter) each(on_update) each(on_exit) \
    each(on_event) each(on_suspend) each(on_resume) each(_agreed_) each(_keep_failure_) each(unhandled) each(refused) each(ignored)
#define ID(name) id_##name
#define DECLARE(name) static PyObject *ID(name);
NAMES(DECLARE)
static PyObject **callback_names[] = {
    &ID(on_enter), &ID(on_update), &ID(on_exit), &ID(on_event), &ID(on_suspend), &ID(on_resume)};
static PyObject *walk_method, *send_event_method, *children_base, *family_base, *enabled_base, *machines_base;
static PyObject *kind_of, *ordinary_callbacks, *shared, *zero, *one, *nought;

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define AT(object, slots, slot) (*(PyObject **)((char *)(object) + slots[slot].offset))

static inline Py_ALWAYS_INLINE void put(PyObject *object, Slot *slots, int slot, PyObject *value)
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
static inline int is_observers(PyObject *x) { return x != NULL && Py_IS_TYPE(x, Observers); }
/* Whether observers only have to be notified, if there are any: none makes this call, and no error of theirs waits. */
static inline int only_watched(PyObject *fsm)
{
    PyObject *observers = AT(fsm, of_fsm, OBSERVERS);
    return observers == Py_None
        || (is_observers(observers) && IS(observers, of_observers, NOTIFYING, Py_None)
            && IS_EMPTY_LIST(AT(observers, of_observers, ERRORS)) && IS_DICT(AT(observers, of_observers, HOOK_METHODS))
            && !IS_EMPTY_TUPLE(AT(observers, of_observers, ATTACHED)));
}

/* Whether an observer has still to be asked about a call. */
#define INTERCEPTED(observers) ((observers) != Py_None && !IS(observers, of_observers, HAS_ASKED, Py_True) \
                                && !IS_EMPTY_TUPLE(AT(observers, of_observers, INTERCEPTS)))

/* What a slot holds, as a reference: a call or an allocation may let go of it. NULL, without an error, if nothing. */
static inline PyObject *held(PyObject *object, Slot *slots, int slot) { return Py_XNewRef(AT(object, slots, slot)); }

/* The visit of a machine, as a reference; NULL, without an error, if it is not as it has to be. */
static inline PyObject *visit_of(PyObject *fsm)
{
    PyObject *visit = AT(fsm, of_fsm, VISIT);
    return visit != NULL && Py_IS_TYPE(visit, Visit) ? Py_NewRef(visit) : NULL;
}

/* A part of the callbacks of a visit, borrowed; NULL, without an error, if they are not as they have to be. */
static inline PyObject *of_its_callbacks(PyObject *visit, int part)
{
    PyObject *callbacks = AT(visit, of_visit, VISIT_CALLBACKS);
    return callbacks != NULL && Py_IS_TYPE(callbacks, Callbacks) ? AT(callbacks, of_callbacks, part) : NULL;
}

/* The hooks of a kind, as a reference; NULL, without an error, if they are no tuple. */
#define HOOKS_OF(visit, kind) (IS_TUPLE(of_its_callbacks(visit, kind)) ? Py_NewRef(of_its_callbacks(visit, kind)) : NULL)

/* An attribute, or NULL without an error if there is none or it cannot be read. */
static PyObject *attribute(PyObject *object, PyObject *name)
{
    PyObject *value = NULL;
    if (PyObject_GetOptionalAttr(object, name, &value) < 0) PyErr_Clear();
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
#define WALKS_PLAINLY(fsm) has_base(fsm, Fsm, ID(process_state_actions), walk_method)

/* Whether an answer is true, which is taken; -1 if there is none. */
static int truth(PyObject *answer)
{
    int is_true = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    return is_true;
}

/* Fsm._notify_, of a hook with these arguments after the machine; -1 if it raises. */
static int notify(PyObject *fsm, PyObject *hook, PyObject *one, PyObject *two, PyObject *three)
{
    PyObject *observers = held(fsm, of_fsm, OBSERVERS), *methods = NULL, *arguments[] = {NULL, fsm, one, two, three};
    size_t count = (2 + (two != NULL) + (three != NULL)) | PY_VECTORCALL_ARGUMENTS_OFFSET;
    int done = 0;
    if (observers == Py_None) goto over;
    if (only_watched(fsm)) methods = Py_XNewRef(PyDict_GetItemWithError(AT(observers, of_observers, HOOK_METHODS), hook));
    if (!IS_TUPLE(methods))
        done = truth(PyObject_CallMethodObjArgs(fsm, ID(_notify_), hook, fsm, one, two, three, NULL));
    else if (PyTuple_GET_SIZE(methods) > 0) { /* Observers.notify */
        PyObject *thread = PyLong_FromUnsignedLong(PyThread_get_thread_ident());
        if (thread != NULL) put(observers, of_observers, NOTIFYING, thread); else done = -1;
        Py_XDECREF(thread);
        for (Py_ssize_t i = 0; done >= 0 && i < PyTuple_GET_SIZE(methods); i++) {
            PyObject *method = PyTuple_GET_ITEM(methods, i), *answer = PyObject_Vectorcall(method, arguments + 1, count, NULL);
            PyObject *error = answer == NULL ? PyErr_GetRaisedException() : NULL;
            if (error != NULL) done = truth(PyObject_CallMethodObjArgs(observers, ID(keep_error), error, method, NULL));
            Py_XDECREF(answer); Py_XDECREF(error);
        }
        put(observers, of_observers, NOTIFYING, Py_None);
    }
over:
    Py_XDECREF(observers); Py_XDECREF(methods);
    return done;
}

/* Methods: callables that stand in a class for the Python function of the same name. */
typedef struct { PyObject_HEAD vectorcallfunc fast; PyObject *python; } Method;

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
#define BY_PYTHON PyObject_Vectorcall(((Method *)method)->python, args, nargsf, names)
#define FALL_BACK return BY_PYTHON
#define VECTORCALL(name) static PyObject *name(PyObject *method, PyObject *const *args, size_t nargsf, PyObject *names)

/* Visits. Whether an action takes part and has to finish, with no callback set on itself: all as it is unless set. */
static int is_ordinary(PyObject *action)
{
    if (!PyObject_TypeCheck(action, Action) || !has_base(action, Action, ID(enabled), enabled_base)
        || !attribute_is(action, ID(_fsmkit_enabled), Py_True) || !attribute_is(action, ID(background), Py_False))
        return 0;
    for (int i = 0; i < CALLBACKS; i++) {
        PyObject *own = attribute(action, *callback_names[i]);
        PyObject *function = attribute((PyObject *)Py_TYPE(action), *callback_names[i]);
        int same = own != NULL && PyMethod_Check(own) && PyMethod_GET_FUNCTION(own) == function;
        Py_XDECREF(own); Py_XDECREF(function);
        if (!same) return 0;
    }
    return 1;
}

/* Whether a list of action.kind_of holds for its class, by the version that the class had when Python looked last. */
static int is_known(PyObject *kind)
{
    if (!PyList_CheckExact(kind) || PyList_GET_SIZE(kind) != 3 || !PyType_Check(PyList_GET_ITEM(kind, 0))) return 0;
    unsigned int version = ((PyTypeObject *)PyList_GET_ITEM(kind, 0))->tp_version_tag;
    return version != 0 && PyLong_AsUnsignedLongMask(PyList_GET_ITEM(kind, 2)) == version;
}

/* action.kind_of, and the version that the class has now; a reference. */
static PyObject *current_kind(PyObject *type)
{
    PyObject *kind = attribute(type, ID(_fsmkit_kind)), *version = NULL;
    if (kind != NULL && is_known(kind) && PyList_GET_ITEM(kind, 0) == type) return kind;
    Py_XSETREF(kind, PyObject_CallOneArg(kind_of, type));
    if (kind != NULL && PyList_CheckExact(kind) && PyList_GET_SIZE(kind) == 3
        && ((version = PyLong_FromUnsignedLong(((PyTypeObject *)type)->tp_version_tag)) == NULL
            || PyList_SetItem(kind, 2, version) < 0))
        Py_CLEAR(kind);
    return kind;
}

/* Whether the classes are as they were: not Callbacks.is_stale; -1 if that raises. */
static int is_fresh(PyObject *callbacks)
{
    PyObject *kinds = held(callbacks, of_callbacks, KINDS);
    int fresh = IS_TUPLE(kinds);
    for (Py_ssize_t i = 0; fresh == 1 && i < PyTuple_GET_SIZE(kinds); i++) {
        PyObject *kind = PyTuple_GET_ITEM(kinds, i);
        if (is_known(kind)) continue;
        PyObject *now = PyList_CheckExact(kind) ? current_kind(PyList_GET_ITEM(kind, 0)) : Py_NewRef(Py_None);
        fresh = now == NULL ? -1 : now == kind;
        Py_XDECREF(now);
    }
    Py_XDECREF(kinds);
    return fresh;
}

/* Fsm._prepare_, for a state with ordinary actions that nobody observes; a new reference. */
static PyObject *prepare(PyObject *fsm, PyObject *state)
{
    PyObject *actions = held(state, of_state, STATE_ACTIONS), *classes = NULL, *callbacks = NULL, *found;
    int is_leaf = 1;
    if (!IS(fsm, of_fsm, OBSERVERS, Py_None) || !IS_TUPLE(actions) || PyTuple_GET_SIZE(actions) == 0) goto python;
    if ((classes = PyTuple_New(PyTuple_GET_SIZE(actions))) == NULL) goto over;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(actions); i++) {
        PyObject *action = PyTuple_GET_ITEM(actions, i);
        if (!is_ordinary(action)) goto python;
        PyTuple_SET_ITEM(classes, i, Py_NewRef(Py_TYPE(action)));
        is_leaf = is_leaf && has_base(action, Action, ID(children), children_base) && attribute_is(action, ID(_fsmkit_listens), Py_True);
    }
    if (is_leaf && (found = PyDict_GetItemWithError(shared, classes)) != NULL) /* a weak reference */
        callbacks = PyObject_CallNoArgs(found);
    if (callbacks == NULL || !Py_IS_TYPE(callbacks, Callbacks) || is_fresh(callbacks) != 1)
        Py_XSETREF(callbacks, PyErr_Occurred() ? NULL : PyObject_CallOneArg(ordinary_callbacks, actions));
    if (callbacks != NULL) put(state, of_state, STATE_CALLBACKS, callbacks);
    goto over;
python:
    callbacks = PyObject_CallMethodOneArg(fsm, ID(_prepare_), state);
over:
    Py_XDECREF(actions); Py_XDECREF(classes);
    return callbacks;
}

/* Visit.forget_finished; -1 if it raises. */
static int forget_finished(PyObject *state)
{
    PyObject *actions = is_state(state) ? held(state, of_state, STATE_ACTIONS) : NULL;
    int done = 0;
    for (Py_ssize_t i = 0; done == 0 && IS_TUPLE(actions) && i < PyTuple_GET_SIZE(actions); i++)
        if (!attribute_is(PyTuple_GET_ITEM(actions, i), ID(_fsmkit_finished), Py_False))
            done = PyObject_SetAttr(PyTuple_GET_ITEM(actions, i), ID(_fsmkit_finished), Py_False);
    Py_XDECREF(actions);
    return done;
}

/* Visit.begin, where nothing is suspended; 0 if that is for Python to do, -1 if it raises. */
static int begin(PyObject *visit, PyObject *state, PyObject *callbacks, PyObject *is_special)
{
    PyObject *actions = AT(callbacks, of_callbacks, THEIRS_ALONE), *every = NULL, *routes = NULL, *updates = NULL;
    int done = 0, is_plain = IS(visit, of_visit, SPECIAL, Py_False) && is_special == Py_False;
    if (actions == Py_None) actions = AT(state, of_state, STATE_ACTIONS);
    if (!IS_TUPLE(actions) || PyTuple_GET_SIZE(actions) == 0 || IS(callbacks, of_callbacks, SIZE, zero)) return 0;
    if (is_plain && IS(visit, of_visit, ACTIONS, actions) && IS(visit, of_visit, VISIT_CALLBACKS, callbacks)) return 1;
    Py_INCREF(actions);
    every = held(callbacks, of_callbacks, EVERY_UPDATE);
    routes = IS_EMPTY_TUPLE(AT(callbacks, of_callbacks, LISTENERS)) && is_special == Py_False ?
        held(state, of_state, TRANSITIONS) : Py_NewRef(NOWHERE);
    if (!IS_TUPLE(every) || !IS_DICT(routes)) goto over;
    done = -1;
    if ((updates = PyTuple_GET_SIZE(every) > 0 ? PySequence_List(every) : Py_NewRef(every)) == NULL) goto over;
    if (!is_plain) {
        if (forget_finished(state) < 0) goto over;
        put(visit, of_visit, BELOW, Py_None); put(visit, of_visit, FINISHED_COUNT, zero);
        put(visit, of_visit, ANNOUNCED, Py_False); put(visit, of_visit, FINISHED_DUE, Py_False);
        put(visit, of_visit, EXITED, Py_False); put(visit, of_visit, SPECIAL, is_special);
    }
    put(visit, of_visit, STATE, state); put(visit, of_visit, VISIT_CALLBACKS, callbacks);
    put(visit, of_visit, ACTIONS, actions); put(visit, of_visit, ROUTES, routes); put(visit, of_visit, UPDATES, updates);
    done = 1;
over:
    Py_DECREF(actions); Py_XDECREF(every); Py_XDECREF(routes); Py_XDECREF(updates);
    return done;
}

/* The walk. The action of a hook, borrowed; NULL with an error if there is none at its position. */
static inline PyObject *action_at(PyObject *actions, PyObject *hook)
{
    PyObject *number = PyTuple_GET_ITEM(hook, 1);
    Py_ssize_t position = number == zero ? 0 : PyLong_AsSsize_t(number);
    if (0 <= position && position < PyTuple_GET_SIZE(actions)) return PyTuple_GET_ITEM(actions, position);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "the position of an action");
    return NULL;
}

/* Fsm.process_state_actions, of held hooks: 1 if something has to be settled, 0 if not, -1 if it raises, as without any. */
static int walk(PyObject *fsm, PyObject *phase, PyObject *visit, PyObject *hooks)
{
    PyObject *actions = held(visit, of_visit, ACTIONS);
    int failed = 0, outcome = -1;
    put(fsm, of_fsm, PHASE, phase);
    if (!IS_TUPLE(actions) || !IS_TUPLE_OR_LIST(hooks)) { PyErr_SetString(PyExc_AttributeError, "actions or their hooks"); goto over; }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(hooks); i++) {
        PyObject *hook = PySequence_Fast_GET_ITEM(hooks, i);
        if (hook == STRUCK_OUT) continue;
        if (!PyTuple_CheckExact(hook) || PyTuple_GET_SIZE(hook) != 2) {
            PyErr_Format(PyExc_TypeError, "%R is not a pair (function, position)", hook);
            goto over;
        }
        PyObject *action = action_at(actions, hook);
        if (action == NULL) goto over;
        Py_INCREF(hook); /* it may be struck out meanwhile */
        PyObject *arguments[2] = {NULL, action};
        put(fsm, of_fsm, ACTING, arguments[1]);
        PyObject *answer = PyObject_Vectorcall(
            PyTuple_GET_ITEM(hook, 0), arguments + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
        int stop = 0;
        if (answer == NULL) {
            PyObject *error = PyErr_GetRaisedException();
            if (truth(PyObject_CallMethodObjArgs(fsm, ID(_fail_), error, arguments[1], NULL)) < 0) stop = -1;
            else if (phase == ENTER || phase == UPDATE) stop = 1;
            Py_DECREF(error);
            failed = 1;
        } else Py_DECREF(answer);
        Py_DECREF(hook);
        if (stop < 0) goto over;
        if (stop || !IS(fsm, of_fsm, NEXT, Py_None)) { outcome = 1; goto over; }
    }
    outcome = failed;
over:
    Py_XDECREF(actions);
    return outcome;
}

/* Fsm._enter_ */
static int enter(PyObject *fsm, PyObject *target, PyObject *event, PyObject *data)
{
    PyObject *before = visit_of(fsm), *visit = NULL, *callbacks = NULL, *enters = NULL, *time = held(fsm, of_fsm, TIME);
    int done = 0;
    if (before == NULL || target == Py_None || time == NULL || !IS_EMPTY_LIST(AT(fsm, of_fsm, DELAYED))) goto python;
    visit = held(before, of_visit, SPARE);
    if ((callbacks = held(target, of_state, STATE_CALLBACKS)) == NULL) goto python;
    if (callbacks == NO_CALLBACKS) Py_SETREF(callbacks, prepare(fsm, target));
    if (callbacks == NULL) { done = -1; goto over; }
    if (visit == NULL || !Py_IS_TYPE(visit, Visit) || !Py_IS_TYPE(callbacks, Callbacks) || (done = is_fresh(callbacks)) != 1
        || (done = begin(visit, target, callbacks, IS(fsm, of_fsm, OBSERVERS, Py_None) ? Py_False : Py_True)) != 1
        || (enters = HOOKS_OF(visit, ENTERS)) == NULL)
        goto python;
    put(visit, of_visit, LED_HERE, event); put(visit, of_visit, DATA, data); put(visit, of_visit, SINCE, time);
    put(fsm, of_fsm, PREVIOUS, AT(before, of_visit, STATE) ? AT(before, of_visit, STATE) : Py_None);
    put(fsm, of_fsm, VISIT, visit);
    done = 0;
    if (!IS(fsm, of_fsm, OBSERVERS, Py_None)) {
        put(fsm, of_fsm, PHASE, ENTER); put(fsm, of_fsm, ACTING, Py_None);
        done = notify(fsm, ID(state_entered), target, event, NULL); /* observers may come and go in it */
        PyObject *now = HOOKS_OF(visit, ENTERS);
        if (now != NULL) Py_SETREF(enters, now);
    }
    if (done == 0) done = walk(fsm, ENTER, visit, enters);
    goto over;
python:
    if (done >= 0) done = truth(PyObject_CallMethodObjArgs(fsm, ID(_enter_), target, event, data, NULL));
over:
    Py_XDECREF(visit); Py_XDECREF(before); Py_XDECREF(callbacks); Py_XDECREF(enters); Py_XDECREF(time);
    return done;
}

/* Fsm._change_state_; `effect` is a transition or NULL */
static int change_state(PyObject *fsm, PyObject *visit, PyObject *target, PyObject *effect, PyObject *event, PyObject *data)
{
    PyObject *exits = HOOKS_OF(visit, EXITS);
    int failed = walk(fsm, EXIT, visit, exits), left = 0;
    Py_XDECREF(exits);
    if (failed < 0) return -1;
    if (effect != NULL || !IS(visit, of_visit, SPECIAL, Py_False)) { /* Fsm._leave_ */
        PyObject *state = held(visit, of_visit, STATE);
        if (!is_state(state) || !IS_EMPTY_LIST(AT(fsm, of_fsm, DELAYED)) || !IS(visit, of_visit, BELOW, Py_None)
            || !IS(fsm, of_fsm, HALTED, Py_None))
            left = truth(PyObject_CallMethodNoArgs(fsm, ID(_leave_))) < 0 ? -1 : 1;
        else {
            put(visit, of_visit, EXITED, Py_True); put(fsm, of_fsm, ACTING, Py_None);
            left = forget_finished(state);
            if (left == 0) left = notify(fsm, ID(state_exited), state, NULL, NULL);
        }
        Py_XDECREF(state);
        if (left < 0 || (effect != NULL && truth(PyObject_CallMethodObjArgs(fsm, ID(_perform_), effect, data, NULL)) < 0))
            return -1;
    }
    int entered = enter(fsm, target, event, data);
    return entered < 0 ? -1 : failed | left | entered;
}

/* Fsm._change_state_ */
VECTORCALL(change_state_)
{
    PyObject *visit = PLAIN_CALL(Fsm, 4, 4) ? visit_of(args[0]) : NULL;
    if (visit == NULL || !is_state(args[1]) || !WALKS_PLAINLY(args[0])) { Py_XDECREF(visit); FALL_BACK; }
    int done = change_state(args[0], visit, args[1], NULL, args[2], args[3]);
    Py_DECREF(visit);
    return done < 0 ? NULL : PyBool_FromLong(done);
}

/* Deciding and settling */
/* The outcome after an error of an action or a guard: Fsm._choose_ keeps that of an event from outside; NULL: it is raised. */
static PyObject *kept_error(PyObject *fsm)
{
    if (!IS(fsm, of_fsm, PHASE, BETWEEN)) { put(fsm, of_fsm, NEXT, Py_None); return NULL; }
    PyObject *error = PyErr_GetRaisedException();
    int kept = truth(PyObject_CallMethodOneArg(fsm, ID(_keep_failure_), error));
    Py_DECREF(error);
    return kept < 0 ? NULL : Py_NewRef(ID(consumed));
}

/* Fsm._lead_, and what _choose_ makes of it: a state, a transition or an outcome; a reference. */
#define TABLE(i) ((i) < 0 ? own : (i) < PyTuple_GET_SIZE(shared) ? PyTuple_GET_ITEM(shared, i) : globals)
static PyObject *choose(
    PyObject *fsm, PyObject *visit, PyObject *own, PyObject *shared, PyObject *globals, PyObject *event, PyObject *data, PyObject *outcome)
{
    PyObject *result = outcome, *lead, *target;
    for (Py_ssize_t i = -1; i <= PyTuple_GET_SIZE(shared); i++) {
        if ((lead = Py_XNewRef(PyDict_GetItemWithError(TABLE(i), event))) == NULL && !PyErr_Occurred()) continue;
        if (IS_TUPLE(lead)) Py_SETREF(lead, PyObject_CallMethodObjArgs(fsm, ID(_agreed_), lead, data, NULL));
        if (lead == NULL) return kept_error(fsm);
        target = Py_IS_TYPE(lead, Transition) ? PyTuple_GET_ITEM(lead, 1) : lead;
        if (lead == Py_None) result = ID(refused);
        else if (i >= 0 && IS(visit, of_visit, STATE, target)) return Py_DECREF(lead), Py_NewRef(ID(ignored));
        else if (is_state(target) || !IS(visit, of_visit, BELOW, Py_None)) return lead;
        else return Py_DECREF(lead), Py_NewRef(outcome);
        Py_DECREF(lead);
    }
    return Py_NewRef(result);
}

/* Fsm._dispatch_ of an event that may change the state: 1 if it was taken, 0 if not, -1 if it raises; UNUSUAL
 * if the Python method has to do it. With `optional` NULL, one that no transition takes is not sent at all. */
enum { UNUSUAL = 2 };
static int dispatch(PyObject *fsm, PyObject *event, PyObject *data, PyObject *optional)
{
    PyObject *phase = AT(fsm, of_fsm, PHASE), *visit = NULL, *state = NULL, *lead = NULL, *own = NULL, *globals = NULL, *shared = NULL;
    int taken = UNUSUAL, known = 0;
    Py_ssize_t i;
    if ((phase != ENTER && phase != UPDATE && phase != EVENT && phase != BETWEEN) || !IS(fsm, of_fsm, NEXT, Py_None)
        || !IS(fsm, of_fsm, STEP, Py_None) || !IS(fsm, of_fsm, HALTED, Py_None) || (visit = visit_of(fsm)) == NULL
        || !is_state(state = held(visit, of_visit, STATE)))
        goto over;
    own = held(state, of_state, TRANSITIONS), globals = held(fsm, of_fsm, GLOBALS), shared = held(state, of_state, SHARED);
    if (!IS_DICT(own) || !IS_DICT(globals) || !IS_TUPLE(shared)) goto over;
    for (i = -1; optional == NULL && known == 0 && i <= PyTuple_GET_SIZE(shared); i++)
        known = PyDict_Contains(TABLE(i), event);
    if (optional == NULL && known == 0) { taken = 0; goto over; }
    PyErr_Clear(); /* it comes again */
    lead = IS_EMPTY_TUPLE(of_its_callbacks(visit, LISTENERS)) ? Py_NewRef(ID(unhandled))
        : PyObject_CallMethodObjArgs(fsm, ID(_offer_), event, data, NULL);
    if (lead == NULL) lead = kept_error(fsm);
    else if (lead != ID(consumed)) Py_SETREF(lead, choose(fsm, visit, own, shared, globals, event, data, lead));
    if (lead == NULL) taken = -1;
    else if (lead == ID(consumed)) taken = 1;
    else if (PyUnicode_Check(lead))
        taken = truth(PyObject_CallMethodObjArgs(fsm, ID(_not_taken_), event, data, optional ? optional : Py_False, lead, NULL));
    else { /* Fsm._decide_ */
        PyObject *change = PyTuple_Pack(3, lead, event, data);
        if (change != NULL) put(fsm, of_fsm, NEXT, change);
        taken = change == NULL || notify(fsm, ID(event_sent), event, data, ID(changed)) < 0 ? -1 : 1;
        Py_XDECREF(change);
    }
over:
    Py_XDECREF(visit); Py_XDECREF(state); Py_XDECREF(own); Py_XDECREF(globals); Py_XDECREF(shared); Py_XDECREF(lead);
    return taken;
}

/* Fsm._settle_: 1 after a change, 0 without, -1 if it raises. The Python method does what a change leads to. */
static int settle(PyObject *fsm)
{
    PyObject *change = held(fsm, of_fsm, NEXT), *visit = visit_of(fsm), *target = NULL, *effect = NULL;
    int done = 0, changes = 0;
    if (visit != NULL && change != NULL && PyTuple_CheckExact(change) && PyTuple_GET_SIZE(change) == 3
        && !IS(fsm, of_fsm, PHASE, ENTER) && IS_TUPLE(of_its_callbacks(visit, EXITS))) {
        target = PyTuple_GET_ITEM(change, 0);
        if (Py_IS_TYPE(target, Transition) && PyTuple_GET_ITEM(target, 4) == Py_False)
            target = PyTuple_GET_ITEM(effect = target, 1);
        if (is_state(target)) {
            put(fsm, of_fsm, NEXT, Py_None);
            done = change_state(fsm, visit, target, effect, PyTuple_GET_ITEM(change, 1), PyTuple_GET_ITEM(change, 2));
            changes = 1;
        }
    }
    Py_XDECREF(change); Py_XDECREF(visit);
    PyObject *now = AT(fsm, of_fsm, VISIT);
    if (done < 0) return -1;
    if (IS(fsm, of_fsm, NEXT, Py_None) && IS_EMPTY_TUPLE(AT(fsm, of_fsm, FAILURES)) && IS_EMPTY_TUPLE(AT(fsm, of_fsm, QUEUE))
        && IS(fsm, of_fsm, HALTED, Py_None) && now != NULL && Py_IS_TYPE(now, Visit) && IS(now, of_visit, FINISHED_DUE, Py_False)) {
        put(fsm, of_fsm, PHASE, BETWEEN);
        return changes;
    }
    PyObject *all = PyObject_CallMethodOneArg(fsm, ID(_settle_), changes ? one : zero);
    changes = all == NULL ? -1 : (int)PyLong_AsLong(all);
    Py_XDECREF(all);
    return changes;
}

/* The end of a call from outside: Fsm._reset_after_error_ after an error, and at rest in any case. */
static PyObject *at_rest(PyObject *fsm, int done, PyObject *answer)
{
    PyObject *error = NULL;
    if (done < 0) {
        error = PyErr_GetRaisedException();
        if (truth(PyObject_CallMethodOneArg(fsm, ID(_reset_after_error_), error)) < 0) Py_SETREF(error, PyErr_GetRaisedException());
    }
    put(fsm, of_fsm, PHASE, Py_None);
    if (error != NULL) { PyErr_SetRaisedException(error); return NULL; }
    return only_watched(fsm) || truth(PyObject_CallMethodNoArgs(fsm, ID(_raise_errors_of_observers_))) >= 0 ? Py_NewRef(answer) : NULL;
}

/* Fsm.send_event */
VECTORCALL(send_event)
{
    if (!PLAIN_CALL(Fsm, 2, 3) || !PyUnicode_CheckExact(args[1]) || !only_watched(args[0])) FALL_BACK;
    PyObject *fsm = args[0], *event = args[1], *data = PyVectorcall_NARGS(nargsf) == 3 ? args[2] : Py_None;
    PyObject *observers = AT(fsm, of_fsm, OBSERVERS);
    if (INTERCEPTED(observers)) return PyObject_CallMethodObjArgs(fsm, ID(_send_observed_), event, data, NULL);
    PyObject *visit = visit_of(fsm), *routes = visit ? held(visit, of_visit, ROUTES) : NULL, *target = NULL, *answer = NULL;
    int taken = UNUSUAL, from_outside = IS(fsm, of_fsm, PHASE, Py_None);
    if (visit == NULL || !IS_TUPLE(of_its_callbacks(visit, EXITS)) || !IS_DICT(routes) || !WALKS_PLAINLY(fsm)) {
        answer = BY_PYTHON;
        goto over;
    }
    if (is_observers(observers = AT(fsm, of_fsm, OBSERVERS))) put(observers, of_observers, HAS_ASKED, Py_False);
    if (!from_outside)
        taken = dispatch(fsm, event, data, Py_False);
    else if (IS(fsm, of_fsm, HOST, Py_None) && is_state(target = Py_XNewRef(PyDict_GetItemWithError(routes, event)))) {
        int done = change_state(fsm, visit, target, NULL, event, data);
        answer = at_rest(fsm, done == 1 ? truth(PyObject_CallMethodOneArg(fsm, ID(_settle_), one)) : done, Py_True);
        goto over;
    } else if (!PyErr_Occurred() && IS_EMPTY_TUPLE(AT(fsm, of_fsm, QUEUE)) && IS(fsm, of_fsm, HOST, Py_None)
               && IS(visit, of_visit, FINISHED_DUE, Py_False)) {
        put(fsm, of_fsm, PHASE, BETWEEN);
        if ((taken = dispatch(fsm, event, data, Py_False)) == UNUSUAL) put(fsm, of_fsm, PHASE, Py_None);
    }
    if (taken == UNUSUAL)
        answer = PyErr_Occurred() ? NULL : PyObject_CallMethodObjArgs(fsm, ID(_send_), event, data, NULL);
    else
        answer = from_outside ? at_rest(fsm, taken < 0 ? -1 : settle(fsm), taken == 1 ? Py_True : Py_False)
            : taken < 0 ? NULL : PyBool_FromLong(taken);
over:
    Py_XDECREF(visit); Py_XDECREF(routes); Py_XDECREF(target);
    return answer;
}

/* Fsm._dispatch_ */
VECTORCALL(dispatch_)
{
    int taken = PLAIN_CALL(Fsm, 3, 4) ? dispatch(args[0], args[1], args[2], PyVectorcall_NARGS(nargsf) == 4 ? args[3] : Py_False) : UNUSUAL;
    if (taken == UNUSUAL) FALL_BACK;
    return taken < 0 ? NULL : PyBool_FromLong(taken);
}

/* Fsm._settle_ */
VECTORCALL(settle_)
{
    if (!PLAIN_CALL(Fsm, 1, 1) || !WALKS_PLAINLY(args[0])) FALL_BACK;
    int changes = settle(args[0]);
    return changes < 0 ? NULL : PyLong_FromLong(changes);
}

/* Whether Fsm._begin_update_ may have something to do `seconds` from now. */
static int something_waits(PyObject *fsm, double seconds)
{
    PyObject *delayed = AT(fsm, of_fsm, DELAYED), *first, *due;
    if (!IS_EMPTY_LIST(AT(fsm, of_fsm, POSTED)) || !IS_EMPTY_TUPLE(AT(fsm, of_fsm, QUEUE))) return 1;
    if (IS_EMPTY_LIST(delayed)) return 0;
    first = delayed != NULL && PyList_CheckExact(delayed) ? PyList_GET_ITEM(delayed, 0) : NULL;
    due = first != NULL && Py_IS_TYPE(first, Delayed) ? AT(first, of_delayed, DUE) : NULL;
    return due == NULL || !PyFloat_CheckExact(due)
        || PyFloat_AS_DOUBLE(due) <= PyFloat_AS_DOUBLE(AT(fsm, of_fsm, TIME)) + seconds + TOLERANCE;
}

/* Fsm.update */
VECTORCALL(update)
{
    if (!PLAIN_CALL(Fsm, 2, 2) || !PyFloat_CheckExact(args[1])) FALL_BACK;
    PyObject *fsm = args[0], *time = AT(fsm, of_fsm, TIME), *updates = NULL, *visit = AT(fsm, of_fsm, VISIT);
    PyObject *observers = AT(fsm, of_fsm, OBSERVERS);
    double seconds = PyFloat_AS_DOUBLE(args[1]);
    if (!(0.0 <= seconds && seconds < Py_HUGE_VAL) || !IS(fsm, of_fsm, PHASE, Py_None) || !only_watched(fsm) || INTERCEPTED(observers)
        || (observers != Py_None && !IS(observers, of_observers, WANTS_UPDATES, Py_False))
        || visit == NULL || !Py_IS_TYPE(visit, Visit) || !is_state(AT(visit, of_visit, STATE))
        || !IS(visit, of_visit, FINISHED_DUE, Py_False) || !IS_TUPLE_OR_LIST(AT(visit, of_visit, UPDATES))
        || time == NULL || !PyFloat_CheckExact(time) || !IS(fsm, of_fsm, STEP, Py_None)
        || !IS(fsm, of_fsm, HALTED, Py_None) || !WALKS_PLAINLY(fsm))
        FALL_BACK;
    int waits = something_waits(fsm, seconds), done;
    PyObject *now = PyFloat_FromDouble(PyFloat_AS_DOUBLE(time) + seconds);
    if (now == NULL) return NULL;
    if (is_observers(observers = AT(fsm, of_fsm, OBSERVERS))) put(observers, of_observers, HAS_ASKED, Py_False);
    put(fsm, of_fsm, TIME, now); put(fsm, of_fsm, DELTA_TIME, args[1]);
    Py_DECREF(now);
    if (waits) waits = truth(PyObject_CallMethodObjArgs(fsm, ID(_begin_update_), args[1], Py_False, NULL));
    visit = waits == 0 ? visit_of(fsm) : NULL;
    if (waits == 0 && visit == NULL) PyErr_SetString(PyExc_AttributeError, "a visit");
    if (visit != NULL) updates = held(visit, of_visit, UPDATES);
    done = visit != NULL ? walk(fsm, UPDATE, visit, updates) : waits > 0 ? 0 : -1;
    if (visit != NULL && done == 1) done = settle(fsm);
    Py_XDECREF(updates); Py_XDECREF(visit);
    return at_rest(fsm, done, Py_None);
}

/* Finishing. Visit.finish, of an action that counts: 1 if all have finished, 0 if not, -1 if it raises. */
static int count_finished(PyObject *visit, PyObject *action)
{
    PyObject *updates = held(visit, of_visit, UPDATES), *actions = held(visit, of_visit, ACTIONS), *count;
    PyObject *size = Py_XNewRef(of_its_callbacks(visit, SIZE));
    for (Py_ssize_t i = 0; IS_TUPLE(actions) && updates != NULL && PyList_CheckExact(updates) && i < PyList_GET_SIZE(updates); i++) {
        PyObject *hook = PyList_GET_ITEM(updates, i);
        if (hook != STRUCK_OUT && PyTuple_CheckExact(hook) && PyTuple_GET_SIZE(hook) == 2 && action_at(actions, hook) == action)
            PyList_SetItem(updates, i, Py_NewRef(STRUCK_OUT));
    }
    if ((count = held(visit, of_visit, FINISHED_COUNT)) != NULL) Py_SETREF(count, PyNumber_Add(count, one));
    int all = PyErr_Occurred() || count == NULL || size == NULL ? -1 : PyObject_RichCompareBool(count, size, Py_EQ);
    if (all >= 0) { put(visit, of_visit, FINISHED_COUNT, count); put(visit, of_visit, SPECIAL, Py_True); }
    if (all > 0) all = IS(visit, of_visit, ANNOUNCED, Py_False);
    Py_XDECREF(updates); Py_XDECREF(actions); Py_XDECREF(size); Py_XDECREF(count);
    return all;
}

/* FsmAction.finish, called by the action itself while it is entered or updated; not of one that fails. */
VECTORCALL(finish)
{
    if (!PLAIN_CALL(Action, 1, 3)) FALL_BACK; /* what was not needed counts where time is carried over */
    PyObject *action = args[0], *fsm = attribute(action, ID(_fsmkit_fsm)), *visit = NULL, *event = NULL, *result = NULL;
    PyObject *data = PyVectorcall_NARGS(nargsf) == 3 ? args[2] : Py_None;
    if (fsm == NULL || !PyObject_TypeCheck(fsm, Fsm) || !IS(fsm, of_fsm, OBSERVERS, Py_None) || Py_IS_TYPE(data, Failure)
        || !IS(fsm, of_fsm, ACTING, action) || !(IS(fsm, of_fsm, PHASE, UPDATE) || IS(fsm, of_fsm, PHASE, ENTER))
        || !IS(fsm, of_fsm, STEP, Py_None) || !IS(fsm, of_fsm, HALTED, Py_None) || (visit = visit_of(fsm)) == NULL
        || !attribute_is(action, ID(background), Py_False) || !attribute_is(action, ID(_fsmkit_parent), Py_None)
        || !attribute_is(action, ID(_fsmkit_finished), Py_False) || (event = attribute(action, ID(finish_event))) == NULL) {
        result = BY_PYTHON;
        goto over;
    }
    int all = PyObject_SetAttr(action, ID(_fsmkit_finished), Py_True) < 0 ? -1 : count_finished(visit, action), sent;
    if (all < 0) goto over;
    if (event != Py_None)
        sent = truth(PyObject_CallMethodObjArgs(fsm, ID(_announce_), action, Py_False, nought, data, NULL));
    else if ((sent = all)) { /* Fsm._send_finished_ */
        put(visit, of_visit, ANNOUNCED, Py_True);
        sent = has_base(fsm, Fsm, ID(send_event), send_event_method) ? dispatch(fsm, FINISHED, data, NULL) : UNUSUAL;
        if (sent == UNUSUAL) {
            put(visit, of_visit, ANNOUNCED, Py_False);
            sent = truth(PyObject_CallMethodOneArg(fsm, ID(_send_finished_), data));
        }
    }
    if (sent >= 0) result = Py_NewRef(Py_None);
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
    PyObject *fsm = args[0], *states = AT(fsm, of_fsm, STATES), *options = AT(fsm, of_fsm, OPTIONS);
    if (!is_name(args[1]) || options == NULL || !PyTuple_Check(options) || PyTuple_GET_SIZE(options) != 3
        || !IS_EMPTY_TUPLE(PyTuple_GET_ITEM(options, 2)) || !IS(fsm, of_fsm, PHASE, Py_None) || !IS(fsm, of_fsm, OBSERVERS, Py_None)
        || !IS_DICT(states) || PyDict_Contains(states, args[1]) != 0)
        FALL_BACK;
    Py_INCREF(states);
    PyObject *transitions = PyDict_New(), *none = PyTuple_New(0), *state = State->tp_alloc(State, 0);
    PyObject *slots[] = {fsm, args[1], Py_False, Py_False, none, transitions, none, NO_CALLBACKS}; /* in the order of of_state */
    for (size_t i = 0; state != NULL && i < COUNT(slots); i++) AT(state, of_state, i) = Py_XNewRef(slots[i]);
    if (transitions == NULL || none == NULL || (state != NULL && PyDict_SetItem(states, args[1], state) < 0)) Py_CLEAR(state);
    Py_DECREF(states); Py_XDECREF(transitions); Py_XDECREF(none);
    return state;
}

/* The machine of a state, at rest; borrowed, NULL if anything is unusual. */
static PyObject *machine_of(PyObject *state)
{
    PyObject *fsm = AT(state, of_state, STATE_FSM);
    return fsm != NULL && PyObject_TypeCheck(fsm, Fsm) && IS(fsm, of_fsm, PHASE, Py_None)
        && IS(fsm, of_fsm, OBSERVERS, Py_None) ? fsm : NULL;
}

/* Source.add_transition, of a state and one that is no more than its target */
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
        || !has_base(action, Action, ID(machines), machines_base)
        || !has_base(action, Action, ID(children), children_base) || !has_base(action, Action, ID(_fsmkit_family), family_base)
        || !attribute_is(action, ID(_fsmkit_declares), Py_False) || !attribute_is(action, ID(background), Py_False)
        || !attribute_is(action, ID(finish_event), Py_None) || Py_TYPE(action)->tp_setattro != PyObject_GenericSetAttr
        || !attribute_is(action, ID(_fsmkit_state), Py_None)
        || (old = AT(state, of_state, STATE_ACTIONS)) == NULL || !PyTuple_CheckExact(old))
        FALL_BACK;
    Py_INCREF(old); Py_INCREF(fsm);
    PyObject *last = PyTuple_Pack(1, action), *actions = last != NULL ? PySequence_Concat(old, last) : NULL, *result = NULL;
    if (actions != NULL) {
        if (!IS(state, of_state, STATE_ACTIONS, old))
            result = BY_PYTHON; /* a finalizer has added another one */
        else if (PyObject_SetAttr(action, ID(_fsmkit_state), state) == 0 && PyObject_SetAttr(action, ID(_fsmkit_fsm), fsm) == 0) {
            put(state, of_state, STATE_ACTIONS, actions); put(state, of_state, STATE_CALLBACKS, NO_CALLBACKS);
            result = Py_NewRef(action);
        }
    }
    Py_XDECREF(last); Py_XDECREF(actions); Py_DECREF(old); Py_DECREF(fsm);
    return result;
}

/* Installing */
static const struct { const char *owner, *name; vectorcallfunc fast; PyObject **kept; } METHODS[] = {
    {"Processing", "_change_state_", change_state_, NULL},
    {"Fsm", "send_event", send_event, &send_event_method},
    {"Processing", "_dispatch_", dispatch_, NULL},
    {"Processing", "_settle_", settle_, NULL},
    {"Fsm", "update", update, NULL},
    {"FsmAction", "finish", finish, NULL},
    {"Definition", "add_state", add_state, NULL},
    {"Source", "add_transition", add_transition, NULL},
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
        if (!is_slot) return PyErr_Format(PyExc_TypeError, "%s.%s is not a slot", type->tp_name, slots->name), -1;
    }
    return 0;
}

#define NEED(variable, object, name) if (((variable) = PyObject_GetAttrString(object, name)) == NULL) return NULL

/* install(core): put the methods in; `core` has the classes and constants by name. Nothing is changed
 * if something is missing. */
static PyObject *install(PyObject *Py_UNUSED(module), PyObject *core)
{
    static int64_t owner = -1; /* the interpreter whose classes these are: there is one set of them */
    int64_t here = PyInterpreterState_GetID(PyInterpreterState_Get());
    if (owner < 0) owner = here;
    if (owner != here)
        return PyErr_Format(PyExc_ImportError, "the kernel serves another interpreter, and no subinterpreters beside it");
    PyObject *tolerance, *owners[COUNT(METHODS)], *methods[COUNT(METHODS)];
    struct { const char *name; PyTypeObject **type; Slot *slots; } classes[] = {
        {"Fsm", &Fsm, of_fsm}, {"FsmState", &State, of_state}, {"Visit", &Visit, of_visit}, {"Callbacks", &Callbacks, of_callbacks},
        {"DelayedEvent", &Delayed, of_delayed}, {"Observers", &Observers, of_observers}, {"FsmAction", &Action, NULL}, {"Transition", &Transition, NULL},
        {"Failure", &Failure, NULL}};
#define ENTRY(name) {#name, &ID(name)},
    struct { const char *name; PyObject **id; } names[] = {NAMES(ENTRY)};
    struct { const char *name; PyObject **value; } constants[] = {
        {"ENTER", &ENTER}, {"UPDATE", &UPDATE}, {"EXIT", &EXIT}, {"EVENT", &EVENT}, {"BETWEEN", &BETWEEN}, {"FINISHED", &FINISHED},
        {"NOWHERE", &NOWHERE}, {"STRUCK_OUT", &STRUCK_OUT}, {"NO_CALLBACKS", &NO_CALLBACKS}, {"kind_of", &kind_of}, {"ordinary_callbacks", &ordinary_callbacks}, {"SHARED", &shared}, {"TIME_TOLERANCE", &tolerance}};
    for (size_t i = 0; i < COUNT(names); i++)
        if ((*names[i].id = PyUnicode_InternFromString(names[i].name)) == NULL) return NULL;
    for (size_t i = 0; i < COUNT(classes); i++) {
        NEED(*(PyObject **)classes[i].type, core, classes[i].name);
        if (!PyType_Check(*classes[i].type)) return PyErr_Format(PyExc_TypeError, "%s is not a class", classes[i].name);
        if (classes[i].slots != NULL && locate(*classes[i].type, classes[i].slots) < 0) return NULL;
    }
    for (size_t i = 0; i < COUNT(constants); i++) NEED(*constants[i].value, core, constants[i].name);
    TOLERANCE = PyFloat_AsDouble(tolerance);
    NEED(shared, shared, "data"); /* classes -> a weak reference to their callbacks */
    PyObject *action = (PyObject *)Action;
    for (size_t i = 0; i < COUNT(names); i++)
        if (names[i].name[0] == '_' && strncmp(names[i].name, "_fsmkit", 7) && !PyObject_HasAttr((PyObject *)Fsm, *names[i].id))
            return PyErr_Format(PyExc_TypeError, "Fsm has no %s", names[i].name);
    NEED(walk_method, (PyObject *)Fsm, "process_state_actions");
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
