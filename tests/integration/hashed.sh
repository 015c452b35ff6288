#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `stream` onto an interface that leaves the host: receivers get hashed addresses instead of the kernel's, with the right names. On a veth
# pair, and with --raw-pointers, addresses are unchanged.
# Usage: hashed.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"

# is_named FILE: the capture has enough events, and names for the last call sites. A receiver that joins late gets the names only after some
# time.
is_named() {
	"$tracewire" report "$1" >"$scratch/so-far" 2>/dev/null
	[ "$(wc -l <"$scratch/so-far")" -gt 40 ] && [ -z "$(unnamed "$scratch/so-far")" ]
}

# as_streamed NAME CAPTURE_INTERFACE OPTION...: streams the kfree events of one process, and captures them in $scratch/NAME.pcapng until
# is_named is true for that file
as_streamed() {
	local name=$1 interface=$2 stream dumpcap
	shift 2
	start_tracewire "$name" stream -e kmem:kfree --event-filter "common_pid == $reader" "$@"
	stream=$pid
	start_dumpcap "$name-dumpcap" "$interface" -w "$scratch/$name.pcapng"
	dumpcap=$pid
	wait_for is_named "$scratch/$name.pcapng"
	interrupt "$dumpcap"
	interrupt "$stream"
	expect "exit status of $name" 0 $?
	"$tracewire" report "$scratch/$name.pcapng" >"$scratch/$name.text" 2>"$scratch/$name.why" ||
		fail "report: $(cat "$scratch/$name.why")"
	[ "$(wc -l <"$scratch/$name.text")" -gt 20 ] || fail "$name has too few events"
}

# fields NAME: prints for each event of NAME.pcapng whether its addresses are hashed, its call site and its pointer
fields() {
	events "$scratch/$1.pcapng" trace.frame_flags.ptr_hashed trace.kmem.kfree.call_site trace.kmem.kfree.ptr
}

# code NAME: prints the number of events whose call site is in the kernel's code. Addresses are compared as texts of 20 digits, because awk
# rounds such large numbers.
code() {
	fields "$1" | cut -f2 | awk -v start="x$stext" -v end="x$etext" '
		{ address = sprintf("%20s", $1); gsub(" ", "0", address); address = "x" address }
		address >= start && address < end { n++ }
		END { print n + 0 }'
}

# unnamed FILE: prints the call sites in the last 20 lines of FILE that are not functions of this kernel
unnamed() {
	tail -n 20 "$1" | sed -E 's/.*call_site=([^ +]*)[+ ].*/\1/' | sort -u | grep -vxFf "$scratch/functions"
}

stext=$(printf %020u "0x$(awk '$3 == "_stext" { print $1 }' /proc/kallsyms)")
etext=$(printf %020u "0x$(awk '$3 == "_etext" { print $1 }' /proc/kallsyms)")
[ "$((10#$stext))" = 0 ] && skip "the kernel tells no addresses"
awk '{ print $3 }' /proc/kallsyms >"$scratch/functions"
mkfifo "$scratch/fifo"
in_background reader bash -c 'exec 9<>"$1"; while :; do read -t 0.01 -r -u 9; read -r </proc/uptime; done' bash "$scratch/fifo"
reader=$pid

ip link add far type veth peer name near || fail "no veth"
ip link set far up
ip link set near up
wait_for is_up far
wait_for is_up near
as_streamed hashed far -i near
expect "frames that are not hashed" "" "$(fields hashed | cut -f1 | grep -vE '^(1|True)$')"
expect "hashed call sites in the kernel's code" 0 "$(code hashed)"
expect "call sites without a name" "" "$(unnamed "$scratch/hashed.text")"
# The name of a new call site follows its first event, so only the second pass shows it there.
tshark -2 -r "$scratch/hashed.pcapng" -Y trace.event -T fields -e trace.text >"$scratch/hashed.tshark" 2>"$scratch/tshark.err"
expect "call sites without a name in tshark" "" "$(unnamed "$scratch/hashed.tshark")"

as_streamed raw far -i near --raw-pointers
expect "frames that are hashed" "" "$(fields raw | cut -f1 | grep -E '^(1|True)$')"
expect "raw call sites in the kernel's code" "$(fields raw | wc -l)" "$(code raw)"

"$tracewire" vnet up tw0 2>"$scratch/up" || fail "vnet up: $(cat "$scratch/up")"
as_streamed wire tw0 -i tw0
expect "call sites on a veth pair in the kernel's code" "$(fields wire | wc -l)" "$(code wire)"
exit $failed
