#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A load whose events are known: latency-load.py sched|calls|irq PIDS. Writes the pids of its processes to the file PIDS."""
import os
import socket
import subprocess
import sys
import time


def spin():
    end = time.monotonic() + 3
    while time.monotonic() < end:
        pass


def sleep():
    for _ in range(150):
        time.sleep(0.01)


def call():
    r, w = os.pipe()
    for i in range(150):
        time.sleep(0.002 + 0.004 * (i % 4))
        os.write(w, b"x" * 512)
        os.read(r, 512)
        os.getppid()


def send():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 0))
    for _ in range(500):
        s.sendto(b"x" * 1000, s.getsockname())
        s.recv(2000)


def read_disk():
    subprocess.run(["dd", "if=/dev/vda", "of=/dev/null", "iflag=direct", "bs=16k", "count=300", "status=none"], check=True)


def start(work):
    pid = os.fork()
    if not pid:
        work()
        os._exit(0)
    return pid


works = {"sched": [spin, spin, sleep, sleep, sleep], "calls": [call, call], "irq": [send, read_disk]}
pids = [start(work) for work in works[sys.argv[1]]]
with open(sys.argv[2], "w") as out:
    out.write("".join(f"{pid}\n" for pid in pids))
for pid in pids:
    os.waitpid(pid, 0)
