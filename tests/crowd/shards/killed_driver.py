"""Drives a crowd on a cluster of its own through six calls, and is killed after another.

It prints all processes that it has started: their ids, the times of their starts, and names.
"""

import os
import signal
import sys
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parent))

from conftest import Course
from fsmkit.crowd.shards import DaskShards, RayShards

kind = {"ray": RayShards, "dask": DaskShards}[sys.argv[1]]
course = Course(7)
crowd = course.sharded(kind(2, share_cpus=True), checkpoints=sys.argv[2], every=None)
for number in range(6):
    course.go(number, crowd)
crowd.checkpoint()
crowd.update(0.1)
for each in psutil.Process().children(recursive=True):
    print(each.pid, each.create_time(), each.name(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
