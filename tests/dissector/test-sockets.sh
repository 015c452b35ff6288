#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Packets and socket events in one capture: links, delays, tasks; sequence numbers that wrap, retransmissions, datagrams, echoes.
. "$(dirname "$0")/common.sh"

# timelines FILE [OPTION...]: the packets, and the frames of their events
timelines() {
	shark "${@:2}" -r "$SAMPLES/$1" -Y trace.sockts -T fields -E separator='|' -e frame.number -e trace.sockts.frame 2>&1 | paste -sd' '
}
# Each message has sendmsg, sched, snd_sw and ack; two connections have the same ports and numbers.
expect "wrap" "6|4,5,7,8 11|9,10,12,13 17|15,16,18,19 22|20,21,23,24" "$(timelines sockets-wrap.pcap -2)"
expect "wrap, one pass" "6|4,5 11|9,10 17|15,16 22|20,21" "$(timelines sockets-wrap.pcap)"
# Formats that only the cache has, from the captures before: the first event has its links, too.
editcap -F pcap "$SAMPLES/sockets-wrap.pcap" "$SAMPLES/cached.pcap" 1-2
expect "formats from the cache" "4|2,3,5,6 9|7,8,10,11 15|13,14,16,17 20|18,19,21,22" "$(timelines cached.pcap -2)"
# Three transmissions of one packet with two messages. Then three segments of one packet: only the last has snd_sw; the second is sent again
# without a sched, and what happens after that belongs to this transmission.
expect "retransmissions" "6|3,4,5,7 9|3,4,8,10 12|3,4,11,13,14,15,16,29 19|17,18,23,24,29 20|17,18 21|17,18,22,25,28,29 26|17,27,28,29" \
	"$(timelines sockets-lost.pcap -2)"
expect "datagrams" "5|6,7,11 8|10,12 9|10,13" "$(timelines sockets-udp.pcap -2)"
# Of two echoes with one id and number, each has its own events. The last one was sent by the peer.
expect "echoes" "3|2,5|25000 4|2,5|25000 7|6| 9|8,11|25000 10|8,11|25000 13|12,15|25000 14|12,15|25000 17|16,19|25000 18|16,19|25000" \
	"$(shark -2 -r "$SAMPLES/sockets-echo.pcap" -Y trace.sockts -T fields -E separator='|' -e frame.number -e trace.sockts.frame \
		-e trace.sockts.rtt 2>&1 | paste -sd' ')"
expect "echoes, one pass" "3|2 4|2 7|6 9|8 10|8 13|12 14|12 17|16 18|16" "$(timelines sockets-echo.pcap)"
expect "links from the events of echoes" "2|3,4| 5|3,4|25000 6|7| 8|9,10| 11|9,10|25000 12|13,14| 15|13,14|25000 16|17,18| 19|17,18|25000" \
	"$(shark -2 -r "$SAMPLES/sockets-echo.pcap" -Y trace.sockts.packet -T fields -E separator='|' -e frame.number -e trace.sockts.packet \
		-e trace.sockts.rtt 2>&1 | paste -sd' ')"
# The events with a delay. In one pass, a sched does not know its packet, which follows.
has_delay="trace.sockts.sched_delay || trace.sockts.qdisc_delay || trace.sockts.ack_delay"
delays() {
	shark "$@" -r "$SAMPLES/sockets-wrap.pcap" -Y "frame.number < 9 && trace && ($has_delay)" -T fields -E separator='|' \
		-e frame.number -e trace.sockts.packet -e trace.sockts.sched_delay -e trace.sockts.qdisc_delay \
		-e trace.sockts.ack_delay -e trace.sockts.stack_delay 2>&1 | paste -sd' '
}
expect "links from events, and delays" "5|6|10000||| 7|6||20000|| 8|6|||10000|" "$(delays -2)"
expect "links from events, and delays, one pass" "7|6||20000|| 8|6|||10000|" "$(delays)"
expect "delays of a packet" "12||20000|30000|10000||140000" "$(shark -2 -r "$SAMPLES/sockets-lost.pcap" \
	-Y 'trace.sockts.read_delay > 100000 && tcp' -T fields -E separator='|' -e frame.number \
	-e trace.sockts.sched_delay -e trace.sockts.qdisc_delay -e trace.sockts.ack_delay \
	-e trace.sockts.stack_delay -e trace.sockts.wakeup_delay -e trace.sockts.read_delay 2>&1)"
expect "tasks and transmissions" "sender-42|reader-43|2,2,2" "$(shark -2 -r "$SAMPLES/sockets-lost.pcap" -Y 'frame.number == 12' -T fields \
	-E separator='|' -e trace.sockts.sender -e trace.sockts.reader -e trace.sockts.transmission 2>&1)"
expect "labels" "[sched: 10.000 us after sendmsg, in frame 5]" "$(shark -2 -r "$SAMPLES/sockets-wrap.pcap" -Y 'frame.number == 6' -V 2>&1 |
	sed -n 's/^ *\(\[sched: .*\)/\1/p')"
# The names exist in any capture, and the packets of a capture without socket events have no timeline.
for filter in 'trace.sockts.sched_delay > 1' 'trace.sockts.egress_ts.type == "sched"' 'trace.sockts.drop.bytes == 1' trace.sockts; do
	expect "a capture without socket events, $filter" "" "$(shark -o trace.cache:FALSE -r "$SAMPLES/fragments.pcap" -Y "$filter" 2>&1)"
done
finish
