#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The text of an event, as printed by the kernel: in the Info column, as trace.text, and with an invalid print fmt.
. "$(dirname "$0")/common.sh"

sample() {
	shark -r - "$@" < "$(dirname "$0")/../data/sample.pcapng" 2>&1
}

# Compares the Info column, without "comm-pid [cpu] event:", with trace.text, for every frame that has a text.
texts_of() {
	"$@" -Y trace.text -T fields -E separator='|' -e _ws.col.Info -e trace.text |
		awk -F'|' '{ sub(/^.*-[0-9]+ \[[0-9]+\] [a-z_0-9]+: ?/, "", $1); sub(/^ /, "", $2); print $1 == $2 ? "same" : $0 }' | sort -u
}

expect "the text of an event" "prev_comm=bash prev_pid=42 prev_prio=120 prev_state=S ==> next_comm=sleep next_pid=77 next_prio=110" \
	"$(fields basic.pcap 'frame.number == 10' trace.text)"
expect "Info has it too, for every event of a recording" same "$(texts_of sample)"
expect "and of made-up captures" same "$(for f in basic late value-strings; do texts_of shark -r "$SAMPLES/$f.pcap"; done | sort -u)"
expect "a filter on the text" "11" "$(shark -r "$SAMPLES/basic.pcap" -Y 'trace.text contains "dev=eth0"' -T fields -e frame.number)"
for passes in "" -2; do
	expect "the same text in a tree, a column and a filter $passes" "1" \
		"$(for what in "-V" "-T fields -e trace.text" "-T json"; do
			shark $passes -r "$SAMPLES/basic.pcap" -Y 'trace.text && frame.number == 11' $what 2>&1 |
				grep -o 'dev=eth0 skbaddr=[^] ]* len=1514'
		done | sort -u | wc -l)"
done
expect "control characters of strangers" "level=mad\x1b[31m" "$(fields value-strings.pcap 'trace.toy.mood.level == 2' trace.text)"

expect "a print fmt that is none: fields, and why" "1|level=7" \
	"$(fields refused.pcap 'trace.expert.no_print' frame.number trace.text | sed 's/^[0-9]*|  *[a-z]/1|l/')"
expect "says where" 1 "$(shark -r "$SAMPLES/refused.pcap" -Y trace.expert.no_print -V 2>&1 | grep -c 'Expert Info (Note/Undecoded): .*column')"
expect "all others are compiled" 0 "$(for f in basic value-strings symbols; do count $f.pcap trace.expert.no_print; done | awk '{ n += $1 } END { print n }')"
expect "a frame with too much text says so" yes \
	"$(shark -r "$SAMPLES/refused.pcap" -V 2>&1 | grep -q "more text than is shown" && echo yes)"
expect "an Info is as long as Wireshark's" yes \
	"$(shark -r "$SAMPLES/refused.pcap" -Y 'trace.events == 3000' -T fields -e _ws.col.Info | awk '{ print length($0) < 4096 ? "yes" : "no" }')"
finish
