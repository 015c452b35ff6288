# SPDX-License-Identifier: GPL-2.0-or-later
"""check_flood.py NAME SENDER [KIB SECONDS [full]]: checks a capture of one real stream and of forged streams that lasted SECONDS.

NAME.pcapng is the file of the capture, NAME.err its messages, SENDER the summary of the real stream, and KIB the memory that the capture
used. All events of the real stream are in the file. With full, the flood did not wait for the capture: if the socket dropped frames, events
of the real stream may be missing, at `receiver` only.
"""
import os
import re
import sys
from packets import end, end_counts, end_report, expect, fail

FRAME_BYTES, BURST = 4 << 20, 8  # limit for streams that do not answer: bytes per second, and the burst in seconds
WRITTEN_TIMES = 5  # most bytes in the file for each received byte, because each event becomes a separate packet

path = sys.argv[1]
sent = int(re.search(r"^events +(\d+) recorded", open(sys.argv[2]).read(), re.M).group(1))
said = end_report(path + ".err")
real = [s for name, streams in said.items() if name != "stranger" for s in streams if not name.startswith("stream-")]
expect("real streams", 1, len(real))
ledger = real[0]["ledger"]
places = ledger["places"]
lost = {place: n for place, n in places.items() if n and place != "delivered"}
frames, refused = end_counts(path + ".err", "frames"), end_counts(path + ".err", "refused")
if len(sys.argv) > 5 and frames["dropped"]:
    expect("places of losses besides the receiver", {}, {place: n for place, n in lost.items() if place not in ("receiver", "before")})
    if not 0 < sum(places.values()) <= sent:
        fail(f"{sent} events were recorded, and {places} is said")
    if ledger["state"] == "closed":
        expect("events in places, difference", (sent, 0), (sum(places.values()), ledger["difference"]))
else:
    expect("ledger", ("closed", 0), (ledger["state"], ledger["difference"]))
    expect("frames that the socket dropped", 0, frames["dropped"])
    expect("events of the sender", {"delivered": sent}, {place: n for place, n in places.items() if n})
print(f"{sent} events; frames {frames}; refused {refused}")
if not refused["frames"] or refused["sources"][0]["source"] != "127.0.0.1":
    fail("no refused frames are counted")
expect("sum of the sources", refused["frames"], sum(s["frames"] for s in refused["sources"]) + refused["others"]["frames"])
expect("sum of the reasons", refused["frames"], sum(refused["reasons"].values()))
if len(sys.argv) > 3:
    most = WRITTEN_TIMES * FRAME_BYTES * (BURST + float(sys.argv[4])) + 200 * sent
    if os.path.getsize(path + ".pcapng") > most:
        fail(f"the file has {os.path.getsize(path + '.pcapng')} bytes, more than {most:.0f}")
    if int(sys.argv[3]) > 256 << 10:
        fail(f"{sys.argv[3]} KiB of memory were taken")
end()
