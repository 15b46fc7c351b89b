"""The side of the server, in a thread of its own; it never touches a machine."""
