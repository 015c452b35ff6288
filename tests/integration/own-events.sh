#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A run leaves out the events that it causes: wake-ups of its threads, switches between them and the idle task, packets on its own
# interface. All other events stay, also those of the same types. --show-self keeps all events.
# Usage: own-events.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"

# woken FILE, switched FILE [TASK]: print the number of wake-ups of a run's threads, and of switches between such a thread and TASK
# (default: any task)
woken() {
	events "$1" trace.event trace.sched.sched_waking.comm trace.sched.sched_wakeup.comm | tr -s '\t' | grep -cE $'^sched_(waking|wakeup)\ttracewire-read'
}
switched() {
	local other=${2:-'[^\t]*'}
	events "$1" trace.event trace.sched.sched_switch.prev_comm trace.sched.sched_switch.next_comm |
		grep -cP "^sched_switch\t($other\ttracewire-read|tracewire-read\t$other)\$"
}

record() { # NAME OPTION...
	"$tracewire" record -q -e sched_switch,sched_waking,sched_wakeup "${@:2}" -w "$scratch/$1.pcapng" -- sh -c \
		'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.05; done' || fail "record $1: $?"
}
record all --show-self
[ "$(woken "$scratch/all.pcapng")" -gt 10 ] || fail "--show-self shows no wake-ups"
[ "$(switched "$scratch/all.pcapng")" -gt 10 ] || fail "--show-self shows no switches"
record default
expect "wake-ups of the run's threads" 0 "$(woken "$scratch/default.pcapng")"
expect "switches between the run's threads and the idle task" 0 "$(switched "$scratch/default.pcapng" 'swapper/\d+')"
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
