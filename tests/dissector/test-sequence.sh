#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Gaps, duplicate and late frames, reported losses: the same in one pass and in two.
. "$(dirname "$0")/common.sh"

for passes in "" -2; do
	expect "a gap, and how much $passes" "11" \
		"$(shark $passes -r "$SAMPLES/gaps.pcap" -Y 'trace.missing == 3 && trace.expert.gap' -T fields -e frame.number 2>&1)"
	expect "a frame seen before $passes" "12" \
		"$(shark $passes -r "$SAMPLES/gaps.pcap" -Y trace.expert.duplicate -T fields -e frame.number 2>&1)"
	expect "a late frame $passes" "13" \
		"$(shark $passes -r "$SAMPLES/gaps.pcap" -Y trace.expert.reordered -T fields -e frame.number 2>&1)"
	expect "told losses $passes" "1234,0,5508|1,3,1|0,1,1" \
		"$(shark $passes -r "$SAMPLES/gaps.pcap" -Y trace.expert.lost -T fields -E separator='|' -e trace.lost.count \
			-e trace.lost.where -e trace.lost.unknown 2>&1 | as_in_4_0)"
done
expect "how many were lost, as far as it is known" yes \
	"$(shark -r "$SAMPLES/gaps.pcap" -Y trace.expert.lost -T fields -e _ws.col.Info 2>&1 |
		grep -qE 'LOST 1234 events .*LOST unknown number of events .*LOST at least 5508 events ' && echo yes)"
expect "losses can be filtered by count" 1 "$(count gaps.pcap 'trace.lost.count > 1000')"
expect "nothing is said of a whole capture" 0 "$(count basic.pcap '_ws.expert')"
finish
