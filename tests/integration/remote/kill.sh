#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Captures are killed with SIGKILL at random moments, each beside another capture that continues. Every third one writes a compressed file.
# The file of a killed capture can be read, and lacks at most the last 1 MiB or 100 ms of the other file. The next capture or `cleanup`
# repairs its end, and neither processes nor notes are left. KILLS=N sets the number of kills. Each stream begins after the captures;
# late.sh tests captures that join late.
# Usage: kill.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/killed.sh"
kills=${KILLS:-10}

hosts host p1

# kill_one NUMBER: kills the capture of this number and checks its file
kill_one() {
	local file=$scratch/killed.pcapng how=by_restart capture beside stream children child waited at last packets stolen
	rm -f "$scratch"/killed.pcapng*
	[ $(($1 % 3)) = 0 ] && file+=.zst
	[ $(($1 % 2)) = 0 ] && how=by_cleanup
	start_capture beside -i eth0
	beside=$pid
	stolen=$(stolen_so_far)
	start_capture killed -i eth0 -w "$file"
	capture=$pid
	start_stream p1 -i eth0 -e raw_syscalls --event-filter "$loaded"
	stream=$pid
	sleep "0.$(printf %03d $((100 + RANDOM % 800)))"
	kill_capture "$capture"
	sleep 0.15
	interrupt "$stream"
	end_capture "$beside" beside
	balanced beside p1: ring
	for child in $children; do wait_for has_ended "$child"; done
	last=$(last_time "$file")
	packets=$(packets_of "$file")
	if [ "${packets:-0}" = 0 ]; then # the capture was killed before it had written a packet
		bounded "killed at $at, nothing can be read" "$scratch/beside.pcapng" "$(first_time "$scratch/beside.pcapng")" "$at" "$waited"
		return
	fi
	readable=$((readable + packets))
	bounded "killed at $at" "$scratch/beside.pcapng" "$last" "$at" "$waited"
	repaired "$file" "$capture" "$last" $how
	balances "killed at $at" "$file"
}

prepare_load 10000 1000000
begin_load
for number in $(seq "$kills"); do kill_one "$number"; done
tell_killed "$kills"
exit $failed
