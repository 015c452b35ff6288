#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `stream` onto a veth pair. Ordinary tsharks, each with an empty home directory, capture on it: one from the start, others that join later.
# Usage: stream.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
filter='trace.sched.sched_switch.next_comm == "sleep"'
own='comm == "sleep" or next_comm == "sleep"' # the stream has no other events: tshark could not show all events of a busy machine in time
decoded='sched_switch: prev_comm=.* next_comm=sleep '

# watch NAME INTERFACE OPTION...: starts a tshark with a separate home, and returns when it captures
watch() {
	local name=$1 interface=$2
	shift 2
	mkdir "$scratch/home-$name"
	in_background "$name" env HOME="$scratch/home-$name" tshark -l -i "$interface" "$@"
	wait_for says "$scratch/$name.err" '^Capturing on'
}

lines() { # FILE N: the file has at least N lines
	[ "$(wc -l <"$1")" -ge "$2" ]
}

has_first() { # ALL LATE: the file ALL has the first frame of the file LATE, which has only frames that match the filter
	grep -qP "^\d*\t$(head -n 1 "$2" | cut -f2-)\t" "$1"
}

# missed ALL LATE: prints the number of matches that the late tshark missed: the frames that it captured before its first match, and that
# match in ALL
missed() {
	awk -F'\t' 'NR == FNR { key[NR] = $2 " " $3; match_of[NR] = $5 == "sleep"; n = NR; next }
		FNR == 1 {
			for (at = 1; at <= n && key[at] != $2 " " $3; at++) {}
			for (i = at - $1 + 1; i < at; i++) count += match_of[i]
			print count + 0
		}' "$1" "$2"
}

in_background sleeper sh -c 'while :; do sleep 0.01; done'
"$tracewire" vnet up tw0 2>"$scratch/up" || fail "vnet up: $(cat "$scratch/up")"
before=$(received tw0)
watch early tw0 -Y "$filter"
start_tracewire stream stream -v -e sched -f "$own" -i tw0
stream=$pid
wait_for lines "$scratch/early.out" 10
[ "$(grep -cvE "$decoded" "$scratch/early.out")" = 0 ] || fail "not decoded: $(head -n 3 "$scratch/early.out")"

# A tshark that joins late gets the formats before its first event, because the producer looks for new listeners before it sends the events
# that it has read. Only a tshark that joins in the middle of a burst of frames cannot decode the rest of the burst; this is rare.
clean=0
for n in 1 2 3 4; do
	watch "all$n" tw0 -T fields -e trace.event_id -e trace.channel -e trace.seq -e trace.event \
		-e trace.sched.sched_switch.next_comm -e trace.comm
	watch "late$n" tw0 -Y "$filter" -T fields -e frame.number -e trace.channel -e trace.seq
	wait_for lines "$scratch/late$n.out" 10
	wait_for has_first "$scratch/all$n.out" "$scratch/late$n.out"
	kill -INT "${started[@]: -2}"
	undecoded=$(awk -F'\t' '$1 != "" && $4 == ""' "$scratch/all$n.out" | wc -l)
	missed=$(missed "$scratch/all$n.out" "$scratch/late$n.out")
	echo "joined: $undecoded events undecoded, $missed matches missed before the first"
	[ "$undecoded $missed" = "0 0" ] && clean=$((clean + 1))
	# A tshark that joins while the formats are sent, one by one, knows some event types before others.
	awk -F'\t' '$4 != "" { seen[$1] = 1 } $1 != "" && $4 == "" && seen[$1] { bad = 1 } END { exit bad }' "$scratch/all$n.out" ||
		fail "undecoded events after decoded ones of the same kind"
	awk -F'\t' '$1 != "" { if ($3 <= last[$2]) { print "event " $3 " of channel " $2 " comes after " last[$2]; exit }
		last[$2] = $3 }' "$scratch/all$n.out" >"$scratch/bad"
	[ -s "$scratch/bad" ] && fail "$(cat "$scratch/bad")"
done
[ $clean -ge 2 ] || fail "a capture that joins late lacks the first events"
watch text tw0 -Y "$filter"
wait_for lines "$scratch/text.out" 3
[ "$(grep -cvE "$decoded" "$scratch/text.out")" = 0 ] || fail "not decoded: $(head -n 3 "$scratch/text.out")"

interrupt $stream
expect "exit status after Ctrl-C" 0 $?
eval "$(summary "$scratch/stream.err")"
expect "recorded = sent + lost" "$recorded" $((sent + ring + shed + tx))
expect "frames that arrived" "$frames" $(($(received tw0) - before))
ip link show tw0 >/dev/null || fail "the veth pair of vnet up was removed with the run"
nothing_left $stream tw0 tw0-tx

# The run creates the veth pair itself.
start_tracewire own stream -v -e sched -f "$own" -i tw1
stream=$pid
watch own-late tw1 -Y "$filter"
wait_for lines "$scratch/own-late.out" 3
[ "$(grep -cvE "$decoded" "$scratch/own-late.out")" = 0 ] || fail "not decoded: $(head -n 3 "$scratch/own-late.out")"
interrupt $stream
expect "exit status after Ctrl-C" 0 $?
nothing_left $stream tw0 tw0-tx
exit $failed
