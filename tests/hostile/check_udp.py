#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_udp.py FORM FLOOD CAPTURE PRODUCER: compares the summaries of flood.py, of capture -j and of a producer. The capture must have
received all frames of flood.py and of the producer, and its ledger must have all events of the producer."""
import json
import re
import sys

form, flood, capture, producer = sys.argv[1], *(open(path, encoding="utf-8").read() for path in sys.argv[2:])
failed = False


def expect(what, holds, *shown):
    global failed
    if not holds:
        failed = True
        print(f"FAIL: {form}: {what}:", *shown)


sent = json.loads(flood)
end = next(json.loads(line) for line in capture.splitlines() if line.startswith('{"end"'))
stream = next((s for s in end["end"] if s["stream"] == sent["stream"]), None)
if not stream:
    sys.exit(f"FAIL: {form}: the producer's stream is not in the summary")
ledger, frames, questions = stream["ledger"], end["frames"], end["questions"]
places = ledger["places"]
recorded, read, events = (int(n) for n in re.search(r"^events +(\d+) recorded, (\d+) read, (\d+) sent", producer, re.M).groups())
ring, shed, refused = (int(n) for n in re.search(r"^lost +(\d+) in the ring, (\d+) by the producer, (\d+) in ", producer, re.M).groups())
clock = re.search(r"^clock +(\d+) requests answered; (\d+) frames were not requests to this stream, \d+ answers could not be sent, (\d+) frames exceeded", producer, re.M)
answered, strange, dropped = (int(n) for n in clock.groups()) if clock else (0, 0, 0)
print(f"{form}: {sent}, {recorded} events of the producer, {frames}, {questions}, clock {stream['clock']}")

expect("the ledger is closed", ledger["state"] == "closed", ledger)
expect("the difference is 0", ledger["difference"] == 0, ledger)
expect("both ends tell as many events", ledger["recorded"] == recorded, ledger, recorded)
expect("losses are the producer's", (places["ring"], places["shed"], places["tx"]) == (ring, shed, refused), ledger)
expect("nothing is lost on the way or here", not any(places[p] for p in ("wire", "receiver", "damaged", "disk")), ledger)
expect("what was not lost is in the file or was filtered", places["delivered"] + places["capture_filter"] == events, ledger, events)
expect("the filter took some" if form == "filter" else "nothing is filtered", bool(places["capture_filter"]) == (form == "filter"), ledger)
expect("the receiver dropped nothing", frames["dropped"] == 0, frames)
expect("all frames came", frames["received"] >= sum(sent.get(k, 0) for k in ("datagrams", "late or twice", "in bundles", "in fragments")), sent, frames)
expect("frames cannot be read", frames["unreadable"] > 0, frames)
expect("the producer's clock is known", stream["clock"]["method"] == "exchange" and stream["clock"]["exchanges"] > 0, stream["clock"])
expect("its times are known as well as an answer tells", stream["clock"]["error_ns"] < 10**9, stream["clock"])
expect("answers to nothing", questions["strange"] > 0, questions)
expect("the producer tells what it was asked", answered > 0 and strange > 0 and dropped > 0, clock and clock[0])
sys.exit(failed)
