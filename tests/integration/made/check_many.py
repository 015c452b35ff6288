# SPDX-License-Identifier: GPL-2.0-or-later
"""check_many.py NAME STREAMS EVENTS: NAME.err counts all events of the streams of many.c; NAME.pcapng, if it exists, has all of them."""
import os
import sys
from packets import end, end_report, expect, expect_all_delivered, fail, nanoseconds, packets

path, n_streams, n_events = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def check_packets():
    found = packets(path + ".pcapng", ("frame.time_epoch", "frame.interface_name", "trace.pid"), "trace.pid")
    expect("events", n_streams * n_events, len(found))
    for i, packet in enumerate(found):
        name, pid = packet["frame.interface_name"], int(packet["trace.pid"])
        if pid != i or name != f"host{i % n_streams:03}:made":
            fail(f"event {pid} of {name} is in place {i}")
    times = [nanoseconds(packet["frame.time_epoch"]) for packet in found]
    expect("times in order", sorted(times), times)


said = end_report(path + ".err")
expect("streams", [f"host{i:03}" for i in range(n_streams)], sorted(said))
for streams in said.values():
    expect("streams of one name", 1, len(streams))
    expect_all_delivered(streams[0], n_events)
if os.path.exists(path + ".pcapng"):
    check_packets()
end()
