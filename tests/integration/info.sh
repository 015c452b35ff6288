#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `info` of fresh captures: a file of record, of capture, and of dumpcap; a ring of files; a dumpcap that joined late; and the file of a
# killed capture. The ledger that info prints for each has the producer's numbers.
# Usage: info.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
need python3
busy='for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.02; done'

# of FILE EXPRESSION: prints the value of a Python expression, in which `i` is the output of info for FILE, `s` its only stream, and `l` the
# ledger of that stream
of() {
	"$tracewire" info -j "$1" 2>/dev/null | python3 -c "
import json, sys
i = json.loads(sys.stdin.readline())
s = i['streams'][0]
l = s['ledger']
print($2)"
}

# is_in_state FILE STATE: the ledger of FILE is in that state now. The test waits for closed ledgers before it interrupts dumpcap, because
# an interrupted dumpcap loses the packets that it has not read.
is_in_state() {
	[ "$(of "$1" "l['state']" 2>/dev/null)" = "$2" ]
}

balanced() { # FILE STATE
	expect "$1: ledger" "$2 0" "$(of "$1" "l['state'], l['difference']" | tr -d "(,)'")"
	expect "$1: events that are not in it" 0 "$(of "$1" "s['missing']")"
}

# A file of record
"$tracewire" record -v -e sched -w "$scratch/record.pcapng" -- sh -c "$busy" 2>"$scratch/record.err" || fail "record: $(cat "$scratch/record.err")"
eval "$(summary "$scratch/record.err")"
balanced "$scratch/record.pcapng" closed
expect "record: recorded" "$recorded" "$(of "$scratch/record.pcapng" "l['recorded']")"
expect "record: in the file" "$in_file" "$(of "$scratch/record.pcapng" "s['events']")"
expect "record: host" "$(uname -nrm) $("$tracewire" --version) mono sched" \
	"$(of "$scratch/record.pcapng" "' '.join(s[key] for key in ['host', 'release', 'machine', 'version', 'clock', 'traced'])")"

# Captures of an interface: one by capture, and one by dumpcap, whose file has no ledger
"$tracewire" vnet up tw0 2>"$scratch/up" || fail "vnet up: $(cat "$scratch/up")"
start_dumpcap dumpcap tw0 -w "$scratch/dumpcap.pcapng"
dumpcap=$pid
filter='len != 134' # rejects sched_switch
start_dumpcap filtered tw0 -f "$filter" -w "$scratch/filtered.pcapng"
filtered=$pid
in_background capture "$tracewire" capture -v -i tw0 -w "$scratch/capture.pcapng"
capture=$pid
wait_for says "$scratch/capture.err" '^capturing on tw0 to '
"$tracewire" stream -v -e sched -i tw0 -- sh -c "$busy" 2>"$scratch/stream.err" || fail "stream: $(cat "$scratch/stream.err")"
eval "$(summary "$scratch/stream.err")"
wait_for is_in_state "$scratch/dumpcap.pcapng" closed
interrupt $dumpcap
interrupt $filtered
interrupt $capture
for file in "$scratch/dumpcap.pcapng" "$scratch/capture.pcapng"; do
	balanced "$file" closed
	expect "$file: recorded" "$recorded" "$(of "$file" "l['recorded']")"
	expect "$file: in the file" "$sent" "$(of "$file" "l['places']['delivered']")"
done
expect "files with a ledger" "False True" "$(of "$scratch/dumpcap.pcapng" "s['stored']") $(of "$scratch/capture.pcapng" "s['stored']")"

