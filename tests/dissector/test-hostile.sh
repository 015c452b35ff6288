#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Frames with changed bytes and truncated ends, and frames that exceed limits: tshark ends in time, without a crash or a dissector bug.
. "$(dirname "$0")/common.sh"

for file in hostile huge refused sockets-hostile sockets-crowd; do
	for args in "-q" "-V" "-2 -V" "-T json" "-Y trace.any.len -T fields -e trace.event"; do
		timeout 200 bash -c "$(declare -f as_user shark); home=$home PLUGINS=$PLUGINS sanitizers=$sanitizers; shark -r '$SAMPLES/$file.pcap' $args" \
			> "$home/out" 2> "$home/err"
		expect "$file.pcap, $args" "0 0" "$? $(grep -c 'Dissector bug' "$home/out")"
		forget
	done
done
# Wireshark's own checks of its memory.
for wmem in strict simple; do
	for file in parts symbols refused hostile sockets-hostile; do
		WIRESHARK_DEBUG_WMEM_OVERRIDE=$wmem shark -2 -r "$SAMPLES/$file.pcap" -Y 'trace.text or trace.tlv' -V > "$home/out" 2> "$home/err"
		expect "$file.pcap, wmem $wmem" "0 " "$? $(cat "$home/err")"
	done
done
expect "malformed frames are told" yes "$([ "$(count hostile.pcap trace.expert.malformed)" -gt 100 ] && echo yes)"
expect "an event without format: not seen" 4096 "$(count schemas.pcap 'trace.expert.no_schema && !trace.expert.limit')"
expect "an event without format: a limit was reached" "...-42 [000] event 20: format beyond a limit" \
	"$(fields schemas.pcap 'trace.expert.limit && !trace.expert.no_schema' _ws.col.Info | tr -d '<>')"
expect "a frame with too many items says so" yes \
	"$(shark -r "$SAMPLES/huge.pcap" -V 2>&1 | grep -q 'has more items than are shown' && echo yes)"
expect "a frame whose socket events have too many packets says so" yes \
	"$(shark -2 -r "$SAMPLES/sockets-crowd.pcap" -V 2>&1 | grep -q "limit of searches is reached" && echo yes)"
finish
