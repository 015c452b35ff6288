#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `live`: tshark shows decoded events in time order, the packet time equals the event time, and tshark does not run as root.
# Usage: live.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"

# closed NAME: checks that the numbers of the summary in NAME.err balance, and sets $shown, the number of events shown. On a busy machine,
# up to a twentieth of the events may be missing, if the summary says so.
closed() {
	local recorded read sent ring=0 shed=0 tx=0 dropped=0 missing
	eval "$(summary "$scratch/$1.err")"
	missing=$(sed -nE 's/^missing +events: ([0-9]+),.*/\1/p' "$scratch/$1.err")
	expect "$1: events" "$recorded=$read=$sent" "$((read + ring))=$((sent + shed))=$((shown + tx + ${missing:=0}))"
	[ "$missing" = 0 ] || [ "$dropped" -gt 0 ] || fail "$1: $missing events are missing, and no frame was dropped"
	[ $((20 * missing)) -le "$sent" ] || fail "$1: $missing of $sent events are missing"
}

# `live` as users type it. tshark also prints lines for packets without an event (HOST, SCHEMA, LOST).
in_background plain "$tracewire" live -v -e sched -- sleep 1
wait "$pid"
expect "exit status" 0 $?
line='^ *[0-9]+ +([0-9.]+) .* TRACE [0-9]+ .+-[0-9]+ \[[0-9]{3}\] [a-z_]+: '
counted=$(grep -cE "$line" "$scratch/plain.out")
[ "$counted" -gt 100 ] || fail "only $counted decoded lines: $(head -n 5 "$scratch/plain.out")"
grep -qE ' sleep-[0-9]+ \[[0-9]{3}\] sched_switch: prev_comm=sleep ' "$scratch/plain.out" || fail "sleep never leaves a CPU"
grep -E ' format not received yet|<\.\.\.>|Malformed' "$scratch/plain.out" | head -n 3 >"$scratch/bad"
[ -s "$scratch/bad" ] && fail "undecoded: $(cat "$scratch/bad")"
awk '{ if ($2 < last) { print "line " NR " is older than the one above"; exit 1 } last = $2 }' "$scratch/plain.out" ||
	fail "not in the order of time"
closed plain
expect "lines of events, and events shown by the summary" "$counted" "$shown"
nothing_left "$pid"

# `live` runs a wrapper of tshark from PATH, which prints the packet time and the event time.
mkdir "$scratch/bin"
printf '#!/bin/sh\nid -u >%s\nexec %s "$@" -Y trace.event -T fields -e frame.time_epoch -e trace.time\n' \
	"$scratch/home/uid" "$(command -v tshark)" >"$scratch/bin/tshark"
chmod 755 "$scratch/bin/tshark"
PATH=$scratch/bin:$PATH in_background fields "$tracewire" live -v -e sched,irq -- sh -c 'sleep 0.3; exit 5'
wait "$pid"
expect "exit status of the command" 5 $?
same_clock <"$scratch/fields.out" >"$scratch/bad" || fail "$(cat "$scratch/bad")"
expect "user of tshark" "$(id -u nobody)" "$(cat "$scratch/home/uid")"

# After Ctrl-C, of which only tracewire gets the signal, tshark shows all events and ends. tshark has no privileges. Only system calls of
# this shell are traced, because tshark could not show all system calls of a busy machine in time.
start_tracewire forever live -v -e raw_syscalls:sys_enter --event-filter "common_pid == $$"
wait_for says "$scratch/forever.out" sys_enter
viewer=$(pgrep -P "$pid" -x tshark)
rights=$(awk '/^(Uid|Gid|CapEff):/ { printf "%s ", $2 }' "/proc/$viewer/status")
expect "user, group and capabilities of tshark" "$(id -u nobody) $(id -g nobody) 0000000000000000 " "$rights"
interrupt "$pid"
expect "exit status after Ctrl-C" 0 $?
closed forever
expect "the last line of the summary" shown "$(tail -n 1 "$scratch/forever.err" | cut -d' ' -f1)"
kill -0 "$viewer" 2>/dev/null && fail "tshark still runs"
nothing_left "$pid"
exit $failed
