#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `tracewire report`: options compared with those of trace-cmd report, JSON, damaged captures and other files, outputs that close.
# Usage: report.sh TRACEWIRE DAT
tracewire=$1
dat=$2
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/../shell/trace-cmd.sh"
export LC_ALL=C TZ=UTC

need trace-cmd python3 editcap
"$tracewire" convert -q "$dat" "$scratch/x.pcapng" || { fail "$dat cannot be converted"; exit 1; }
cd "$scratch" || exit 1

# same_as_trace_cmd OURS THEIRS [EVENT]: with these options, all lines are equal except those of EVENT, a regular expression. libtraceevent
# misreads the flags of timer_start: tests/schema/oracle/print-differences.txt.
same_as_trace_cmd() {
	local but=" (${3-timer_start}): "

	# shellcheck disable=SC2086
	"$tracewire" report -q $1 x.pcapng >all.ours || fail "report $1 ended with status $?"
	# shellcheck disable=SC2086
	trace_cmd_report -N $2 "$dat" >all.theirs
	grep -vE "$but" all.ours >ours
	grep -vE "$but" all.theirs >theirs
	[ "$(wc -l <theirs)" -gt 30000 ] || fail "trace-cmd report $2 prints $(wc -l <theirs) lines"
	cmp -s ours theirs && [ "$(wc -l <all.ours)" = "$(wc -l <all.theirs)" ] && return
	fail "report $1 is not trace-cmd report $2:"
	diff ours theirs | head -n 6
}

same_as_trace_cmd "" ""
same_as_trace_cmd "-t" "-t"
same_as_trace_cmd "-l" "-l"
same_as_trace_cmd "--delta" "--ts-diff"
same_as_trace_cmd "--relative" "--align-ts"
same_as_trace_cmd "--cpu 1" "--cpu 1"
same_as_trace_cmd "-l --delta -t" "-l --ts-diff -t"
same_as_trace_cmd "--relative --delta --cpu 0-1" "--align-ts --ts-diff --cpu 0,1"
# If an argument is a single field, -R of trace-cmd uses the print fmt. -R of tracewire never does.
same_as_trace_cmd "-R" "-R" \
	"kmem_cache_alloc|hrtimer_start|sched_wak(ing|eup|eup_new)|timer_(start|expire_entry)|signal_deliver|workqueue_(queue_work|execute_start|execute_end)"

# The function graph has the layout of trace-cmd with its plugins
"$tracewire" convert -q "$(dirname "$dat")/debian-6.1-graph.dat" graph.pcapng || fail "debian-6.1-graph.dat cannot be converted"
"$tracewire" report -q graph.pcapng | grep ' funcgraph_' >ours
trace_cmd_report "$(dirname "$dat")/debian-6.1-graph.dat" | grep ' funcgraph_' >theirs
expect "lines of the function graph" 457 "$(wc -l <theirs)"
diff ours theirs >differ || fail "the function graph differs: $(head -n 4 differ)"

# Events that were removed are reported as missing, whichever program wrote the file last
editcap x.pcapng cut.pcapng 30000-30009
"$tracewire" report -v cut.pcapng 2>err >/dev/null
expect "what is missing" "missing  10 by their numbers: filtered or lost between producer and capture, or by the capture program" "$(grep ^missing err)"
expect "the first lines of the summary" "79638 events, 10 lost
10 missing on the way to the capture, filtered or lost: if no filter is on the way, send slower with the option --rate of stream" \
	"$(head -n 2 err)"
"$tracewire" report cut.pcapng 2>err >/dev/null
expect "lines without -v" 3 "$(wc -l <err)"
expect "the last line without -v" "details: add -v, or see tracewire info cut.pcapng" "$(tail -n 1 err)"

# Events by name: report prints the lines of all events with that name
"$tracewire" report -q x.pcapng >plain
"$tracewire" report -q -e sched_switch,irq:irq_handler_e* x.pcapng >chosen
grep -E '^cpus=|: (sched_switch|irq_handler_e[a-z]*): ' plain | cmp -s - chosen || fail "-e prints other lines than those of its events"
"$tracewire" report -q --cpu 4 x.pcapng >none || fail "a CPU without events"
expect "events of CPU 4" 0 "$(grep -c . none)"

