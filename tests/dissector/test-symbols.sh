#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Addresses are shown with their symbols: in stacks, which have one item per stack frame, and in fields that are printed as symbols.
. "$(dirname "$0")/common.sh"

stack() {
	shark "${@:2}" -r "$SAMPLES/symbols.pcap" -Y "$1" -V -O trace 2>&1 | sed -n 's/^ *\(\[[0-9]*\] \)/\1/p'
}

kernel='trace.ftrace.kernel_stack.size'
expect "as many frames as the record has, be it more than the format says" 10 "$(stack "$kernel == 10" | wc -l)"
expect "or less" 3 "$(stack "$kernel == 3" | wc -l)"
expect "a frame and its symbol" "[2] schedule+0x2 (0xffffffff81a00002)" "$(stack "$kernel == 10" | sed -n 3p)"
expect "no symbol told so far" "[1] 0xffffffff81b00001" "$(stack "$kernel == 10" | sed -n 2p)"
expect "shown by the second pass" "[1] tcp_v4_rcv+0x1 (0xffffffff81b00001)" "$(stack "$kernel == 10" -2 | sed -n 2p)"
expect "a user's stack" 2 "$(stack 'trace.ftrace.user_stack.tgid == 42' | wc -l)"
expect "no stack is malformed" 0 "$(count symbols.pcap trace.expert.bad_field)"
expect "a field that is printed as a symbol" "call_site: 0xffffffff81b00012 (tcp_v4_rcv+0x12)" \
	"$(shark -r "$SAMPLES/symbols.pcap" -Y 'trace.kmem.kmalloc.gfp_flags == 0' -V -O trace 2>&1 | sed -n 's/^ *\(call_site: \)/\1/p')"
expect "filters on symbols" "3 1" \
	"$(count symbols.pcap 'trace.symbol == "schedule"') $(count symbols.pcap 'trace.symbol contains "tcp_"')"
expect "the same with two passes" "3 5" \
	"$(count symbols.pcap 'trace.symbol == "schedule"' -2) $(count symbols.pcap 'trace.symbol contains "tcp_"' -2)"
expect "symbols in the text" "call_site=tcp_v4_rcv+0x12" \
	"$(fields symbols.pcap 'trace.kmem.kmalloc.gfp_flags == 0' trace.text | cut -d' ' -f1)"

can_export || finish
touch "$home/export.pcapng"
chmod 666 "$home/export.pcapng"
shark -2 -r "$SAMPLES/symbols.pcap" -Y "$kernel == 3" -w "$home/export.pcapng" 2>&1
forget
expect "exported packets keep the symbols told before them" "schedule,schedule" \
	"$(shark -2 -r "$home/export.pcapng" -Y trace.event -T fields -e trace.symbol 2>&1)"
finish
