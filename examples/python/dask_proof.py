#!/usr/bin/env python3
"""Filters a zarr array with a cluster of small workers, kills one half-way, and compares with the whole picture.

    python3 dask_proof.py [SIDE [FOLDER]]

SIDE is 32768 unless given: 4.3 GB of float32, filtered by two workers of 1 GB each. FOLDER, by default a temporary
one, needs twice that; the comparison reads the picture in strips, with what the filter reads around them. It fails
where no worker was killed, where a worker took 800 MB, and where a sample differs by more than rounding.
"""
import logging
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time

import dask
import dask.array as da
import numpy as np
import zarr
from distributed import Client, LocalCluster

import abbe
import abbe.dask

CHUNK = 2048
FILTER = "disk:radius=30"


def open_array(path, side, mode):
    chunk = min(CHUNK, side // 8)
    return zarr.open(str(path), mode=mode, shape=(side, side), chunks=(chunk, chunk), dtype="f4", compressor=None)


def fill(array):
    random = np.random.default_rng(7)
    for row in range(0, array.shape[0], array.chunks[0]):
        array[row:row + array.chunks[0]] = random.random((array.chunks[0], array.shape[1]), dtype="f4")


class Watch(threading.Thread):
    """Notes the largest worker, and kills one when half of the chunks are written."""

    def __init__(self, cluster, folder, chunks):
        super().__init__(daemon=True)
        self.cluster, self.folder, self.half = cluster, folder, chunks // 2
        self.peak = 0
        self.killed = None
        self.done = threading.Event()

    def run(self):
        while not self.done.wait(0.05):
            for worker in list(self.cluster.workers.values()):
                self.look(worker.pid)
            if self.killed is None and len(list(self.folder.iterdir())) > self.half:
                self.killed = next(iter(self.cluster.workers.values())).pid
                os.kill(self.killed, signal.SIGKILL)

    def look(self, pid):
        try:
            pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
            self.peak = max(self.peak, pages * os.sysconf("SC_PAGE_SIZE"))
        except (OSError, ValueError, IndexError):
            pass  # it is being replaced


def compare(source, target):
    """The largest difference from filtering the picture in strips of its full width."""
    up = abbe.Filter(FILTER).reach().up
    side, step = source.shape[0], 2 * source.chunks[0]
    largest = 0.0
    for row in range(0, side, step):
        top, end = max(0, row - up), min(side, row + step + up)
        strip = abbe.filter(source[top:end], FILTER)
        kept = strip[row - top:row - top + step]
        largest = max(largest, float(np.abs(kept - target[row:row + step]).max()))
    return largest


def main(side, folder):
    folder = pathlib.Path(folder)
    source = open_array(folder / "in.zarr", side, "w")
    fill(source)
    target = open_array(folder / "out.zarr", side, "w")
    dask.config.set({"distributed.worker.memory.terminate": 0.95})
    with LocalCluster(2, threads_per_worker=1, memory_limit="1GB", dashboard_address=None,
                      silence_logs=logging.CRITICAL + 1, local_directory=str(folder)) as cluster, Client(cluster):
        watch = Watch(cluster, folder / "out.zarr", source.nchunks)
        watch.start()
        begin = time.perf_counter()
        da.store(abbe.dask.filter(da.from_zarr(source), FILTER), target, lock=False)
        seconds = time.perf_counter() - begin
        watch.done.set()
        watch.join()
    error = compare(source, target)
    print(f"{FILTER}, {source.nbytes / 1e9:.2f} GB in {source.nchunks} chunks: {seconds:.1f} s, largest worker "
          f"{watch.peak / 1e6:.0f} MB, worker {watch.killed} killed half-way, largest difference {error:.1e}")
    return 0 if watch.killed and error < 2e-6 and watch.peak < 800e6 else 1


if __name__ == "__main__":
    side = int(sys.argv[1]) if len(sys.argv) > 1 else 32768
    if len(sys.argv) > 2:
        sys.exit(main(side, sys.argv[2]))
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(main(side, temporary))
