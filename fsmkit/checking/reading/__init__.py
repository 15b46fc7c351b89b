"""Reading: what users' code sends, found in its bytecode without running it.

A function is read instruction by instruction, along all of its branches, with what is known
of each value: constants, and objects that exist already, such as the action, its state and its
machine. Everything else is unknown, and stays so: nothing here guesses.
"""
