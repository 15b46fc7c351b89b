"""SVG by hand: elements, whole pictures, the one theme and the one axis."""
