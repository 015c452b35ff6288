#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares results of `latency -j` with those of another tool, group by group, and prints a table.

latency-compare.py KIND LEAST RESULT OTHER GROUPS...: RESULT is the output of `latency -j`, OTHER that of the other tool. KIND is bpftrace
(-f json, with the histogram @PAIR and the statistics @PAIR_ns), perf-trace (trace -s), or tracewire (-j).
GROUPS are PAIR:KEY. LEAST is the smallest share of the other tool's samples that `latency` must have.

Both tools look at the same events of the same load, but each at its own moment, and they delay each other: a few samples are in the row
above or below. A unit that is wrong by a factor of 2 moves all samples by a row.
"""
import json
import math
import re
import sys

kind, least, result, other = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4]
RATIO = 1.6  # limit of the ratio of the means, if the other tool has no rows
SHIFT = 0.8  # limit of the difference of the mean rows
ALSO = 3  # samples that `latency` may have in addition to those of the other tool and 2 %


def of_tracewire(path):
    """Return: {(pair, key): (count, sum in ns, [(upper bound of a row in ns, count)])}"""
    groups = {}
    for pair in json.load(open(path))["pairs"]:
        for group in pair["groups"]:
            if group["count"]:
                rows = [(row["bound"], row["count"]) for row in group["rows"] if row["bound"]]
                groups[pair["pair"], ",".join(group["by"].values())] = (group["count"], group["sum"], rows)
    return groups


def of_bpftrace(path):
    groups, rows = {}, {}
    for line in open(path):
        if not line.startswith('{"type": "hist"') and not line.startswith('{"type": "stats"'):
            continue
        message = json.loads(line)
        for name, keys in message["data"].items():
            for key, value in keys.items():
                if message["type"] == "hist":
                    # The rows of runqlat, offcpu and biolat are microseconds. bpftrace has [1, 2) where latency has (1, 2].
                    unit = 1000 if name[1:] in ("runqlat", "offcpu", "biolat") else 1
                    rows[name[1:], key] = [((row["max"] + 1) * unit, row["count"]) for row in value]
                else:
                    groups[name[1:-3], key] = (value["count"], value["total"])
    return {group: (*figures, rows[group]) for group, figures in groups.items()}


def of_perf_trace(path):
    """Lines " sleep (231), 70 events, 92.1%", then "   openat  2  0  16.954 ..." with the total in ms"""
    groups, pid = {}, None
    for line in open(path):
        if match := re.match(r" \S+ \((\d+)\), \d+ events", line):
            pid = match[1]
        elif match := re.match(r" +(\w+) +(\d+) +\d+ +([0-9.]+) ", line):
            groups["syscalls", f"{pid},{match[1]}"] = (int(match[2]), float(match[3]) * 1e6, None)
    return groups


def mean_row(rows):
    return sum(math.log2(bound) * n for bound, n in rows) / sum(n for _, n in rows)


def share_up_to(rows, bound):
    return sum(n for limit, n in rows if limit <= bound) / sum(n for _, n in rows)


def rows_agree(ours, theirs):
    """The mean rows differ by less than SHIFT. Each share of `ours` lies between those of `theirs` one row lower and one row higher, with
    a margin for few samples."""
    margin = 0.1
    if abs(mean_row(ours) - mean_row(theirs)) >= SHIFT:
        return False
    return all(share_up_to(theirs, bound / 2) - margin <= share_up_to(ours, bound) <= share_up_to(theirs, bound * 2) + margin
               for bound, _ in ours)


readers = {"tracewire": of_tracewire, "bpftrace": of_bpftrace, "perf-trace": of_perf_trace}
mine, others = of_tracewire(result), readers[kind](other)
status = 0
for word in sys.argv[5:]:
    group = tuple(word.split(":"))
    a, b = mine.get(group), others.get(group)
    if not a or not b:
        print(f"FAIL: {group[0]} {group[1]}: not found in {result if not a else other}")
        status = 1
        continue
    ratio = a[1] / a[0] / (b[1] / b[0])
    agree = rows_agree(a[2], b[2]) if b[2] else 1 / RATIO < ratio < RATIO
    good = least * b[0] - 1 <= a[0] <= b[0] * 1.02 + ALSO and agree
    status |= not good
    rows = f"shift {mean_row(a[2]) - mean_row(b[2]):+.2f} rows" if b[2] else ""
    rows = rows if agree else f"{rows}, too much: {a[2]} and {b[2]}"
    print(f"{'' if good else 'FAIL: '}{group[0]:9} {group[1]:20} count {a[0]:4} {b[0]:4}  "
          f"mean {a[1] / a[0] / 1000:8.1f} {b[1] / b[0] / 1000:8.1f} us  {rows}")
sys.exit(status)
