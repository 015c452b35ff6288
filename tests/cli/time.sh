#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `time` says what a capture has about its clocks, and that the rest is unknown. It refuses wrong arguments with one sentence.
# Usage: time.sh TRACEWIRE DATA
tracewire=$1 data=$2
. "$(dirname "$0")/common.sh"
need python3

# A trace.dat has no CLOCK from which the bounds follow: nothing is known, and nothing is 0.
run 0 "$tracewire" convert -q "$data/debian-6.1.dat" "$scratch/x.pcapng"
run 0 "$tracewire" time --svg "$scratch/x.svg" "$scratch/x.pcapng"
says "$scratch/out" '^streams  1, [0-9.]+ s' || fail "time prints: $(cat "$scratch/out")"
says "$scratch/out" '^  bound    the file has no OFFSET record: ' || fail "time prints: $(cat "$scratch/out")"
says "$scratch/out" '^ +0\.[0-9]+ +[0-9.]+  unknown   unknown +unknown$' || fail "time prints: $(cat "$scratch/out")"
tells '^[0-9]+ events, 0 lost'
python3 -c 'import sys, xml.dom.minidom as m; assert m.parse(sys.argv[1]).documentElement.tagName == "svg"' "$scratch/x.svg" ||
	fail "the picture is no SVG"
run 0 "$tracewire" time -q --svg - "$scratch/x.pcapng"
expect "standard output with --svg -" "$(cat "$scratch/x.svg")" "$(cat "$scratch/out")"
run 0 "$tracewire" time -q -j "$scratch/x.pcapng"
expect "messages with -q" "" "$(cat "$scratch/err")"
python3 - "$scratch/out" <<'E1' || fail "-j prints: $(cat "$scratch/out")"
import json, sys
result = json.load(open(sys.argv[1]))
stream = result["streams"][0]
assert result["order"] == [] and stream["offset_records"] == 0
assert stream["tai_offset_s"] is None and stream["drift_min_ns_per_s"] is None and stream["phcs"] is None
for stretch in stream["stretches"]:
    assert all(stretch[k] is None for k in ("method", "error_min_ns", "error_max_ns", "synced_by", "grandmaster", "since")), stretch
E1

run 0 "$tracewire" time -q - <"$scratch/x.pcapng"
refuses 2 "tracewire time: time needs one capture: a file, or - for standard input" time
refuses 2 "tracewire time: cannot open $scratch/none: No such file or directory" time "$scratch/none"
refuses 2 "tracewire time: --before, --after and --key belong together: give the event that comes first, the event that follows, and a field that is equal in both" \
	time --before a --after b "$scratch/x.pcapng"
refuses 2 "tracewire time: $scratch/x.pcapng has no event qqq: record it with the option --event" \
	time -q --before qqq --after sched_switch --key cpu "$scratch/x.pcapng"
run 2 "$tracewire" time -q --before 'sched_switch if qqq ==' --after sched_switch --key cpu "$scratch/x.pcapng"
tells '^tracewire time: the condition of --before: column [0-9]+: '
run 2 "$tracewire" time -q --before sched_switch --after sched_waking --key prev_pid=qqq "$scratch/x.pcapng"
tells "^tracewire time: sched_waking has no field 'qqq', which is a key of pair --before:--after"
run 2 "$tracewire" time -q --before 'sched_switch if qqq > 1' --after sched_waking --key cpu "$scratch/x.pcapng"
tells '^tracewire time: the condition of pair --before:--after: '
for empty in 'sched_switch if' 'sched_switch if '; do
	refuses 2 "tracewire time: the condition of --after is empty: give an expression after ' if ', or leave out ' if'" \
		time --before sched_switch --after "$empty" --key cpu "$scratch/x.pcapng"
done
refuses 2 "tracewire time: --before 'a b' is not the name of an event, such as sched_waking" \
	time --before 'a b' --after sched_waking --key cpu "$scratch/x.pcapng"
refuses 2 "tracewire time: --key has 5 fields: at most 4 are possible" \
	time --before sched_switch --after sched_waking --key a,b,c,d,e "$scratch/x.pcapng"
refuses 2 "tracewire time: --key '=pid' is not FIELD or FIELD=FIELD, or several with commas" \
	time --before sched_switch --after sched_waking --key =pid "$scratch/x.pcapng"
