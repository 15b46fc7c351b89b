"""What a page and a source say to each other, whatever carries it: a server, or a function call."""
