#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A stream over UDP to a capture on another host, which is a network namespace here. The summaries of both ends and the file show that each
# event arrives or is counted, with any MTU, and with an MTU that becomes smaller. The rate limit holds, and events are in time order. A
# stream on a real interface needs a destination.
# Usage: udp.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/common.sh"

in_background far unshare --net sleep infinity
far=$pid
far() { # COMMAND...: runs a command on the other host
	nsenter --net="/proc/$far/ns/net" "$@"
}
is_far() { [ "$(readlink "/proc/$far/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
wait_for is_far

# link MTU: makes a link to the other host
link() {
	ip link del s0 2>/dev/null
	ip link add s0 mtu "$1" type veth peer name d0 mtu "$1" netns "$far"
	ip addr add 10.1.0.1/24 dev s0
	ip link set s0 up
	far ip addr add 10.1.0.2/24 dev d0
	far ip link set d0 up
	wait_for is_up s0
	wait_for is_up d0 far
	[ "$1" -lt 1280 ] && return
	ip addr add fd00::1/64 dev s0 nodad
	far ip addr add fd00::2/64 dev d0 nodad
}

start_capture() { # NAME OPTION...
	local name=$1
	shift
	in_background "$name" nsenter --net="/proc/$far/ns/net" "$tracewire" capture -v -Z root -w "$scratch/$name.pcapng" "$@"
	wait_for says "$scratch/$name.err" '^capturing on UDP '
}

# stream_and_capture NAME HOST OPTION...: this host streams to the other one, whose address is HOST. Sets the variables of the stream's
# summary.
stream_and_capture() {
	local name=$1 host=$2 capture
	shift 2
	start_capture "$name" -u 18101
	capture=$pid
	timeout 200 "$tracewire" stream -v -u "$host" "$@" 2>"$scratch/stream.err" || fail "$name: stream: $(cat "$scratch/stream.err")"
	sleep 0.3
	interrupt $capture
	expect "$name: status of capture" 0 $?
	eval "$(summary "$scratch/stream.err")"
	expect "$name: recorded = sent + lost" "$recorded" $((sent + ring + shed + tx))
	expect "$name: events recorded, in the ledger of the capture" "$recorded" "$(ledger "$name" recorded)"
	expect "$name: difference in the ledger" 0 "$(ledger "$name" difference)"
}

no_fragments() { # NAME
	local created
	created=$({ cat /proc/self/net/snmp /proc/self/net/snmp6; far cat /proc/self/net/snmp /proc/self/net/snmp6; } |
		awk '/^Ip:/ { if (!names) { split($0, name); names = 1 } else { for (i in name) if (name[i] == "FragCreates") sum += $i; names = 0 } }
			/^Ip6FragCreates/ { sum += $2 } END { print sum + 0 }')
	expect "$1: fragments" 0 "$created"
}

busy='for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.02; done'
for way in 576:10.1.0.2 1500:10.1.0.2 1500:[fd00::2] 9000:[fd00::2]:18101 65535:10.1.0.2:18101; do
	link "${way%%:*}"
	stream_and_capture over "${way#*:}" -e sched -- sh -c "$busy"
	says "$scratch/stream.err" "^streaming to .*:18101 \(UDP GSO, path MTU ${way%%:*}\)" || fail "$way: $(head -n 1 "$scratch/stream.err")"
	nothing_lost over
	no_fragments "$way"
	says "$scratch/over.err" '(exchange, software stamps)' && stamped=yes
done
expect "an exchange over UDP with software stamps" yes "$stamped"
link 1500
stream_and_capture single 10.1.0.2 -e sched --events-per-frame 1 -- sh -c "$busy"
nothing_lost single
[ "$frames" -ge "$sent" ] || fail "$sent events one by one in $frames frames"

# The MTU of the link becomes smaller. The frames that were packed before are too long: the sender drops them, and counts their events.
link 9000
stream_and_capture shrinking 10.1.0.2 -e raw_syscalls --latency 100 -- \
	sh -c "'$load' 60 50000 >/dev/null & sleep 0.25; ip link set s0 mtu 1400; sleep 0.25; kill \$!; wait"
echo "a link that shrinks: $tx of $recorded events in frames too long"
expect "lost while the link shrinks" "0 0 0 0" "$(for place in difference wire receiver damaged; do ledger shrinking $place; done | xargs)"
expect "events in frames too long" "$tx" "$(ledger shrinking tx)"
[ "$tx" -gt 0 ] || fail "no frame was too long"
no_fragments shrinking

# In no second does the rate exceed the limit of 20 Mbit/s. In the fastest quarter of a second it is at least half of the limit; the test
# does not require more, because a busy machine may stop the sender. The time at the start of an interval is read before the counters, the
# time at its end after them, so no rate is overestimated. Events without room in the kernel's ring are counted.
link 1500
cat >"$scratch/loaded" <<END
"$load" 60 200000 >"$scratch/calls" &
for _ in {1..16}; do
	sleep 0.25
	begun=\$EPOCHREALTIME
	mapfile -t counters </proc/net/dev
	echo \$begun \$EPOCHREALTIME "\${counters[@]}"
done >"$scratch/samples"
kill \$!
wait
END
stream_and_capture limited 10.1.0.2 -e raw_syscalls --buffer-size 256 --rate 20M -- bash "$scratch/loaded"
expect "lost on the way at a limited rate" "0 0 0" "$(for place in wire receiver damaged; do ledger limited $place; done | xargs)"
says "$scratch/stream.err" ', 20 Mbit/s at most\)' || fail "rate: $(head -n 1 "$scratch/stream.err")"
read -r second quarter < <(sed -E 's/^([0-9.]+) ([0-9.]+) .* s0: *([0-9]+ +){8}([0-9]+) .*/\1 \2 \4/' "$scratch/samples" | awk '
	function rate_since(i) { return ($3 - bytes[i]) * 8 / 1000 / ($2 - begun[i]) }
	NR > 4 && rate_since(NR - 4) > second { second = rate_since(NR - 4) }
	NR > 1 && rate_since(NR - 1) > quarter { quarter = rate_since(NR - 1) }
	{ begun[NR] = $1; bytes[NR] = $3 }
	END { print int(second), int(quarter) }')
echo "20 Mbit/s asked for: $second kbit/s in a second, $quarter in a quarter, $ring of $recorded events lost in the ring"
[ "$second" -le 20600 ] || fail "$second kbit/s are more than the 20000 asked for"
[ "$second" -ge 5000 ] && [ "$quarter" -ge 10000 ] || fail "$second and $quarter kbit/s are less than there was to send"
[ "$ring" -gt 0 ] || fail "nothing was lost in the ring, so the rate was no limit"

# One CPU has a large backlog, another one a small backlog. When the command ends, sending the rings takes longer than a capture waits for a
# channel, but the events are still sent in time order.
cat >"$scratch/backlog" <<END
"$load" 60 100000 0 >"$scratch/calls" &
"$load" 60 1000 1 >>"$scratch/calls" &
until [ "\$(awk '/^overrun:/ { print \$2 }' "$tracing/instances/tracewire-\$PPID/per_cpu/cpu0/stats")" -gt 0 ]; do sleep 0.05; done
kill %1 %2
wait
END
stream_and_capture backlog 10.1.0.2 -e raw_syscalls --buffer-size 1024 --rate 2M -- bash "$scratch/backlog"
delivered=$(ledger backlog delivered)
echo "a backlog at 2 Mbit/s: $delivered of $recorded events"
expect "a backlog: events after newer ones" 0 "$(ledger backlog late)"
expect "a backlog: lost on the way" "0 0 0" "$(for place in wire receiver damaged; do ledger backlog $place; done | xargs)"
[ "$delivered" -gt 15000 ] || fail "a ring of 1 MiB has more than $delivered events"

# No program receives.
timeout 200 "$tracewire" stream -v -e sched -u 10.1.0.2:9 -- sh -c "$busy" 2>"$scratch/stream.err"
expect "status if no program receives" 0 $?
says "$scratch/stream.err" '^refused  [1-9][0-9]* times 10.1.0.2 answered that no program receives on port 9$' ||
	fail "nobody listens: $(cat "$scratch/stream.err")"

# An interface that may lead to other hosts needs a destination.
ip link add link s0 name out0 type macvlan
ip link set out0 up
run 2 "$tracewire" stream -e sched -i out0 -- true # it may also remove objects of another killed run
expect "without a destination" "tracewire stream: out0 may lead to other hosts: give the Ethernet address of the capture host \
with --destination, or send to the whole network with --destination group" "$(grep -v '^removed ' "$scratch/err")"
for destination in group 52:54:00:12:34:56; do
	in_background sniffed far timeout 200 tshark -i d0 -a packets:1 -T fields -e eth.dst ether proto 0x88b5
	sniffer=$pid
	wait_for says "$scratch/sniffed.err" '^Capturing on'
	run 0 "$tracewire" stream -v -e sched -i out0 --destination $destination -- sh -c "$busy"
	wait $sniffer
	expect "frames to $destination" "${destination/group/03:54:57:52:31:00}" "$(cat "$scratch/sniffed.out")"
done
exit $failed