# A frame is removed from dumpcap's file: info prints the right number of missing events
editcap "$scratch/dumpcap.pcapng" "$scratch/less.pcapng" "$(($(of "$scratch/dumpcap.pcapng" "i['packets']") / 2))"
balanced "$scratch/less.pcapng" closed
less=$(of "$scratch/less.pcapng" "l['places']['wire']")
lost=$((sent - $(of "$scratch/less.pcapng" "l['places']['delivered']")))
expect "missing in a capture without a packet" "$lost" "$less"
"$tracewire" info "$scratch/less.pcapng" | grep -qE ": $less events? (is|are) missing, according to the event numbers: rejected by a classifier .* or lost$" ||
	fail "no word of missing events: $("$tracewire" info "$scratch/less.pcapng" | tail -n 2)"

# report and info name the capture filter of dumpcap as a reason for missing events
rejected=$(of "$scratch/filtered.pcapng" "l['places']['wire']")
[ "$rejected" -gt 0 ] || fail "dumpcap's filter rejected nothing"
"$tracewire" report "$scratch/filtered.pcapng" 2>&1 >/dev/null | grep -qF "$rejected missing on the way to the capture, filtered or lost: the capture program had the filter '$filter'" ||
	fail "report does not say what dumpcap filtered: $("$tracewire" report "$scratch/filtered.pcapng" 2>&1 >/dev/null)"
"$tracewire" info "$scratch/filtered.pcapng" | grep -qF ": $rejected events are missing, according to the event numbers: rejected by the capture filter '$filter', or lost" ||
	fail "no word of the filter: $("$tracewire" info "$scratch/filtered.pcapng" | tail -n 2)"

# Frames are lost, repeated and reordered: each event is counted at the right place
packed=$scratch/packed.pcapng
start_dumpcap packed tw0 -w "$packed"
dumpcap=$pid
"$tracewire" stream -v -e sched -i tw0 --events-per-frame 0 -- sh -c "$busy" 2>"$scratch/stream.err" || fail "stream: $(cat "$scratch/stream.err")"
wait_for is_in_state "$packed" closed
interrupt $dumpcap
for file in "$packed" "$scratch/dumpcap.pcapng"; do
	recorded=$(of "$file" "l['recorded']")
	for seed in 1 2 3 4 5 6 7 8; do
		lost=$("$(dirname "$0")/mangle.py" $seed "$file" "$scratch/mangled.pcapng")
		[ "$lost" -gt 0 ] || fail "nothing was lost"
		expect "$file, seed $seed: ledger, difference, missing; recorded, in the file, lost" \
			"closed 0 0 $recorded $((recorded - lost)) $lost" "$(of "$scratch/mangled.pcapng" "l['state'], l['difference'], \
			s['missing'], l['recorded'], l['places']['delivered'], l['places']['wire']" | tr -d "(,)'")"
	done
done

# A capture that joins late, and a capture that is killed after it has written a ledger, which it does every five seconds
start_tracewire stream stream -v -e sched -i tw0 --events-per-frame 0
stream=$pid
sleep 0.5
start_dumpcap late tw0 -w "$scratch/late.pcapng"
late=$pid
in_background killed "$tracewire" capture -v -i tw0 -w "$scratch/killed.pcapng"
killed=$pid
wait_for says "$scratch/killed.err" '^capturing on tw0 to '
wait_for is_in_state "$scratch/killed.pcapng" running
kill_at_once "$killed"
interrupt $stream
wait_for is_in_state "$scratch/late.pcapng" closed
interrupt $late
eval "$(summary "$scratch/stream.err")"
balanced "$scratch/late.pcapng" closed
expect "late: recorded" "$recorded" "$(of "$scratch/late.pcapng" "l['recorded']")"
[ "$(of "$scratch/late.pcapng" "l['places']['before']")" -gt 0 ] || fail "late: nothing before"
expect "killed: ledger" running "$(of "$scratch/killed.pcapng" "l['state']")"
[ "$(of "$scratch/killed.pcapng" "s['missing']")" -le 0 ] || fail "killed: less in the file than its ledger says"
expect "killed: what is counted" "open 0" "$(of "$scratch/killed.pcapng" "s['counted']['state'], s['counted']['difference']" | tr -d "(,)'")"
exit $failed
