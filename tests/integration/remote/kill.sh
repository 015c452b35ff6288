#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A capture is killed with SIGKILL at random moments, with another beside it that is not. The file of the killed one can be read, what it
# lacks of what the other had until then is 1 MiB or 100 ms at most, its end is repaired by the next `cleanup`, and neither
# processes nor notes are left. KILLS=N sets how often.
# Each stream begins after the captures: those that join late write nothing before its clock is told, once a second.
# Usage: kill.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/common.sh"
need editcap
RANDOM=${SEED:=$$}
echo "SEED=$SEED"
kills=${KILLS:-20}
mount -t tmpfs tmpfs /run || exit 1

hosts host p1
readable=0 cut=0 most=0 longest=0

last_time() { # FILE: of its last packet, seconds
	capinfos -S -e -T -r "$1" 2>"$scratch/capinfos.err" | cut -f2
}

# missing_of FILE FROM TO: bytes of packets that it has between these times
missing_of() {
	editcap -A "$2" -B "$3" "$1" "$scratch/missing.pcapng" 2>"$scratch/editcap.err" || fail "editcap: $(cat "$scratch/editcap.err")"
	capinfos -d -T -r "$scratch/missing.pcapng" 2>/dev/null | cut -f2
}

kill_one() {
	local capture beside stream children child at last bytes ms packets
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
	for child in $children; do wait_for has_ended "$child"; done
	last=$(last_time "$scratch/killed.pcapng")
	packets=$(capinfos -c -T -r "$scratch/killed.pcapng" 2>/dev/null | cut -f2)
	[ "${packets:-0}" -gt 0 ] || { fail "nothing can be read after a kill at $at: $(cat "$scratch/capinfos.err")"; return; }
	readable=$((readable + packets))
	bytes=$(missing_of "$scratch/beside.pcapng" "$last" "$at")
	ms=$(awk -v a="$at" -v b="$last" 'BEGIN { printf "%d", (a - b) * 1000 }')
	[ "${bytes:-0}" -le 1048576 ] || [ "$ms" -le 100 ] || fail "a kill took $bytes bytes, $ms ms"
	[ "${bytes:-0}" -le $most ] || most=$bytes
	[ "$ms" -le $longest ] || longest=$ms
	"$tracewire" cleanup >"$scratch/cleanup" 2>&1 || fail "cleanup: $(cat "$scratch/cleanup")"
	grep -q 'killed.pcapng' "$scratch/cleanup" && cut=$((cut + 1))
	last_time "$scratch/killed.pcapng" >"$scratch/last"
	[ ! -s "$scratch/capinfos.err" ] || fail "after cleanup: $(cat "$scratch/capinfos.err")"
	expect "last packet after cleanup" "$last" "$(cat "$scratch/last")"
	expect "notes left" "" "$(find /run/tracewire -name '*killed*' -o -name "*$capture*" 2>/dev/null)"
}

prepare_load load 10000 1000000
begin_load load
for _ in $(seq "$kills"); do kill_one; done
echo "killed $kills captures, $cut were cut off behind the last whole block; at most $most bytes and $longest ms were missing; $readable packets read"
exit $failed
