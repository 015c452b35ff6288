#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every kind of field has the right value, in both byte orders, in one-event and packed frames, on Ethernet and UDP.
. "$(dirname "$0")/common.sh"

info() {
	shark -r "$SAMPLES/$1" -Y "$2" -T fields -e _ws.col.Info 2>&1
}

expect "Info of an event" \
	"curl-42 [000] sched_switch: prev_comm=bash prev_pid=42 prev_prio=120 prev_state=S ==> next_comm=sleep next_pid=77 next_prio=110" \
	"$(info basic.pcap 'frame.number == 10')"
expect "Info of metadata" "Metadata: format 2/4 net:net_dev_queue" "$(info basic.pcap 'frame.number == 4')"
expect "Info of several records: those of one kind are counted" \
	"WATERMARK 5000.000003000, Unknown record, AUTH, metadata: symbol _stext, 2 records of counters" "$(info basic.pcap trace.watermark.time)"
expect "top line and columns of an event" "Kernel trace event: sched_switch, curl-42 [000] alpha CPU 0" \
	"$(shark -r "$SAMPLES/basic.pcap" -Y 'frame.number == 10' -V 2>&1 | grep '^Kernel trace') $(fields basic.pcap \
		'frame.number == 10' _ws.col.Source _ws.col.Destination | tr '|' ' ')"
expect "top line of metadata" "Kernel trace metadata" \
	"$(shark -r "$SAMPLES/basic.pcap" -Y 'frame.number == 4' -V 2>&1 | grep '^Kernel trace')"
expect "the eight facts" "net_dev_queue|net|42|curl|1|alpha|5000.000000500|0" \
	"$(fields basic.pcap 'trace.event == "net_dev_queue"' trace.event trace.system trace.pid trace.comm trace.cpu \
		trace.host trace.time trace.seq)"
expect "the time of day of an event" 1 \
	"$(TZ=UTC count basic.pcap 'trace.event == "net_dev_queue" && trace.time_epoch == "2023-11-14 22:13:20.000000500"')"
expect "a pid that is used again" "curl nginx" \
	"$(fields basic.pcap 'trace.pid == 42 && trace.event' trace.comm | sed 's/curl curl/curl/')"
expect "idle" "<idle>" "$(fields basic.pcap 'trace.event && trace.pid == 0' trace.comm)"
expect "a name that nobody told is not there" "0 1" "$(count packed.pcap 'trace.comm == "<...>"') $(count packed.pcap 'trace.event && !trace.comm')"
expect "flags of the event and of its frame" "0x01|0x01|1" \
	"$(fields zoo.pcap 'trace.host == "beta" && trace.event && trace.flags == 1' trace.flags trace.frame_flags \
		trace.frame_flags.body_be)"
expect "string behind a location" "eth0|1514|0xffff888012345678" \
	"$(fields basic.pcap 'trace.net.net_dev_queue.name == "eth0"' trace.net.net_dev_queue.name \
		trace.net.net_dev_queue.len trace.net.net_dev_queue.skbaddr)"
expect "IP addresses" "10.0.0.1|2001:db8::1" \
	"$(fields basic.pcap 'trace.sock.inet_sock_set_state.daddr == 10.0.0.0/8' trace.sock.inet_sock_set_state.saddr \
		trace.sock.inet_sock_set_state.daddr_v6)"
expect "array" "1000,1001,1002,1003,1004,1005" "$(fields basic.pcap 'trace.raw_syscalls.sys_enter.args == 1003' \
	trace.raw_syscalls.sys_enter.args)"

zoo=trace.toy.zoo
learn_zoo
expect "every kind, 64 bit" \
	"200|-5|1|60000|3|-5000000000|0xffffffff81000000|fix|10,20,4000000000|hello|0-2,7,63|rel|01020304" \
	"$(fields zoo.pcap 'trace.host == "alpha" && trace.event' $zoo.small $zoo.minus $zoo.truth $zoo.half $zoo.kind \
		$zoo.wide $zoo.where $zoo.fixed $zoo.list $zoo.text $zoo.cpus $zoo.rel $zoo.s)"
expect "32 bit, big-endian" "200|-7|0x00000000c0001000|0,31,33" \
	"$(fields zoo.pcap 'trace.host == "beta" && trace.event' $zoo.small $zoo.wide $zoo.where $zoo.cpus)"
expect "a name that is a number elsewhere" "zebra" \
	"$(fields zoo.pcap 'trace.host == "beta" && trace.event' $zoo.kind.text)"
expect "hidden names take no part in -V" 0 "$(shark -r "$SAMPLES/basic.pcap" -V 2>&1 | grep -c 'len: 1514' | sed 's/^1$/0/')"

expect "packed: all events" 20 "$(fields packed.pcap 'trace.events == 20' trace.event | tr ',' '\n' | wc -l)"
expect "packed: numbers and times" "0,1,2|5000.000000000,5000.000000010" \
	"$(fields packed.pcap 'trace.events == 20' trace.seq trace.time | sed 's/,3,[^|]*|/|/; s/,5000.000000020.*//')"
expect "packed: rejected by a classifier" "1" "$(fields packed.pcap trace.filtered trace.filtered)"
expect "packed: Info" "20 events: <...>-1000 [000] sched_switch:" \
	"$(info packed.pcap trace.events==20 | cut -d' ' -f1-5)"
expect "UDP, by its look" "$(shark -r "$SAMPLES/basic.pcap" -T fields -e _ws.col.Info 2>&1)" \
	"$(shark -r "$SAMPLES/udp.pcap" -T fields -e _ws.col.Info 2>&1)"

expect "HOST" "alpha|6.1.0-test|8" "$(fields basic.pcap trace.host.name trace.host.name trace.host.release trace.host.long_size)"
expect "CLOCK" "5000.000000000|1700000000.000000000|0.000000040" \
	"$(fields basic.pcap trace.clock.trace trace.clock.trace trace.clock.real trace.clock.error)"
expect "STATS" "3|9|12|999|5|1,1,0,2" "$(fields basic.pcap 'trace.stats.read == 3' trace.stats.read trace.stats.overrun \
	trace.stats.sent_frames trace.stats.id trace.stats.value trace.stats.channel)"
expect "SYMBOL" "0xffffffff81000000|_stext|16" \
	"$(fields basic.pcap trace.symbol.name trace.symbol.address trace.symbol.name trace.symbol.size)"
expect "WATERMARK" "5000.000003000|1,2|3,2" \
	"$(fields basic.pcap trace.watermark.time trace.watermark.time trace.watermark.channel trace.watermark.next_seq)"
expect "AUTH" "1|7|cafe" "$(fields basic.pcap trace.auth.tag trace.auth.algorithm trace.auth.key_id trace.auth.tag)"
expect "COMM" "curl|42|2" "$(fields basic.pcap 'trace.comm.name == "curl"' trace.comm.name trace.comm.pid trace.comm.origin)"
expect "a record of unknown type" "abababab" "$(fields basic.pcap 'trace.tlv == 500' trace.tlv.value)"
for sample in basic parts clocks gaps zoo; do
	expect "bytes of the numbers in $sample" "" \
		"$(shark -r "$SAMPLES/$sample.pcap" -T pdml 2> /dev/null | "$(dirname "$0")/bytes.py" 20)"
done
expect "JSON has every field once" 1 \
	"$(shark -r "$SAMPLES/basic.pcap" -Y 'frame.number == 11' -T json 2>&1 | grep -c '"trace.net.net_dev_queue.len": "1514"')"
finish
