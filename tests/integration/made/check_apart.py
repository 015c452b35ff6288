# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares none.pcapng and host.pcapng in the given folder, captures of send_apart() in clocks.c, with the true times."""
import os
import sys
from packets import end, end_report, expect, expect_all_delivered, fail, nanoseconds, packets

FIELDS = ("frame.time_epoch", "frame.interface_name", "trace.pid", "trace.time_error", "trace.order")
ANSWERING = ("alpha", "beta")


class Event:
    def __init__(self, packet):
        self.time = nanoseconds(packet["frame.time_epoch"])
        self.name = packet["frame.interface_name"].split(":")[0]
        self.pid = int(packet["trace.pid"])
        self.error = nanoseconds(packet["trace.time_error"])
        self.order = packet["trace.order"]


def read_truth(path):
    """Return what clocks.c printed: the true time of each event by stream and pid, and each stream's true lead and drift."""
    events, clocks = {}, {}
    for line in open(path, encoding="utf-8"):
        what, name, *numbers = line.split()
        if what == "event":
            events[name, int(numbers[0])] = int(numbers[1])
        else:
            clocks[name] = (int(numbers[0]), int(numbers[1]))
    return events, clocks


def check_report(capture, name, clock, truth):
    """The reported bounds of a stream's lead and drift contain the true values, and are narrow enough to be useful."""
    ahead, drift = truth
    if name not in ANSWERING:
        expect(f"{capture}: {name} is known by", "none", clock["method"])
        for key in ("error_ns", "ahead_ns", "drift_ppb"):
            if key in clock:
                fail(f"{capture}: of {name}, which answers nothing, {key} is said")
        return
    expect(f"{capture}: {name} is known by", "exchange", clock["method"])
    print(f"{capture}: {name} is {clock['ahead_ns']} +- {clock['ahead_error_ns']} ns ahead, {ahead} in truth; gains "
          f"{clock.get('drift_ppb')} +- {clock.get('drift_error_ppb')} ppb, {drift} in truth; error {clock['error_ns']} ns")
    if abs(clock["ahead_ns"] - ahead) > clock["ahead_error_ns"]:
        fail(f"{capture}: {name} is {ahead} ns ahead, and said to be {clock['ahead_ns']} +- {clock['ahead_error_ns']}")
    if clock["ahead_error_ns"] > 20000000:
        fail(f"{capture}: the bound of {name} says nothing: {clock['ahead_error_ns']} ns")
    if "drift_ppb" not in clock:
        if clock["ahead_error_ns"] < 1000000:
            fail(f"{capture}: the drift of {name} is not known")
    elif abs(clock["drift_ppb"] - drift) > clock["drift_error_ppb"]:
        fail(f"{capture}: {name} gains {drift} ns/s, and {clock} is said")


def check_errors(capture, events, truth):
    """Each packet time differs from the true time by at most the reported error."""
    for event in events:
        off = abs(event.time - truth[event.name, event.pid])
        if event.error is not None and off > event.error:
            fail(f"{capture}: event {event.pid} of {event.name} is {off} ns off, and {event.error} is said")
    known = {name: sum(e.error is not None for e in events if e.name == name) for name, _ in truth}
    for name, n in known.items():
        wanted = sum(e.name == name for e in events) if name in ANSWERING else 0
        if n != wanted:
            fail(f"{capture}: {n} of {wanted} events of {name} say how far they are off")


def check_orders(capture, events, truth):
    """The order of two packets of different streams is certain only if their distance exceeds the sum of their errors; then it is right."""
    counted = {"certain": 0, "uncertain": 0}
    for before, event in zip(events, events[1:]):
        if before.name == event.name:
            continue
        errors = None if before.error is None or event.error is None else before.error + event.error
        wanted = "certain" if errors is not None and abs(event.time - before.time) > errors else "uncertain"
        expect(f"{capture}: order of event {event.pid} of {event.name}", wanted, event.order)
        counted[event.order] = counted.get(event.order, 0) + 1
        was, then = truth[before.name, before.pid], truth[event.name, event.pid]
        if event.order == "certain" and (event.time > before.time) != (then > was):
            fail(f"{capture}: event {event.pid} of {event.name} is certainly in the wrong place")
    print(f"{capture}: {counted}")
    return counted


def check_together(capture, events):
    """The packet times of simultaneous events of alpha and beta differ by at most the sum of their errors."""
    at = {(e.name, e.pid): e for e in events}
    for pid in range(2, max(e.pid for e in events), 2):
        a, b = at["alpha", pid], at["beta", pid]
        if abs(a.time - b.time) > a.error + b.error:
            fail(f"{capture}: events {pid} were together, and are {abs(a.time - b.time)} ns apart")


def check(capture):
    path = os.path.join(sys.argv[1], capture)
    truth, clocks = read_truth(path + ".sent")
    events = [Event(p) for p in packets(path + ".pcapng", FIELDS, "trace.pid")]
    said = end_report(path + ".err")
    expect(f"{capture}: streams", sorted(clocks), sorted(said))
    for name, streams in said.items():
        expect_all_delivered(streams[0], sum(1 for of, _ in truth if of == name))
        check_report(capture, name, streams[0]["clock"], clocks[name])
    expect(f"{capture}: events", sorted(truth), sorted((e.name, e.pid) for e in events))
    check_errors(capture, events, truth)
    return check_orders(capture, events, truth), events


# With --align none, packet times follow the streams' own clocks, which are seconds apart. Each error includes this distance, so no order is
# certain.
orders, found = check("none")
expect("none: certain orders", 0, orders["certain"])
orders, found = check("host")
check_together("host", found)
if orders["certain"] < 40 or orders["uncertain"] < 40:
    fail(f"host: orders are {orders}")
end()
