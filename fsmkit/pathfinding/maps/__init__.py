"""Maps from files: images, and maps of the editor Tiled."""
