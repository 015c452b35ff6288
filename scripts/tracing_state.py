# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads and restores the settings and probes of the kernel's top-level trace instance. A run of tracewire that is killed, or that
scripts/mutants has changed, may leave settings and probes behind, and then later tests fail. $TRACING_DIR replaces the directory of
tracefs."""
import os
import re
import sys

FOLDER = os.environ.get("TRACING_DIR", "/sys/kernel/tracing")
FILES = "trace_options", "tracing_on", "tracing_cpumask", "buffer_percent", "trace_clock", "dynamic_events"


def read():
    """Return: the set of lines of each file in FILES; an empty set for a file that cannot be read"""
    state = {}
    for name in FILES:
        try:
            with open(os.path.join(FOLDER, name)) as file:
                text = file.read()
        except OSError:
            text = ""
        chosen = re.findall(r"\[(\w+)\]", text) if name == "trace_clock" else text.splitlines()
        state[name] = set(chosen)
    return state


def write(name, text):
    try:
        # The kernel removes all probes when dynamic_events is opened for writing without O_APPEND. The other files refuse O_APPEND.
        with open(os.path.join(FOLDER, name), "a" if name == "dynamic_events" else "w") as file:
            file.write(text + "\n")
    except OSError as error:
        print("%s of %s cannot be restored: %s" % (text, name, error), file=sys.stderr)


def restore(before, is_ours=lambda probe: True):
    """Restores the state that read() returned, and removes new probes that is_ours() accepts.
    Return: a line for each setting or probe that was restored"""
    now = read()
    changed = [(name, line) for name in FILES for line in sorted(before[name] - now[name])]
    for name, line in changed:
        write(name, line)
    for probe in filter(is_ours, now["dynamic_events"] - before["dynamic_events"]):
        write("dynamic_events", "-:" + probe.split()[0].partition(":")[2])
    return ["%s is no longer %s" % change for change in changed]
