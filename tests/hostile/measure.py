#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# measure.py SECONDS COMMAND...: runs COMMAND with a limit of CPU time, which does not depend on other activity of the machine. COMMAND may
# take up to ten times SECONDS of real time. Prints "status seconds MiB" on file descriptor 3: the exit status, the CPU time, and the
# largest memory. In place of an exit status: "cpu-limit"; "asleep", if COMMAND exceeded the real time; or the name of the signal that ended
# COMMAND, such as SIGKILL if the kernel was out of memory.
import os, resource, signal, subprocess, sys

most_seconds = int(sys.argv[1])


def name_of(status):
    if status == -signal.SIGXCPU:
        return "cpu-limit"
    return status if status >= 0 else signal.Signals(-status).name


# At the soft limit, the kernel sends SIGXCPU; at the hard limit, which a process reaches that ignores SIGXCPU, SIGKILL. The CPU time shows
# whether the limit was the reason.
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