# The time of day is printed if it is known: a trace.dat does not have it.
sample=$(dirname "$0")/../data/sample.pcapng
"$tracewire" report -q --wall -t "$sample" | head -n 2 | tail -n 1 |
	grep -qE '^ +[^ ]+-[0-9]+ +\[[0-9]{3}\] 2026-[0-9]{2}-[0-9]{2} [0-9:]{8}\.[0-9]{9}: [a-z_]+: ' ||
	fail "--wall prints $("$tracewire" report -q --wall -t "$sample" | head -n 2 | tail -n 1)"
"$tracewire" report -v --wall x.pcapng >wall.txt 2>err || fail "--wall without a time of day: $(cat err)"
"$tracewire" report -q x.pcapng | cmp - wall.txt || fail "--wall changes what has no time of day"
grep -qE "^time +$(($(wc -l <wall.txt) - 1)) events without a time of day" err || fail "no word of that: $(cat err)"

# JSON: each line is an object, and its text equals the line
cat >lines.py <<'END'
import json, sys

for line in sys.stdin.buffer:
	e = json.loads(line.decode("utf-8"))
	for value in e["fields"].values():
		assert not isinstance(value, int) or abs(value) < 2 ** 53, line
	seconds, fraction = e["time"].split(".")
	us = (int(seconds) * 10 ** 9 + int(fraction) + 500) // 1000
	print("%16s-%-5d [%03d] %5d.%06d: %-21s %s" % (e["comm"], e["pid"], e["cpu"], us // 10 ** 6, us % 10 ** 6, e["event"] + ":", e["text"]))
END
"$tracewire" report -q --json x.pcapng | python3 lines.py >json || fail "--json is not read by python3"
tail -n +2 plain | cmp - json || fail "--json has other texts"

# Outputs that close
for _ in 1 2 3; do
	"$tracewire" report x.pcapng 2>err | head -n 1 >first
	expect "status of report | head -n 1" "0 0" "${PIPESTATUS[*]}"
	expect "what report | head says" "" "$(cat err)"
done
"$tracewire" report -q x.pcapng >/dev/full 2>err
expect "status on a full disk" 1 $?
grep -q "^tracewire report: printing x.pcapng failed: No space left on device" err || fail "a full disk: $(cat err)"
"$tracewire" report -q - <x.pcapng | cmp - plain || fail "standard input prints something else"

# refused STATUS SENTENCE ARGUMENT...: only the reason is printed
refused() {
	local status=$1 sentence=$2
	shift 2
	run "$status" "$tracewire" report "$@" </dev/null
	says err "$sentence" || fail "report $* says: $(cat err)"
	expect "lines of report $*" 0 "$(wc -l <out)"
}

refused 2 'report needs a capture'
refused 2 'cannot open missing: No such file' missing
refused 1 'Is a directory' .
: >empty
refused 2 'empty' empty
echo "this is some text, and no capture at all" >text
refused 2 'text is neither a pcapng nor a pcap file' text
refused 2 'tracewire convert' "$dat"
printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\1\0\0\0' >none.pcap
refused 2 'no Tracewire frames' none.pcap
refused 2 'exclude each other' --wall --relative x.pcapng
refused 2 '--cpu' --cpu 1- x.pcapng

# Copies with changed frames. A frame header has its version at offset 4, the TLVs begin at 48.
cat >change.py <<'END'
import sys, struct

def packets(data):
	at = 0
	while at < len(data):
		kind, size = struct.unpack_from("<II", data, at)
		if kind == 6:
			yield at, at + 28
		at += size

data = bytearray(open("x.pcapng", "rb").read())
what = sys.argv[1]
n = 0
for block, packet in packets(data):
	frame = packet + 14
	n += 1
	if what == "version":
		data[frame + 4] = 99
	elif what == "formats":
		at, end = frame + 48, frame + struct.unpack_from(">H", data, frame + 6)[0]
		while at + 4 <= end:
			kind, size = struct.unpack_from(">HH", data, at)
			if kind == 6: # SCHEMA becomes an unknown TLV
				data[at:at + 2] = b"\x7f\0"
			at += (size + 3) & ~3
	elif what == "strings": # hostile names of tasks
		hostile = (b"\xe2\x80\xa8\"", b"\xff\x1b\\\n", b"\xc2\x9b\xed\xa0", b"\xf4\x90\x7f\x01")[n % 4]
		end = block + struct.unpack_from("<I", data, block + 4)[0]
		data[frame + 48:end] = data[frame + 48:end].replace(b"bash", hostile)
	elif what == "some" and n % 1000 == 0:
		data[frame + 4] = 99
open(what + ".pcapng", "wb").write(data)
END
python3 change.py version && refused 2 'an unknown version of the wire format' version.pcapng

# Events without a format are printed as bytes and counted. If some frames are unknown, all others are printed
python3 change.py formats
"$tracewire" report -v formats.pcapng >out 2>err || fail "without formats: status $?"
expect "events as bytes" 79648 "$(grep -c '\[unknown event [0-9]*\]:\( [0-9a-f][0-9a-f]\)*$' out)"
grep -q '^unknown  79648 events' err || fail "without formats it says: $(cat err)"
"$tracewire" report --json -q formats.pcapng | python3 -c 'import json, sys; [json.loads(l)["bytes"] for l in sys.stdin]' || fail "JSON of bytes"
python3 change.py some
"$tracewire" report -v some.pcapng >out 2>err || fail "frames of another version among others: status $?"
grep -q '^version  [0-9]* frames' err || fail "frames of another version: $(cat err)"
grep -vxFf plain out && fail "lines that are not in the whole capture"

# Strings with any bytes become valid JSON, and have no effect on a terminal
python3 change.py strings
"$tracewire" report -q --json strings.pcapng >out || fail "hostile strings: status $?"
python3 -c 'import json, sys
seen = set()
for line in open("out", "rb"):
	assert not any(c < 32 and c != 10 or c == 127 for c in line) and b"\xc2\x9b" not in line, line
	event = json.loads(line.decode("utf-8"))
	seen |= {v for v in event.get("fields", {}).values() if isinstance(v, str)}
missing = {r"\xe2\x80\xa8" + chr(34), r"\xff\x1b\\x0a", r"\xc2\x9b\xed\xa0", r"\xf4\x90\x7f\x01"} - seen
assert not missing, missing' || fail "hostile strings in JSON"

# A file is truncated at any position: everything before it is printed, and the position is reported
size=$(stat -c %s x.pcapng)
for at in 1 3 4 11 27 28 100 $((size / 3)) $((size / 2 + 1)) $((size / 2 + 7)) $((size - 100)) $((size - 3)) $((size - 1)); do
	head -c "$at" x.pcapng >cut.pcapng
	"$tracewire" report -q cut.pcapng >out 2>err
	got=$?
	if [ "$at" -lt 4 ]; then expect "status of $at bytes" 2 $got; else
		expect "status of $at bytes" 1 $got
		grep -qE '^tracewire report: cut.pcapng is damaged at byte [0-9]+: ' err || fail "$at bytes: $(cat err)"
	fi
	head -n "$(wc -l <out)" plain | cmp -s - out || fail "$at bytes: other lines than those of the whole"
	[ "$at" -lt $((size - 100)) ] || [ "$(wc -l <out)" -ge 79640 ] || fail "$at of $size bytes: only $(wc -l <out) lines"
done
dd if=/dev/zero of=x.pcapng bs=1 seek=$((size / 2)) count=4096 conv=notrunc 2>/dev/null
"$tracewire" report -q x.pcapng >out 2>err
expect "status of a damaged file" 1 $?
grep -qE 'x.pcapng is damaged at byte [0-9]+' err || fail "a damaged file: $(cat err)"
head -n "$(wc -l <out)" plain | cmp -s - out || fail "a damaged file: other lines than those of the whole"
[ "$(wc -l <out)" -gt 30000 ] || fail "a damaged file: only $(wc -l <out) lines"
exit $failed
