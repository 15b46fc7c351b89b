/* A stand-in for the kernel: it looks at what it is given, and changes nothing. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *install(PyObject *module, PyObject *args)
{
    PyObject *fsm, *state, *action, *visit, *helpers;
    if (!PyArg_ParseTuple(args, "O!O!O!O!O:install", &PyType_Type, &fsm, &PyType_Type, &state,
                          &PyType_Type, &action, &PyType_Type, &visit, &helpers))
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"install", install, METH_VARARGS, "Put the faster bodies in place, or raise and change nothing."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "fsmkit.core._kernel", .m_size = -1, .m_methods = functions,
};

PyMODINIT_FUNC PyInit__kernel(void)
{
    return PyModule_Create(&definition);
}
