"""For PyInstaller: what `fsmkit.__version__` reads."""

from importlib.metadata import PackageNotFoundError

from PyInstaller.utils.hooks import copy_metadata

try:
    datas = copy_metadata("fsmkit")
except PackageNotFoundError:  # a copy of the repository, on the path
    datas = []
