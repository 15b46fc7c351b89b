"""From the functions of actions to the text of the loops that run a crowd."""
