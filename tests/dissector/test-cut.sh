#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Packets of which the capturing program kept only the beginning (dumpcap -s): the plugin shows the complete fields, and that the packet was
# truncated, which it does not report as an error.
. "$(dirname "$0")/common.sh"

switch=trace.sched.sched_switch
limited='[Packet size limited during capture]'

of() { # FRAME FIELD...
	local frame=$1
	shift
	fields cut.pcap "frame.number == $frame" "$@"
}

for passes in "" -2; do
	expect "what is cut, and what cannot be $passes" "11 12 13 14 15 16 17 18 19 20 21 22 23" \
		"$(shark $passes -r "$SAMPLES/cut.pcap" -Y 'trace.expert.cut && _ws.short' -T fields -e frame.number 2>&1 | paste -sd' ')"
	expect "frames that cannot be $passes" "22 27" \
		"$(shark $passes -r "$SAMPLES/cut.pcap" -Y '_ws.malformed || _ws.expert.severity == error' -T fields -e frame.number 2>&1 | paste -sd" ")"
done
expect "frames that say to be longer than the packet" "21 26" "$(fields cut.pcap trace.expert.truncated frame.number)"
expect "events, and names of them" "10 11 12 13 18 19 20 21 24 25 26" "$(fields cut.pcap 'trace.event == "sched_switch"' frame.number)"

expect "without the last byte" "42|bash|42|sleep|77|" \
	"$(of 11 trace.pid $switch.prev_comm $switch.prev_pid $switch.next_comm $switch.next_pid $switch.next_prio)"
expect "its Info" \
	"curl-42 [000] sched_switch: prev_comm=bash prev_pid=42 prev_prio=120 prev_state=1 next_comm=sleep next_pid=77$limited" \
	"$(of 11 _ws.col.Info)"
expect "in a field" "42|curl|5000.000000002|bash|42|" \
	"$(of 12 trace.pid trace.comm trace.time $switch.prev_comm $switch.prev_pid $switch.prev_prio)"
expect "behind what every event has" "42|sched_switch||curl-42 [000] sched_switch: $limited" \
	"$(of 13 trace.pid trace.event $switch.prev_comm _ws.col.Info)"
expect "before that" "|1|72|EVENT$limited" "$(of 14 trace.pid trace.tlv trace.tlv.length _ws.col.Info)"
expect "in the header of a record" "5|$limited" "$(of 15 trace.first_seq _ws.col.Info)"
expect "after the frame's header" "6|$limited" "$(of 16 trace.first_seq _ws.col.Info)"
expect "in the frame's header" "|$limited" "$(of 17 trace.first_seq _ws.col.Info)"
expect "the second of three events" "1000,1001|1000,1001|110" "$(of 18 trace.pid $switch.prev_pid $switch.next_prio)"
expect "between events" "1000,1001|110,110|3" "$(of 19 trace.pid $switch.next_prio trace.events)"
expect "in UDP" "42|120" "$(of 20 trace.pid $switch.prev_prio)"
expect "what cannot be" "|$limited" "$(of 22 trace.event _ws.col.Info)"
expect "the beginning of a name" "COMM$limited||" "$(of 23 _ws.col.Info trace.comm.name trace.comm.pid)"
expect "is not learnt" "1234|" "$(of 24 trace.pid trace.comm)"
expect "fields can be filtered" "11 12 20 21" "$(fields cut.pcap "$switch.prev_pid == 42 && trace.expert.cut" frame.number)"
finish
