#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds the events of a pair in the output of `trace-cmd report -t`, and compares their times with the figures of `tracewire latency -j`.

Usage: pairs.py PAIR REPORT JSON
"""
import json
import re
import sys

pair, report, ours = sys.argv[1:]
# Newer versions of trace-cmd print the flags of the event after the CPU.
LINE = re.compile(r"^\s*(.*)-(\d+)\s+\[(\d+)\]\s+(?:\S+\s+)?(\d+)\.(\d{9}):\s+(\S+):\s+(.*)$")


def number(name, text):
    found = re.search(r"\b%s=(-?\w+)" % name, text)
    return found[1] if found else None


def switch(text):
    """Return: state and pid of the previous task, pid of the next one"""
    found = re.match(r".*:(\d+) \[\d+\] (\S+) ==> .*:(\d+) \[\d+\]$", text)
    if found:
        return found[2], found[1], found[3]
    return number("prev_state", text), number("prev_pid", text), number("next_pid", text)


def steps(event, pid, cpu, text):
    """Return: what the event does, in order: end, cancel or begin, and the key"""
    if pair == "syscalls":
        return {"sys_enter": [("begin", pid)], "sys_exit": [("end", pid)], "sched_process_exit": [("cancel", pid)]}.get(event, [])
    if pair == "softirqs":
        return {"softirq_entry": [("begin", (cpu, number("vec", text)))],
                "softirq_exit": [("end", (cpu, number("vec", text)))]}.get(event, [])
    if pair == "hardirqs":
        return {"irq_handler_entry": [("begin", (cpu, number("irq", text)))],
                "irq_handler_exit": [("end", (cpu, number("irq", text)))]}.get(event, [])
    if pair == "timer":
        key = re.search(r"timer=(\S+)", text)
        return {"timer_start": [("begin", key and key[1])], "timer_expire_entry": [("end", key and key[1])]}.get(event, [])
    if event == "sched_switch":
        state, previous, following = switch(text)
        if pair == "offcpu":
            return [("end", following)] + ([("begin", previous)] if previous != "0" and state[0] not in "XZ" else [])
        return ([("end", following), ("cancel", previous)] +
                ([("begin", previous)] if state.startswith("R") and previous != "0" else []))
    if pair == "runqlat" and event in ("sched_waking", "sched_wakeup", "sched_wakeup_new"):
        named = re.match(r".*:(\d+) \[\d+\]", text)  # the text of trace-cmd's plugin for sched_wakeup and sched_wakeup_new
        return [("begin", named[1] if named else number("pid", text))]
    if pair == "runqlat" and event == "sched_process_exit":
        return [("cancel", pid)]
    return []


def find(lines):
    began, times = {}, []
    for line in lines:
        m = LINE.match(line)
        if not m:
            continue
        now = int(m[4]) * 10**9 + int(m[5])
        for step, key in steps(m[6], m[2], m[3], m[7]):
            if step == "begin":
                if pair != "runqlat" or key not in began:
                    began[key] = now
            elif key in began:
                if step == "end":
                    times.append(now - began[key])
                del began[key]
    return times


times = sorted(find(open(report, errors="replace")))
figures = json.load(open(ours))["pairs"][0]
wanted = {"count": len(times), "sum": sum(times), "min": times[0], "max": times[-1], "mean": sum(times) // len(times)}
found = {name: figures.get(name) for name in wanted}
for name, share in ("p50", .5), ("p90", .9), ("p99", .99):
    exact = times[max(0, -(-len(times) * int(share * 1000) // 1000) - 1)]
    unit = 1 if pair in ("syscalls", "softirqs", "hardirqs") else 1000
    if not exact <= figures[name] <= exact * 33 / 32 + unit:
        found[name], wanted[name] = figures[name], exact
for row in figures["rows"]:
    n = sum(row["above"] < t <= row["bound"] or (row["above"] == 0 == t) for t in times)
    if n != row["count"]:
        found[str(row)], wanted[str(row)] = row["count"], n
if found != wanted:
    sys.exit("%s: %s instead of %s" % (pair, found, wanted))
print("%s: %d pairs" % (pair, len(times)))
