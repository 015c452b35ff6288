#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In converted recordings of trace-cmd, trace.text of every event equals the text of `tracewire report`. `tracewire report` also reads a
# recording of several hosts. CTest sets TRACEWIRE, in addition to the variables of common.sh.
. "$(dirname "$0")/common.sh"

data=$(dirname "$0")/../data

# Wireshark shows newlines and tabs as blanks.
report_texts() {
	"$TRACEWIRE" report -q --json "$1" |
		python3 -c 'import json, sys
for line in sys.stdin:
	print(json.loads(line)["text"].translate({9: " ", 10: " "}))'
}

# same_texts NAME EVENTS
same_texts() {
	local file=$home/$1.pcapng n

	"$TRACEWIRE" convert -q "$data/$1.dat" "$file" && chmod a+r "$file"
	report_texts "$file" > "$home/theirs"
	shark -r "$file" -Y trace.event -T fields -e trace.text > "$home/ours" 2>&1
	n=$(paste -d $'\001' "$home/ours" "$home/theirs" | awk -F $'\001' '$1 == $2 { n++ } END { print n + 0 }')
	expect "$1.dat: $n events have the text that report prints, of $(wc -l < "$home/theirs")" "$2 $2" \
		"$n $(wc -l < "$home/ours")"
	[ "$n" = "$2" ] || diff "$home/theirs" "$home/ours" | head -6
	forget
}

same_texts debian-6.1 79648
same_texts debian-6.12-function 4394

expect "report passes over what is out of band" "ledger   15 recorded: 15 delivered; open" \
	"$("$TRACEWIRE" report -v --json "$SAMPLES/clocks.pcap" 2>&1 > "$home/out" | grep ^ledger)"
finish
