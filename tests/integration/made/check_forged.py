# SPDX-License-Identifier: GPL-2.0-or-later
"""check_forged.py NAME EVENTS KIB MS: all EVENTS of the honest stream of forged.c are in NAME.pcapng, as NAME.err says.

KIB is the memory that the capture used, MS the longest time for which the honest stream was silent.
"""
import sys
from packets import end, end_counts, end_report, expect, expect_all_delivered, fail, nanoseconds, packets

path, n_events = sys.argv[1], int(sys.argv[2])
AHEAD = 123456789
said = end_report(path + ".err")
expect("honest streams", 1, len(said.get("honest", [])))
honest = said["honest"][0]
expect_all_delivered(honest, n_events)
silence, late = int(sys.argv[4]), honest["ledger"]["facts"]["late"]
if silence < 1000:
    expect("late events", 0, late)
else:  # the machine was busy: if the stream was silent for longer than the two seconds that a capture waits, events may be late
    print(f"{late} events are late, as may be of a stream that was silent for {silence} ms")
clock = honest["clock"]
expect("the clock is known by", "exchange", clock["method"])
if abs(clock["ahead_ns"] - AHEAD) > clock["ahead_error_ns"] or clock["ahead_error_ns"] > 10**9:
    fail(f"the clock is {AHEAD} ns ahead, and {clock} is said")
expect("steps of the clock", (0, 0), (clock["steps"], clock["suspends"]))

found = packets(path + ".pcapng", ("frame.time_epoch", "trace.time", "trace.pid"), 'frame.interface_name == "honest:made" && trace.pid')
missing = set(range(1, n_events + 1)) - {int(p["trace.pid"]) for p in found}
expect("events in the file, and missing there", (n_events, []), (len(found), sorted(missing)[:10]))
times = {nanoseconds(p["frame.time_epoch"]) - nanoseconds(p["trace.time"]) for p in found}
expect("distances of packet times and the stream's clock", 1, len(times))

# The summary counts the forged frames: unreadable frames, frames of streams that never answered, and, in admitted streams, impossible
# sequence numbers, incomplete frames and watermarks with impossible numbers.
frames, questions = end_counts(path + ".err", "frames"), end_counts(path + ".err", "questions")
print(frames, questions)
expect("frames lost or too long", (0, 0), (frames["dropped"], frames["too_long"]))
for what in ("unreadable", "refused"):
    if not frames[what]:
        fail(f"no frame is {what}")
if not 0 < questions["answered"] <= questions["asked"] or questions["crowded"] or not questions["strange"]:
    fail(f"questions: {questions}")
limits = end_counts(path + ".err", "limits")
expect("frames of streams that are not asked", questions["crowded"], limits["not_asked"])
expect("metadata not kept", (0, 0), (limits["metadata_not_kept"], limits["names_forgotten"]))
expect("counters of classifiers that could not be read", False, limits["classifiers_unread"])
if not 0 < limits["metadata_bytes"] < 256 << 20 or not limits["metadata_in_pieces"]:
    fail(f"limits: {limits}")
strangers = {}
for stream in (s for streams in said.values() for s in streams):
    ledger = strangers.setdefault(int(stream["stream"], 16), {"malformed": 0, "damaged": 0})
    ledger["malformed"] += stream["ledger"]["facts"]["malformed"]
    ledger["damaged"] += stream["ledger"]["places"]["damaged"]
    if int(stream["stream"], 16) != 0xBADC:  # its counters are random
        expect(stream["stream"] + ": difference", 0, stream["ledger"]["difference"])
for stream_id, what in ((0x5E9, "implausible numbers"), (0x7A0C, "frames that end too soon"), (0xFA5, "numbers of watermarks")):
    if not strangers[stream_id]["malformed"]:
        fail(f"{what}: none is malformed")
if int(sys.argv[3]) > 64 << 10:
    fail(f"{sys.argv[3]} KiB of memory were taken")
end()
