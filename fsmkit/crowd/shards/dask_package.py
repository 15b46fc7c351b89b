"""Dask and its distributed scheduler, optional packages: imported here and nowhere else."""

from __future__ import annotations

try:
    import distributed
    from dask import config
except ImportError as error:
    raise ImportError("DaskShards needs Dask: pip install 'fsmkit[dask]'.") from error

__all__ = ["config", "distributed"]
