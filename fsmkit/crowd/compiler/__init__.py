"""The compiler: turns the functions of actions into the text of the loops that run a crowd."""
