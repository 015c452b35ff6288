#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A run leaves out the events that it causes: wake-ups of its threads, switches between its threads and the idle task, packets on its own
# interface. All other events stay, also those of the same types. --show-self keeps all events.
# Usage: own-events.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"

# woken FILE: prints the number of wake-ups of the run's reader threads
# switched FILE [TASK]: prints the number of switches between one of these threads and TASK (default: any task)
# Both read the pids of the threads from $scratch/threads, because other tests have threads with the same names.
woken() {
	events "$1" trace.event trace.sched.sched_waking.pid trace.sched.sched_wakeup.pid | tr -s '\t' | grep '^sched_wak' | cut -f2 |
		grep -cxFf "$scratch/threads"
}
switched() {
	events "$1" trace.sched.sched_switch.prev_pid trace.sched.sched_switch.prev_comm trace.sched.sched_switch.next_pid \
		trace.sched.sched_switch.next_comm |
		awk -F'\t' -v other="^${2:-.*}\$" 'NR == FNR { ours[$1]; next } ($1 in ours && $4 ~ other) || ($3 in ours && $2 ~ other) { n++ }
			END { print n + 0 }' "$scratch/threads" -
}

record() { # NAME OPTION...
	"$tracewire" record -q -e sched_switch,sched_waking,sched_wakeup "${@:2}" -w "$scratch/$1.pcapng" -- sh -c \
		'grep -l "^tracewire-read" /proc/$PPID/task/*/comm | cut -d/ -f5 >"$0"; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.05; done' \
		"$scratch/threads" || fail "record $1: $?"
	[ -s "$scratch/threads" ] || fail "record $1: no threads"
}
record all --show-self
[ "$(woken "$scratch/all.pcapng")" -gt 10 ] || fail "--show-self shows no wake-ups"
[ "$(switched "$scratch/all.pcapng")" -gt 10 ] || fail "--show-self shows no switches"
record default
expect "wake-ups of the run's threads" 0 "$(woken "$scratch/default.pcapng")"
expect "switches between the run's threads and the idle task" 0 "$(switched "$scratch/default.pcapng" 'swapper/[0-9]+')"
[ "$(events "$scratch/default.pcapng" trace.event trace.sched.sched_wakeup.comm | grep -cE $'^sched_wakeup\tsleep')" -ge 10 ] ||
	fail "wake-ups of the traced command are missing"
record filtered -f 'sched_switch.prev_prio >= 0 or event == sched_wakeup' --event-filter 'common_pid != 4000000'
expect "wake-ups with another filter" 0 "$(woken "$scratch/filtered.pcapng")"
[ "$(events "$scratch/filtered.pcapng" trace.event | grep -c '^sched_switch$')" -gt 10 ] || fail "switches are missing"

# Packets on lo are shown, packets on the run's own interface are not.
ip link set lo up
in_background live "$tracewire" live -i own0 -e net:net_dev_queue,net:netif_receive_skb -- bash -c \
	'for i in $(seq 40); do echo >/dev/udp/127.0.0.1/9; done; true'
wait "$pid"
expect "status of live" 0 $?
[ "$(grep -c 'net_dev_queue: dev=lo ' "$scratch/live.out")" -ge 40 ] || fail "no packets on lo: $(tail -n 3 "$scratch/live.out" "$scratch/live.err")"
expect "packets on the run's interface" 0 "$(grep -c 'dev=own0' "$scratch/live.out")"
nothing_left "$pid"
exit $failed