run 0 "$tracewire" time -q --before 'sched_switch if prev_pid > 0' --after sched:sched_waking --key next_pid=pid "$scratch/x.pcapng"
says "$scratch/out" '^ +0 +0 +0 +0  --before:--after: sched_switch if prev_pid > 0 before sched:sched_waking$' || fail "time prints: $(cat "$scratch/out")"
cp "$scratch/x.pcapng" "$scratch/same.pcapng"
run 2 "$tracewire" time -q --svg "$scratch/same.pcapng" "$scratch/same.pcapng"
cmp -s "$scratch/x.pcapng" "$scratch/same.pcapng" || fail "the capture was overwritten"

# A damaged capture: everything before the damage is shown.
head -c 100000 "$scratch/x.pcapng" >"$scratch/cut.pcapng"
run 1 "$tracewire" time "$scratch/cut.pcapng"
says "$scratch/out" '^stream   ' || fail "a damaged capture: $(cat "$scratch/out")"

# The columns of report for the bound are empty where it is unknown.
run 0 "$tracewire" report -q --csv -e time_error,trace.time_earliest,time_latest "$scratch/x.pcapng"
expect "bounds of report" "time_error,trace.time_earliest,time_latest ,," "$(sort -ru "$scratch/out" | paste -sd' ')"

# In the picture, labels neither overlap nor leave the picture: many changes at one time, a long host name, a short stretch at the end.
python3 - >"$scratch/labels.pcap" <<'E3'
import struct, sys
out = sys.stdout.buffer
out.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
def frame(source, channel, seq, time, tlvs):
    head = struct.pack(">IBBHQQQQHHBBH", 0x54575231, 1, 0, 48 + len(tlvs), 7, 0, seq, time, channel, 0xffff, source, 0, source == 0)
    packet = bytes(12) + b"\x88\xb5" + head + tlvs
    out.write(struct.pack("<IIII", 10**9 + time // 10**9, time % 10**9, len(packet), len(packet)) + packet)
def tlv(kind, value):
    return struct.pack(">HH", kind, 4 + len(value)) + value + bytes(-len(value) % 4)
def offset(kind, time):
    frame(3, 65535, 0, time, tlv(15, struct.pack(">HHQqqQiBBBB", kind, 1, time, 10**18, 3 * 10**9, 50000, 0, 0, 0, 0, 0)))
def host(seq, time, sync):
    frame(0, 0, seq, time, tlv(7, tlv(1, b"x" * 200) + tlv(17, sync)))
offset(1, 10**9)
host(0, 10**9, b"chrony, NTP stratum 3")
for i in range(20):
    offset(2, 5 * 10**9 + i)
for i in range(1, 6):
    host(i, 6 * 10**9 + i * 10**8, b"a source with a long name, number %d" % i)
    offset(4, 6 * 10**9 + i * 10**8)
offset(4, 7 * 10**9)
E3
run 0 "$tracewire" time -q --svg "$scratch/labels.svg" "$scratch/labels.pcap"
python3 - "$scratch/labels.svg" <<'E4' || fail "labels of the picture"
import sys, xml.dom.minidom as m
taken = []
for text in m.parse(sys.argv[1]).getElementsByTagName("text"):
    size = 8 if text.getAttribute("font-weight") else 6 if text.getAttribute("font-size") else 7
    x, y, width = float(text.getAttribute("x")), float(text.getAttribute("y")), size * len(text.firstChild.data)
    x -= {"end": width, "middle": width / 2}.get(text.getAttribute("text-anchor"), 0)
    assert x >= 0 and x + width <= 900, (x, width, text.firstChild.data)
    assert not any(abs(y - b) < 10 and x < a + w and a < x + width for a, b, w in taken), text.firstChild.data
    taken.append((x, y, width))
assert len(taken) > 15, taken
E4

# packet_time is the time of each event's packet.
run 0 "$tracewire" report -q -T fields -e packet_time "$scratch/x.pcapng"
python3 - "$scratch/x.pcapng" "$scratch/out" <<'E2' || fail "packet_time is $(head -n 3 "$scratch/out" | paste -sd' ')"
import struct, sys
data, at, times = open(sys.argv[1], "rb").read(), 0, set()
while at < len(data):
    kind, length = struct.unpack_from("<II", data, at)
    if kind == 6:
        high, low = struct.unpack_from("<II", data, at + 12)
        times.add("%d.%09d" % divmod(high << 32 | low, 10**9))
    at += length
found = open(sys.argv[2]).read().split()
assert len(found) > 1000 and set(found) <= times, (len(found), found[:3])
E2
exit $failed
