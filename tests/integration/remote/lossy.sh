#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Three producers with different trace clocks send to one capture host over a path that drops, duplicates and reorders frames. The ledger
# has exactly as many missing and duplicate events as the path dropped and duplicated, and about as many out-of-order frames as the path
# reordered. The test uses UDP and Ethernet, packed frames and frames with one event.
# Usage: lossy.sh TRACEWIRE LOAD BAD_WAY
tracewire=$1
load=$2
bad_way=$3
. "$(dirname "$0")/common.sh"

declare -A clock=([p1]=mono [p2]=boot [p3]=tai)
hosts host p1 p2 p3

# counted STREAM NAME: prints a counter of the path for this stream
counted() {
	sed -nE "s/^stream=$1 .* $2=([0-9]+).*/\1/p" "$scratch/way.out"
}

# sum KEY ID...: prints the sum of the path's counters for these streams
sum() {
	local key=$1 id n=0
	shift
	for id; do n=$((n + $(counted "$id" "$key" | grep . || echo 0))); done
	echo $n
}

# happened WHAT RATE ID...: the path dropped, duplicated and moved some frames of these streams. This is checked only if at least 15 frames
# of each kind are expected: then the probability of none is less than one in a million. The ledger has between half and twice as many
# out-of-order frames as the path moved: fewer, because some of these were overtaken only by frames of other channels; more, because a busy
# machine also reorders frames.
happened() {
	local what=$1 rate=$2 name id moved seen=0
	shift 2
	[ $(($(sum all_frames "$@") * rate)) -ge 15000000 ] || return
	for name in dropped doubled moved; do
		[ "$(sum ${name}_frames "$@")" -gt 0 ] || fail "$what: of $(sum all_frames "$@") frames none was $name"
	done
	moved=$(($(sum moved_frames "$@") - $(sum moved_control "$@")))
	for id; do seen=$((seen + $(in_ledger lossy "$id" reordered | grep . || echo 0))); done
	[ $((2 * seen)) -ge $moved ] && [ $seen -le $((2 * moved)) ] || fail "$what: $moved frames were moved, $seen came out of order"
}

# lost_records CAPTURE: prints for each stream its id and the sum of its LOST records for the place `wire`
lost_records() {
	tshark -r "$scratch/$1.pcapng" -Y 'trace.lost.where == 4' -T fields -e trace.stream -e trace.lost.count 2>/dev/null |
		awk '{ n = split($2, counts, ","); for (i = 1; i <= n; i++) sum[substr($1, 3)] += counts[i] }
			END { for (id in sum) print id, sum[id] }'
}

# id_of HOST: prints the id of the stream of HOST; if all frames with its name were dropped, the id of the first stream without a name
id_of() {
	local id
	ledgers lossy "$1:" | cut -d' ' -f2 | grep . && return
	for id in $(sed -nE 's/^stream=([0-9a-f]+) .*/\1/p' "$scratch/way.out"); do
		ledgers lossy "$id" | grep -q '^p[123]:' || echo "$id"
	done | head -n 1
}

# over KIND RATE FRAMES: sends over KIND (udp or ethernet) and a path that drops, duplicates and moves RATE millionths of the frames each.
# FRAMES is the option --events-per-frame: 1, or 0 for packed frames.
over() {
	local kind=$1 rate=$2 frames=$3 name way capture receive=(-u 18101) send=(-u $capture_host) what="$1, $2 ppm, frames of $3" calls=20000
	declare -A stream=()
	[ "$kind" = udp ] || { receive=(-i eth0) send=(-i eth0); }
	[ "$frames" = 1 ] && calls=4000
	in_background way "$bad_way" to-host "$rate" "$rate" "$rate" to-p1 to-p2 to-p3
	way=$pid
	wait_for says "$scratch/way.err" '^the way is bad' || return
	prepare_load $calls 0.8
	start_capture lossy "${receive[@]}"
	capture=$pid
	for name in p1 p2 p3; do
		start_stream $name "${send[@]}" -e raw_syscalls --event-filter "$loaded" -C "${clock[$name]}" \
			--events-per-frame "$frames" --latency 2
		stream[$name]=$pid
	done
	begin_load
	wait $load_process
	for name in p1 p2 p3; do
		interrupt "${stream[$name]}"
		expect "$what: status of stream $name" 0 $?
	done
	sleep 0.2
	interrupt $way
	end_capture $capture lossy
	expect "$what: frames that the way could not count" too_large=0 "$(grep too_large "$scratch/way.out")"
	lost_records lossy >"$scratch/lost"
	for name in p1 p2 p3; do check "$what" $name; done
	# shellcheck disable=SC2046 # words
	happened "$what, all" "$rate" $(sed -nE 's/^stream=([0-9a-f]+) .*/\1/p' "$scratch/way.out")
}

check() { # WHAT HOST
	local what="$1, $2" id control dropped wire before
	id=$(id_of "$2")
	# If all copies of END were dropped, the end and the last events of the stream are unknown.
	if [ "$(counted "$id" dropped_last)" = "$(counted "$id" all_last)" ]; then
		expect "$what: ledger of a stream whose end was dropped" open "$(in_ledger lossy "$id" state)"
		return
	fi
	eval "$(summary "$scratch/$2.err")"
	balanced lossy "$id" ring wire
	expect "$what: ledger" closed "$(in_ledger lossy "$id" state)"
	expect "$what: recorded" "$recorded" "$(in_ledger lossy "$id" recorded)"
	expect "$what: lost in the ring" "$ring" "$(in_ledger lossy "$id" ring)"
	wire=$(in_ledger lossy "$id" wire)
	before=$(in_ledger lossy "$id" before)
	expect "$what: lost on the way" "$(counted "$id" dropped_events)" $((wire + before))
	# If the first frame of a stream was dropped, events that were dropped before the first received frame count at `before`.
	[ "$before" = 0 ] || expect "$what: the first frames that were dropped, as $before events were before" 1 "$(counted "$id" dropped_first)"
	expect "$what: came twice" "$(counted "$id" doubled_events)" "$(in_ledger lossy "$id" duplicates)"
	control=$(in_ledger lossy "$id" control_gaps)
	dropped=$(counted "$id" dropped_control)
	# The last frame is sent five times; control_gaps does not count its dropped copies.
	[ "$control" -le "$dropped" ] && [ "$control" -ge $((dropped - 5)) ] || fail "$what: metadata lost: $control of $dropped"
	[ $failed = 0 ] || { grep "$id" "$scratch/way.out"; ledgers lossy "$id"; }
	happened "$what" "$rate" "$id"
	expect "$what: in the list of losses" "$wire" "$(sed -n "s/^$id //p" "$scratch/lost" | grep . || echo 0)"
}

for rate in ${RATES:-1000 10000 100000}; do
	for kind in ${KINDS:-udp ethernet}; do
		for frames in 0 1; do over $kind "$rate" $frames; done
	done
done
exit $failed
