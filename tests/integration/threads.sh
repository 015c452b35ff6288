#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The program's threads of all kinds work together under ThreadSanitizer, which prints a finding on standard error and ends the process with
# status 66. Each run lasts longer than a second, because a run reads the counters of its threads once a second.
# Usage: threads.sh TRACEWIRE, built by the preset tsan
tracewire=$1
for part in namespace check processes network tracing; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh" || exit 1
done
need_tracefs
need tshark
export HOME=$scratch
nm "$tracewire" 2>/dev/null | grep -q __tsan_init || fail "$tracewire is not built with ThreadSanitizer"

busy='for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do ls -R /usr/include/linux >/dev/null; sleep 0.1; done'

# works WHAT: the run that ended last had no finding. Status 1 is allowed: this build is slow and other runs work in parallel, so a run may
# give up frames that it cannot send in time.
works() {
	local status=$?
	[ $status -le 1 ] || fail "$1 ends with $status: $(tail -n 40 "$scratch/$1.err")"
	says "$scratch/$1.err" 'ThreadSanitizer' && fail "$1: $(grep -m 1 -A 40 ThreadSanitizer "$scratch/$1.err")"
}

# The readers, the thread for kallsyms, and the recorder. The readers evaluate a part of the filter.
in_background record "$tracewire" record -e sched,kmem,timer --threads 2 -w "$scratch/x.pcapng" \
	-f 'common_pid > 1 or sched_switch.next_comm matches "^x.*y"' -- sh -c "$busy"
record=$pid

# A receiver and a printer work in parallel with the recorder.
in_background live "$tracewire" live -e sched --threads 2 -- sh -c "$busy"
live=$pid

# The stream has a responder thread, hashed addresses, and one rate limit for all sinks. The capture polls clocks.
ip link set lo up
in_background capture "$tracewire" capture -Z root -u 18101 -w "$scratch/u.pcapng"
capture=$pid
wait_for says "$scratch/capture.err" '^capturing on'
in_background stream "$tracewire" stream -u 127.0.0.1 -e sched,kmem --threads 2 --rate 200M -- sh -c "$busy"
wait "$pid"
works stream
wait $record
works record
wait $live
works live
interrupt $capture
works capture

# An interface has a classifier, and a process of the capture reads the classifier's counters.
"$tracewire" vnet up tw0 2>"$scratch/up" || fail "vnet up: $(cat "$scratch/up")"
in_background attach "$tracewire" filter attach -i tw0 'event == "sched_switch"' --action drop
attach=$pid
wait_for says "$scratch/attach.err" '^(waiting on|attached to) tw0'
in_background capture "$tracewire" capture -Z root -i tw0 -w "$scratch/i.pcapng"
capture=$pid
wait_for says "$scratch/capture.err" '^capturing on'
in_background stream "$tracewire" stream -i tw0 -e sched --threads 2 -- sh -c "$busy"
wait "$pid"
works stream
interrupt $capture
works capture
interrupt $attach
works attach

# One process runs two producers.
in_background explain "$tracewire" filter explain --live 1 -e sched 'sched_switch.prev_pid > 3'
wait "$pid"
works explain
exit $failed
