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
tells '^tracewire time: the condition of pair command-line: '
run 2 "$tracewire" time -q --before sched_switch --after sched_waking --key prev_pid=qqq "$scratch/x.pcapng"
tells "^tracewire time: sched_waking has no field 'qqq', which is a key of pair command-line"
run 0 "$tracewire" time -q --before 'sched_switch if prev_pid > 0' --after sched:sched_waking --key next_pid=pid "$scratch/x.pcapng"
says "$scratch/out" '^ +0 +0 +0 +0  command-line: sched_switch if prev_pid > 0 before sched:sched_waking$' || fail "time prints: $(cat "$scratch/out")"
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
