#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Producers and links come and go during a capture. A producer that is killed and started again makes two streams; the ledger of the first
# one stays open. A capture that joins late counts earlier events at `before`. A link that is down for a while loses as many events as the
# ledger says. If the interface of a capture is removed, the capture ends with a complete file.
# Usage: restart.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/common.sh"

hosts host p1 p2

# begin_stream OPTION...: host p1 begins to stream a load that makes $calls system calls per second, with two events each; the process of
# the stream is in $stream
calls=4000
begin_stream() {
	prepare_load $calls 1000000
	start_stream p1 -e raw_syscalls --event-filter "$loaded" "$@"
	stream=$pid
	begin_load
}

end_load() {
	kill "$load_process"
	wait "$load_process" 2>/dev/null
}

end_stream() {
	end_load
	interrupt "$stream"
	expect "status of the stream" 0 $?
	eval "$(summary "$scratch/p1.err")"
}

# at_least NAME WANTED GOT: fails if GOT is less than WANTED
at_least() {
	[ "${3:-0}" -ge "$2" ] || fail "$1: $3 is less than $2"
}

# The producer on p1 is killed and started again. The one on p2 continues undisturbed.
start_capture restarted -u 18101 --status 0.1
capture=$pid
start_stream p2 -u $capture_host -e sched:sched_switch
beside=$pid
begin_stream -u $capture_host
wait_for has_delivered restarted p1: 3000
end_load
kill_at_once "$stream"
begin_stream -u $capture_host
wait_for has_read "$stream" 1000
end_stream
interrupt "$beside"
wait_for has_all restarted p2: "$(sed -nE 's/^events +([0-9]+) recorded.*/\1/p' "$scratch/p2.err")"
end_capture "$capture" restarted
expect "streams of a producer that was started again" "closed open" "$(in_ledger restarted p1: state | sort | xargs)"
expect "interfaces of them" 2 "$(capinfos -M "$scratch/restarted.pcapng" 2>/dev/null | grep -c 'Name = p1:')"
balanced restarted p1:
balanced restarted p2: ring
killed=$(ledgers restarted p1: | grep '"open"' | cut -d' ' -f2)
again=$(ledgers restarted p1: | grep '"closed"' | cut -d' ' -f2)
expect "recorded by the second" "$recorded" "$(in_ledger restarted "$again" recorded)"
at_least "of the killed one, delivered" 3000 "$(in_ledger restarted "$killed" delivered)"
"$tracewire" info "$scratch/restarted.pcapng" >"$scratch/info" || fail "info after a kill"
says "$scratch/info" 'open' || fail "that the ledger is open is not said: $(cat "$scratch/info")"

# A capture joins late.
begin_stream -u $capture_host
wait_for has_read "$stream" 2000
start_capture late -u 18101 --status 0.1
capture=$pid
wait_for has_delivered late p1: 500
end_stream
wait_for has_all late p1: "$recorded"
end_capture "$capture" late
balanced late p1:
expect "late: ledger" closed "$(in_ledger late p1: state)"
expect "late: recorded" "$recorded" "$(in_ledger late p1: recorded)"
at_least "late: before" 500 "$(in_ledger late p1: before)"
at_least "late: delivered" 500 "$(in_ledger late p1: delivered)"

# down_and_up NAME HOST RECEIVE SEND LEAST: the link of HOST is down for a while, which loses at least LEAST events. A producer whose own
# link is down keeps its frames, so it may lose no events; the number of lost events depends on when the kernel notices that the link is
# down.
down_and_up() {
	local name=$1 host=$2 least=$5 lost
	# shellcheck disable=SC2086 # words
	start_capture "$name" $3 --status 0.1
	capture=$pid
	# shellcheck disable=SC2086
	begin_stream $4
	wait_for has_delivered "$name" p1: 2000
	on "$host" ip link set eth0 down
	wait_for has_read "$stream" $(($(events_read "$stream") + 4000))
	on "$host" ip link set eth0 up
	wait_for has_delivered "$name" p1: $(($(in_ledger "$name" p1: delivered status) + 3000))
	end_stream
	wait_for has_all "$name" p1: "$recorded"
	end_capture "$capture" "$name"
	balanced "$name" p1: wire tx shed
	expect "$name: ledger" closed "$(in_ledger "$name" p1: state)"
	expect "$name: recorded" "$recorded" "$(in_ledger "$name" p1: recorded)"
	lost=$(in_ledger "$name" p1: '(wire|tx|shed)')
	echo "$name: of $recorded events $lost lost: $(ledgers "$name" p1: | grep -oE '"(wire|tx|shed)": [0-9]+' | xargs)"
	at_least "$name: lost" "$least" "$lost"
	at_least "$name: delivered" 5000 "$(in_ledger "$name" p1: delivered)"
	expect "$name: events in the file" "$(in_ledger "$name" p1: delivered)" "$(in_files "$scratch/$name.pcapng")"
}
down_and_up receiver_down_udp host "-u 18101" "-u $capture_host" 200
down_and_up producer_down_udp p1 "-u 18101" "-u $capture_host" 0
down_and_up receiver_down host "-i eth0" "-i eth0" 200

# The path MTU becomes smaller: the sender drops the packed frames that are now too long, and the ledger counts their events.
start_capture shrinks -u 18101 --status 0.1
capture=$pid
calls=40000
begin_stream -u $capture_host
for mtu in 1400 1000 576; do
	wait_for has_read "$stream" $(($(events_read "$stream") + 10000))
	on p1 ip link set eth0 mtu $mtu
done
wait_for has_read "$stream" $(($(events_read "$stream") + 10000))
end_stream
calls=4000
wait_for has_all shrinks p1: "$recorded"
end_capture "$capture" shrinks
balanced shrinks p1: tx
expect "shrinks: ledger" closed "$(in_ledger shrinks p1: state)"
expect "shrinks: lost in transmission" "$tx" "$(in_ledger shrinks p1: tx)"
at_least "shrinks: lost in transmission" 1 "$tx"
expect "shrinks: events in the file" "$(in_ledger shrinks p1: delivered)" "$(in_files "$scratch/shrinks.pcapng")"

# The interface is removed.
start_capture gone -i eth0
capture=$pid
begin_stream -i eth0
wait_for has_read "$stream" 1000
ip link del to-host
wait "$capture"
expect "status without the interface" 1 $?
end_stream
expect "gone: ledger" open "$(in_ledger gone p1: state)"
balanced gone p1:
expect "gone: events in the file" "$(in_ledger gone p1: delivered)" "$(in_files "$scratch/gone.pcapng")"
exit $failed
