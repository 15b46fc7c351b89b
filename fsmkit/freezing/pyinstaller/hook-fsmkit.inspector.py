"""For PyInstaller: the page of the inspector."""

from PyInstaller.utils.hooks import collect_data_files

datas = collect_data_files("fsmkit.inspector")
