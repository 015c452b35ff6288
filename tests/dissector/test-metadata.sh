#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Formats come from metadata before or after the events, or from the cache. Exported packets keep the packets on which they depend.
. "$(dirname "$0")/common.sh"

late='frame.number <= 5'
columns() {
	shark "$@" -r "$SAMPLES/late.pcap" -Y "$late && (trace.cpu == 0 || trace.pid == 0)" -T fields -E separator=, \
		-e _ws.col.Source -e _ws.col.Destination 2>&1 | paste -sd' '
}
expect "columns before the HOST" "CPU 0,CPU 0 CPU 0,CPU 0 CPU 0,CPU 0 <idle>-0,CPU 1" "$(columns)"
expect "columns after the HOST" "alpha,CPU 0 alpha,CPU 0 alpha,CPU 0 alpha,CPU 1" "$(columns -2)"
expect "top line before all metadata" "Kernel trace event: unknown format, <idle>-0 [001]" \
	"$(shark -o trace.cache:FALSE -r "$SAMPLES/late.pcap" -Y 'frame.number == 5' -V 2>&1 | grep '^Kernel')"
forget
expect "one pass, metadata after the events" "5" "$(count late.pcap "$late && trace.expert.no_schema")"
forget
expect "two passes" "curl|sched_switch nginx|net_dev_queue" \
	"$(shark -2 -r "$SAMPLES/late.pcap" -Y 'frame.number <= 3' -T fields -E separator='|' -e trace.comm -e trace.event 2>&1 |
		sed -n '1p;3p' | sed 's/inet_sock_set_state/net_dev_queue/' | paste -sd' ')"
expect "one pass, from the cache" "0" "$(count late.pcap "$late && trace.expert.no_schema")"
for f in "$home"/.cache/tracewire/*.formats; do
	sed -i 's/sched_switch/sched_twitch/' "$f"
done
expect "a damaged cache is not believed" "5" "$(count late.pcap "$late && trace.expert.no_schema" -o trace.cache:TRUE)"
forget
shark -r "$SAMPLES/huge.pcap" -Y 'frame.number == 1' > "$home/out" 2>&1
expect "a schema id that is not its content's hash is not cached" 0 "$(find "$home" -name '*.formats' | wc -l)"
forget

can_export || finish
touch "$home/export.pcapng"
chmod 666 "$home/export.pcapng"
shark -2 -r "$SAMPLES/basic.pcap" -Y 'trace.event == "inet_sock_set_state"' -w "$home/export.pcapng" 2>&1
forget
expect "exported packets keep what they need: HOST, CLOCK, their SCHEMA, their task" "5" \
	"$(shark -r "$home/export.pcapng" 2>&1 | wc -l)"
forget
expect "exported packets decode with an empty cache" "nginx|alpha|443" \
	"$(shark -r "$home/export.pcapng" -Y trace.event -T fields -E separator='|' -e trace.comm -e trace.host \
		-e trace.sock.inet_sock_set_state.sport 2>&1)"
finish
