# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks steady.pcapng and wall.pcapng in the given folder, which are captures of the stream of send_steps() in clocks.c."""
import os
import sys
from packets import BILLION, end, end_report, expect, expect_all_delivered, fail, nanoseconds, packets

HOUR = 3600 * BILLION
SLEEP = HOUR // 3
EPOCH = 1000 * BILLION
START, STEP, SUSPEND = "1", "2", "3"
FIELDS = ("frame.time_epoch", "trace.time", "trace.pid", "trace.offset.kind", "trace.offset.step", "trace.tlv")


def read(name):
    path = os.path.join(sys.argv[1], name)
    streams = end_report(path + ".err")["stepping"]
    expect(f"{name}: streams", 1, len(streams))
    expect_all_delivered(streams[0], 600)
    expect(f"{name}: steps, suspends", (3, 1), (streams[0]["clock"]["steps"] + 1, streams[0]["clock"]["suspends"]))
    return packets(path + ".pcapng", FIELDS)


def distance(packet):
    return nanoseconds(packet["frame.time_epoch"]) - nanoseconds(packet["trace.time"])


def check_order(name, events):
    expect(f"{name}: events in order", list(range(1, 601)), [int(e["trace.pid"]) for e in events])


def check_records(name, found):
    """Each step or suspend is reported at its place: after the last event before the CLOCK that shows it, and before the next event."""
    told, last = [], 0
    for packet in found:
        if packet["trace.pid"]:
            last = int(packet["trace.pid"])
        if packet["trace.offset.kind"] in (STEP, SUSPEND):
            told.append((packet["trace.offset.kind"], nanoseconds(packet["trace.offset.step"]), last))
    expect(f"{name}: changes, and the event before", [(STEP, HOUR, 200), (STEP, -HOUR, 400), (SUSPEND, SLEEP, 500)], told)


def moved(pid):
    """Return how far packet times have moved against the stream's clock between the first event and event pid, with --wall."""
    return (HOUR if 200 < pid <= 400 else 0) + (SLEEP if pid > 500 else 0)


def check(name, wall):
    found = read(name)
    events = [p for p in found if p["trace.pid"]]
    check_order(name, events)
    check_records(name, found)
    expect(f"{name}: the first record", START, next(p["trace.offset.kind"] for p in found if p["trace.offset.kind"]))
    for event in events:
        pid = int(event["trace.pid"])
        expect(f"{name}: time of event {pid}", EPOCH + (pid - 1) * BILLION // 10, nanoseconds(event["trace.time"]))
        by = distance(event) - distance(events[0])
        if by != (moved(pid) if wall else 0):
            fail(f"{name}: packet times have moved by {by} ns at event {pid}")


check("steady", False)
check("wall", True)
end()
