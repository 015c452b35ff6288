#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Value strings, from __print_symbolic() and __print_flags(): in the tree, and in filters.
. "$(dirname "$0")/common.sh"

raise=trace.irq.softirq_raise.vec
drop=trace.skb.kfree_skb.reason
gfp=trace.kmem.kmalloc.gfp_flags

tree() {
	shark -r "$SAMPLES/$1" -Y "$2" -V -O trace 2>&1 | sed -n "s/^ *\($3: .*\)/\1/p" | paste -sd' '
}

expect "a value string in the tree" "vec: 3 (NET_RX) vec: 8 (HRTIMER) vec: 77" "$(tree value-strings.pcap $raise vec)"
expect "a filter on a word, on a machine that never saw a trace" "3" \
	"$(fields value-strings.pcap "$raise == \"NET_RX\"" $raise)"
expect "a set of value strings" "3 8" "$(fields value-strings.pcap "$raise in {\"NET_RX\", \"HRTIMER\"}" $raise)"
expect "a text that is no value string is refused" 1 "$(shark -r "$SAMPLES/value-strings.pcap" -Y "$raise == \"NET_XX\"" 2>&1 | grep -m1 -c NET_XX)"
expect "a drop reason" "6" "$(fields value-strings.pcap "$drop == \"UDP_CSUM\"" $drop)"
expect "bits in the tree" "gfp_flags: 0xdc0 (GFP_KERNEL|__GFP_ZERO) gfp_flags: 0x0 (none)" "$(tree symbols.pcap $gfp gfp_flags)"
expect "a filter on bits" "3520|GFP_KERNEL|__GFP_ZERO" "$(fields symbols.pcap "$gfp.names contains \"GFP_ZERO\"" $gfp $gfp.names)"
expect "a number stays a number" "3" "$(fields value-strings.pcap "$raise < 8" $raise)"

state=trace.sched.sched_switch.prev_state
expect "a table for some bits of a field, and the text for none of them" "prev_state: 1 (S) prev_state: 0 (R) prev_state: 2 (D) prev_state: 256 (R+)" \
	"$(tree value-strings.pcap $state prev_state)"
expect "filters on these names" "1|S 0|R 256|R" \
	"$(fields value-strings.pcap "$state == \"S\"" $state $state.names) $(fields value-strings.pcap "$state.names == \"R\"" $state $state.names)"

# bits FILE FILTER: the lines below a field of flags, without those that are not set
bits() {
	shark -r "$SAMPLES/$1" -Y "$2" -V -O trace 2>&1 | sed -n 's/^ *\([.01 ]* = \)\([^ ].*\): Set$/\1\2/p' | paste -sd,
}
expect "single bits, and a name of several bits" \
	".... .... .... .... .... 11.. 11.. .... = GFP_KERNEL,.... .... .... .... .... 1... .... .... = GFP_NOWAIT,.... .... .... .... .... .... .1.. .... = __GFP_IO" \
	"$(bits symbols.pcap "$gfp == 0xdc0" | cut -d, -f1-3)"
expect "bits that are not set" 8 \
	"$(shark -r "$SAMPLES/value-strings.pcap" -Y "$state == 0" -V -O trace 2>&1 | grep -c '^ *[.0 ]* = .: Not set$')"
expect "a bit without a name" ".... ...1 .... .... = Without a name" "$(bits value-strings.pcap "$state == 0x100")"

expect "a negative number of one byte" "minus: -5 (low)" "$(tree zoo.pcap 'trace.host == "alpha"' minus)"
forget
expect "two kernels' value strings for one value, each its own" "level: 1 (calm) level: 1 (wild) level: 2 (mad\x1b[31m)" \
	"$(tree value-strings.pcap 'trace.event == "mood"' level)"
expect "in two passes too" "level: 1 (calm) level: 1 (wild) level: 2 (mad\x1b[31m)" \
	"$(shark -2 -r "$SAMPLES/value-strings.pcap" -Y 'trace.event == "mood"' -V -O trace 2>&1 | sed -n "s/^ *\(level: .*\)/\1/p" | paste -sd' ')"
expect "a value string of the cache" "1 1" "$(fields value-strings.pcap 'trace.toy.mood.level == "calm"' trace.toy.mood.level)"
finish
