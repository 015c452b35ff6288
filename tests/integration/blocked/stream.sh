#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stream with a --rate at which sending the waiting events takes more than a minute, and stream on a link that is down.
# Usage: stream.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/common.sh"

# stream_slowly: starts a stream whose rings hold more events than it sends in a minute at its --rate
stream_slowly() {
	in_background capture "$tracewire" capture -j -Z root -u $port -w "$scratch/rate.pcapng"
	capture=$pid
	wait_for says "$scratch/capture.err" '^\{"begin"'
	prepare_load 50000 1
	start_stream --rate 200k --buffer-size 8192
	run=$stream
	run_load
}
check_rate() { # WHAT STATUS
	expect "$1: status of the stream" 1 "$2"
	says "$scratch/stream.err" 'discarded, and their events count as lost by the producer' || fail "$1: $(cat "$scratch/stream.err")"
	odd_ledger "$scratch/stream.err" && fail "$1: $(cat "$scratch/stream.err")"
	interrupt "$capture" || fail "$1: the capture: $(cat "$scratch/capture.err")"
	[ "$(grep '^{"end"' "$scratch/capture.err" | grep -oE '"state": "[a-z]+"')" = '"state": "closed"' ] ||
		fail "$1: not one stream whose ledger is closed: $(grep '^{"end"' "$scratch/capture.err")"
	expect "$1: difference" 0 "$(end_ledger capture difference)"
	[ "$(end_ledger capture shed)" -gt 0 ] 2>/dev/null || fail "$1: nothing is shed: $(cat "$scratch/capture.err")"
}
stream_slowly
interrupt_times 1
wait "$run"
check_rate "one signal under --rate" $?
for try in 1 2 3 4 5; do
	stream_slowly
	interrupt_times 2
	wait "$run"
	check_rate "two signals under --rate" $?
	is_sooner && break
done
is_sooner || fail "two signals under --rate end it no sooner than one"

# When the link is down, a stream that ends does not wait for it again with each frame.
stream_down() {
	in_background stream "$tracewire" stream -v -e sched_switch -i down0
	run=$pid
	wait_for says "$scratch/stream.err" '^streaming '
	ip link set down0-tx down
	wait_for has_settled
}
arrived=0
has_settled() { # the number of arrived frames has not changed since the last check
	local before=$arrived
	arrived=$(received down0)
	[ "$arrived" = "$before" ]
}
check_down() { # WHAT STATUS
	expect "$1: status" 1 "$2"
	says "$scratch/stream.err" 'the link is down' || fail "$1: $(cat "$scratch/stream.err")"
	eval "$(summary "$scratch/stream.err")"
	[ "$tx" -gt 0 ] && [ "$sent" -le "$arrived" ] || fail "$1: $arrived frames arrived: $(cat "$scratch/stream.err")"
}
stream_down
interrupt_times 1
wait "$run"
check_down "a link that is down" $?
for try in 1 2 3 4 5; do
	stream_down
	interrupt_times 2
	wait "$run"
	check_down "a link that is down, two signals" $?
	is_sooner && break
done
is_sooner || fail "two signals end a stream on a link that is down no sooner than one"
exit $failed
