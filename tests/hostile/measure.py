#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# measure.py SECONDS COMMAND...: runs it with a limit of CPU time, because other activity of the machine is not its fault. A command that
# only waits has ten times as long by the clock. Prints "status seconds MiB" on file descriptor 3: its exit status, its CPU time, and its
# maximum memory. Instead of the status: "cpu-limit", "asleep", or the name of the signal that ended it, such as SIGKILL if the kernel was
# out of memory.
import os, resource, signal, subprocess, sys

most_seconds = int(sys.argv[1])


def name_of(status):
    if status == -signal.SIGXCPU:
        return "cpu-limit"
    return status if status >= 0 else signal.Signals(-status).name


# The soft limit sends SIGXCPU; the hard limit, for a process that ignores SIGXCPU, sends SIGKILL: the CPU time shows which it was.
process = subprocess.Popen(
    sys.argv[2:], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, most_seconds + 1))
)
try:
    status = name_of(process.wait(10 * most_seconds))
except subprocess.TimeoutExpired:
    process.kill()
    process.wait()
    status = "asleep"
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = used.ru_utime + used.ru_stime
if status == "SIGKILL" and seconds >= most_seconds:
    status = "cpu-limit"
os.write(3, f"{status} {seconds:.1f} {used.ru_maxrss // 1024}\n".encode())
