#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# measure.py SECONDS COMMAND...: runs it, with that much time of a CPU and no more: how much else the machine does is not its fault. Prints
# "status seconds MiB" on file descriptor 3: its exit status (124 if it took too long), what it took of a CPU, and the most memory it had.
import os, resource, signal, subprocess, sys

most_seconds = int(sys.argv[1])
status = subprocess.run(
    sys.argv[2:], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, most_seconds + 1))
).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
status = 124 if status in (-signal.SIGXCPU, -signal.SIGKILL) else status
os.write(3, f"{status} {used.ru_utime + used.ru_stime:.1f} {used.ru_maxrss // 1024}\n".encode())
