"""Elements, colours and a time axis for pictures drawn as SVG."""
