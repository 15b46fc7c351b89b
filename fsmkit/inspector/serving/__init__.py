"""The server's side, in a thread of its own; it never touches a machine."""
