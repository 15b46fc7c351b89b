"""Pictures of maps: as SVG, and as text."""
