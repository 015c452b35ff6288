#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Captures join a stream late, and are killed with SIGKILL soon after, before the producer has repeated the data that it sends once a
# second. Their files lack at most 1 MiB or 100 ms of the packets that arrived after they began, like those of captures that begin before
# the stream. The files can be read, their events have formats, their ledgers balance, and `cleanup` repairs them.
# Usage: late.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/killed.sh"

need taskset
hosts host p1
kills=0

# await_silence: waits until the producer has just sent its HOST. It sends the next one a second later.
await_silence() {
	on host dumpcap -q -i eth0 -c 1 -f "$host_frames" -w "$scratch/host.pcapng" 2>"$scratch/host.err" ||
		fail "dumpcap: $(cat "$scratch/host.err")"
	sleep "$(awk -v said="$(last_time "$scratch/host.pcapng")" -v now="$EPOCHREALTIME" \
		'BEGIN { left = said + 1.04 - now; while (left < 0) left += 1.02; print left }')"
}

# kill_late NAME OPTION...: starts a capture with these options and kills it. $scratch/NAME.known has its process id, the times of its start
# and of the kill, and the ms for which it waited for a CPU.
kill_late() {
	local name=$1 begun at waited capture child children stolen
	shift
	kills=$((kills + 1))
	await_silence
	stolen=$(stolen_so_far)
	start_capture "$name" "$@"
	capture=$pid
	begun=$EPOCHREALTIME
	sleep "$(awk -v ms=$((300 + RANDOM % 600)) 'BEGIN { print ms / 1000 }')"
	kill_capture "$capture"
	for child in $children; do wait_for has_ended "$child"; done
	echo "$capture $begun $at $waited" >"$scratch/$name.known"
}

# came_between FILE BEGUN FIRST: prints the number of packets between these times, except in the first 50 ms and the last ms, because the
# clocks may be apart
came_between() {
	local span
	span=$(awk -v a="$2" -v b="$3" 'BEGIN { if (b - 0.001 > a + 0.05) printf "-A %.6f -B %.6f", a + 0.05, b - 0.001 }')
	[ -n "$span" ] || { echo 0; return; }
	# shellcheck disable=SC2086 # words
	editcap $span "$1" "$scratch/before.pcapng" 2>"$scratch/editcap.err" || fail "editcap: $(cat "$scratch/editcap.err")"
	packets_of "$scratch/before.pcapng"
}

# look_at_late NAME BESIDE: checks the file of the killed capture NAME; BESIDE has all packets
look_at_late() {
	local of=$1 capture begun at waited last packets file=$scratch/$1.pcapng
	read -r capture begun at waited <"$scratch/$1.known"
	last=$(last_time "$file")
	packets=$(packets_of "$file")
	if [ "${packets:-0}" -gt 0 ]; then
		readable=$((readable + packets))
		bounded "$of" "$2" "$last" "$at" "$waited"
		expect "$of: of what came from $begun on, before its first packet at $(first_time "$file")" 0 \
			"$(came_between "$2" "$begun" "$(first_time "$file")")"
		repaired "$file" "$capture" "$last"
		balances "$of" "$file"
		expect "$of: formats are in the file" 1 "$("$tracewire" report "$file" 2>"$scratch/report.err" | tail -n 1 | grep -c 'sys_\(enter\|exit\)')"
	else
		bounded "$of" "$2" "$begun" "$at" "$waited"
	fi
}

# late_on PATH STREAM-OPTION... -- CAPTURE-OPTION...: captures of each kind join a stream on that path, while a dumpcap on the interface
# writes all packets
late_on() {
	local way=$1 to=() from stream seen options
	shift
	while [ "$1" != -- ]; do to+=("$1"); shift; done
	shift
	from=("$@")
	start_on host "seen_$way" '^File: ' dumpcap -q -i eth0 -B 64 -w "$scratch/seen_$way.pcapng"
	seen=$pid
	start_stream p1 "${to[@]}" -e raw_syscalls --event-filter "$loaded"
	stream=$pid
	sleep 1.2
	kill_late "${way}_events" "${from[@]}"
	kill_late "${way}_packed" "${from[@]}" --packed
	kill_late "${way}_aligned" "${from[@]}" --align host
	kill_late "${way}_filtered" "${from[@]}" -f 'id == 110'
	sleep 0.2
	interrupt "$stream"
	interrupt "$seen"
	"$tracewire" convert -q "$scratch/seen_$way.pcapng" "$scratch/unpacked_$way.pcapng" 2>"$scratch/convert.err" ||
		fail "convert: $(cat "$scratch/convert.err")"
	for options in events aligned filtered; do look_at_late "${way}_${options}" "$scratch/unpacked_$way.pcapng"; done
	look_at_late "${way}_packed" "$scratch/seen_$way.pcapng"
}

prepare_load 20000 1000000
# The load runs on one CPU, so that its events are in one channel. Only a watermark announces events that other channels sent before the
# capture joined, and a file with one event per packet has no watermarks.
taskset -p -c 0 "$load_process" >/dev/null || fail "the load cannot be put on a CPU"
begin_load
host_frames='udp port 18101 and udp[56:2] = 7' # frames whose first TLV has type 7, HOST
late_on udp -u $capture_host -- -u 18101
host_frames='ether proto 0x88b5 and ether[62:2] = 7'
late_on link -i eth0 -- -i eth0
tell_killed $kills
exit $failed
