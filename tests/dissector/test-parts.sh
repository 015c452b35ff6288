#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Records in pieces, in several frames: a SCHEMA and an event.
. "$(dirname "$0")/common.sh"

for passes in "" -2; do
	expect "an event in pieces $passes" "9000|0|2999" \
		"$(shark $passes -r "$SAMPLES/parts.pcap" -Y trace.event -T fields -E separator='|' -e trace.net.net_dev_queue.len \
			-e trace.seq -e trace.net.net_dev_queue.name 2>&1 | awk -F'|' '{ print $1 "|" $2 "|" length($3) }')"
done
forget
can_export || finish
touch "$home/export.pcapng"
chmod 666 "$home/export.pcapng"
shark -2 -r "$SAMPLES/parts.pcap" -Y trace.event -w "$home/export.pcapng" 2>&1
forget
expect "exporting keeps all pieces of both" "9000" \
	"$(shark -r "$home/export.pcapng" -Y trace.event -T fields -e trace.net.net_dev_queue.len 2>&1)"
finish
