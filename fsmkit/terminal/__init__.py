"""Writing to a terminal: widths, bars, colours and progress."""
