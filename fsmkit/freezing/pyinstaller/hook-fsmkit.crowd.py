"""For PyInstaller: the sources of crowds, parts of which are the text of compiled loops."""

module_collection_mode = "pyz+py"
