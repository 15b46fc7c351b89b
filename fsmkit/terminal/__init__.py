"""Output for a terminal: widths, bars, colours and progress."""
