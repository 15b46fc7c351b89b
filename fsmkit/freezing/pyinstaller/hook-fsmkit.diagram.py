"""For PyInstaller: the program that lays out pictures as SVG and PNG, where it is installed."""

from fsmkit.diagram.layout import installed_program

found = installed_program()
binaries = [] if found is None else [(found, ".")]
