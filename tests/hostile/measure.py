#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# measure.py SECONDS COMMAND...: runs it, no longer than that. Prints "status seconds MiB" on file descriptor 3: its exit
# status (124 if it took too long), how long it took, and the most memory it had.
import os, resource, subprocess, sys, time

begin = time.monotonic()
try:
    status = subprocess.run(sys.argv[2:], timeout=float(sys.argv[1])).returncode
except subprocess.TimeoutExpired:
    status = 124
took = time.monotonic() - begin
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
os.write(3, f"{status} {took:.1f} {most}\n".encode())
