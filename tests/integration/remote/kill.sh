#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A capture is killed with SIGKILL at random moments, with another beside it that is not. The file of the killed one can be read, what it
# lacks of what the other had until then is 1 MiB or 100 ms at most, its end is repaired by the next `cleanup`, and neither
# processes nor notes are left. KILLS=N sets how often.
# Each stream begins after the captures; late.sh has those that join late.
# Usage: kill.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/killed.sh"
kills=${KILLS:-20}

hosts host p1

kill_one() {
	local capture beside stream children child at last packets
	start_capture beside -i eth0
	beside=$pid
	start_capture killed -i eth0
	capture=$pid
	start_stream p1 -i eth0 -e raw_syscalls --event-filter "$loaded"
	stream=$pid
	sleep "0.$(printf %03d $((100 + RANDOM % 800)))"
	children=$(pgrep -P "$capture")
	at=$EPOCHREALTIME
	kill_at_once "$capture"
	sleep 0.15
	interrupt "$stream"
	end_capture "$beside" beside
	balanced beside p1: ring
	for child in $children; do wait_for has_ended "$child"; done
	last=$(last_time "$scratch/killed.pcapng")
	packets=$(packets_of "$scratch/killed.pcapng")
	[ "${packets:-0}" -gt 0 ] || { fail "nothing can be read after a kill at $at: $(cat "$scratch/capinfos.err")"; return; }
	readable=$((readable + packets))
	bounded "killed at $at" "$scratch/beside.pcapng" "$last" "$at"
	repaired "$scratch/killed.pcapng" "$capture" "$last"
	expect "killed at $at: difference in the books that info makes" 0 \
		"$("$tracewire" info -j "$scratch/killed.pcapng" | grep -oE '"difference": ?[-0-9]+' | grep -oE '[-0-9]+$' | sort -u)"
}

prepare_load load 10000 1000000
begin_load load
for _ in $(seq "$kills"); do kill_one; done
tell_killed "$kills"
exit $failed
