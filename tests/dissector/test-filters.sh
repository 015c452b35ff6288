#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Filters with names of fields, before and after the plugin has seen frames.
. "$(dirname "$0")/common.sh"

expect "a common event, on a machine that never saw a trace" 2 \
	"$(count basic.pcap 'trace.sched.sched_switch.next_pid > 10')"
forget
expect "first match in one pass" 1 "$(count basic.pcap 'trace.sched.sched_switch.next_comm == "sleep" && trace.cpu == 0')"
forget
expect "an unknown event is refused" 1 "$(shark -r "$SAMPLES/zoo.pcap" -Y 'trace.toy.zoo.small == 200' 2>&1 | grep -cE 'not a valid|must be a field')"
learn_zoo
expect "an event of the cache" 2 "$(count zoo.pcap 'trace.toy.zoo.small == 200')"
expect "64 bit and 32 bit under one name" "1 1" \
	"$(count zoo.pcap 'trace.toy.zoo.wide == -5000000000') $(count zoo.pcap 'trace.toy.zoo.wide == -7')"
expect "a number and a text under one name" "1 1" \
	"$(count zoo.pcap 'trace.toy.zoo.kind == 3') $(count zoo.pcap 'trace.toy.zoo.kind.text == "zebra"')"
rm -f $(grep -l 's8 minus' "$home"/.cache/tracewire/*.formats)
expect "a type that comes up after the filter was compiled" 2 "$(count zoo.pcap 'trace.toy.zoo.wide < 0')"
forget

mkdir -p "$home/events/toy/zoo"
shark -r "$SAMPLES/zoo.pcap" -Y 'frame.number == 3' -T fields -e trace.schema.text 2> /dev/null | as_in_4_0 |
	sed 's/\\x0a/\n/g; s/\\x09/\t/g' > "$home/events/toy/zoo/format"
forget
expect "the text of a SCHEMA record can be read" 1 "$(grep -c '^name: zoo' "$home/events/toy/zoo/format")"
expect "a folder of formats, by preference" 1 \
	"$(count zoo.pcap 'trace.toy.zoo.minus == -5' -o "trace.formats:$home/events")"
forget
{ echo "system: toy"; cat "$home/events/toy/zoo/format"; } > "$home/all.txt"
expect "a file of formats, by preference" 1 "$(count zoo.pcap 'trace.toy.zoo.minus == -5' -o "trace.formats:$home/all.txt")"
forget
sed -i 's/^system: /system:/' "$home/all.txt"
expect "no blank before the system" 1 "$(count zoo.pcap 'trace.toy.zoo.minus == -5' -o "trace.formats:$home/all.txt")"
forget
mkdir -p "$home/odd/toy/fifo" "$home/odd/toy/zoo"
mkfifo "$home/odd/toy/fifo/format" "$home/fifo"
cp "$home/events/toy/zoo/format" "$home/odd/toy/zoo"
expect "a folder of formats with a FIFO in it" 1 "$(count zoo.pcap 'trace.toy.zoo.minus == -5' -o "trace.formats:$home/odd")"
forget
for odd in "$home/fifo" /dev/zero; do
	expect "$odd as the file of formats is not read" 2 \
		"$([ -n "$sanitizers" ] || ulimit -v 4000000; count basic.pcap 'trace.sched.sched_switch.next_pid > 10' -o "trace.formats:$odd")"
	forget
done
expect "no cache is written when the preference says so" 0 \
	"$(shark -o trace.cache:FALSE -r "$SAMPLES/basic.pcap" > "$home/out" 2>&1; find "$home" -name '*.formats' | wc -l)"

expect "trace.any, numbers" 2 "$(count basic.pcap 'trace.any.next_pid >= 42')"
expect "trace.any, text" 1 "$(count basic.pcap 'trace.any.name == "eth0"')"
expect "trace.any, pointers" 1 "$(count basic.pcap 'trace.any.skbaddr == 0xffff888012345678')"
expect "trace.any, a column" "eth0" "$(fields basic.pcap 'trace.event == "net_dev_queue"' trace.any.name)"
names=$(cat "$FORMATS"/*/*/format | sed -n 's/^\tfield:[^;]*[ *]\([A-Za-z_0-9]*\)\(\[[^]]*\]\)*;.*/\1/p' | grep -v '^common_' | LC_ALL=C sort -u)
for name in $(echo "$names" | sed -n '1p;$p'); do
	expect "trace.any.$name, of a common event" 0 "$(shark -r "$SAMPLES/basic.pcap" -Y "trace.any.$name" > "$home/out" 2>&1; echo $?)"
done
# fd: an int and a u64; vec: an int and a pointer
expect "trace.any, types of a name in several events" "trace.any.fd FT_INT64 trace.any.vec FT_UINT64" \
	"$(shark -G fields 2> /dev/null | awk -F'\t' '$3 ~ /^trace.any.(fd|vec)$/ { print $3, $4 }' | sort | paste -sd' ')"
expect "trace.any can be switched off" 1 \
	"$(shark -o trace.any:FALSE -r "$SAMPLES/basic.pcap" -Y 'trace.any.next_pid >= 42' 2>&1 | grep -cE 'not a valid|must be a field')"
expect "the second filter on a field with two passes" 1 "$(count late.pcap 'trace.net.net_dev_queue.len == 1514' -2)"
finish
