#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The age of the oldest event on the screen: tshark prints lines for `live`, and the test measures when each line arrives.
# Usage: age.sh TRACEWIRE AGE
tracewire=$1
age=$2
. "$(dirname "$0")/common.sh"
set -o pipefail
GOAL_US=20000

# This tshark prints the time of the event before the line that users see.
mkdir "$scratch/bin"
printf '#!/bin/sh\nexec %s "$@" -o %s\n' "$(command -v tshark)" \
	"'gui.column.format:\"Time\",\"%Cus:trace.time:0:R\",\"Protocol\",\"%p\",\"Info\",\"%i\"'" >"$scratch/bin/tshark"
chmod 755 "$scratch/bin/tshark"
export PATH=$scratch/bin:$PATH

ticks() { # prints the ticks of all CPUs: idle, stolen by other guests of the host, total
	awk '/^cpu / { for (i = 2; i <= 9; i++) all += $i; print $5 + $6, $9, all; exit }' /proc/stat
}

# measure: runs `live` on a terminal. Each printed line wakes the terminal; this causes events, for which `live` prints further lines.
measure() {
	local idle stolen all idle_after stolen_after all_after
	read -r idle stolen all < <(ticks)
	script -qfec "$tracewire live -v -e sched -- sleep 2 2>$scratch/err" /dev/null </dev/null | "$age" >"$scratch/ages"
	expect "exit status" 0 $?
	read -r idle_after stolen_after all_after < <(ticks)
	idle_percent=$((100 * (idle_after - idle) / (all_after - all)))
	stolen_percent=$((100 * (stolen_after - stolen) / (all_after - all)))
	echo "$(cat "$scratch/ages") us; $(grep '^events .* recorded' "$scratch/err"); CPUs $idle_percent % idle, $stolen_percent % stolen"
	eval "$(cat "$scratch/ages")"
	[ "${lines:-0}" -gt 500 ] || fail "only ${lines:-0} events"
	[ "${p90:-$GOAL_US}" -lt $GOAL_US ]
}

# Other activity of the machine can delay tshark for a while, so there are several tries. If there is no CPU time, for example because the
# host gives it to other guests, tshark is late in any case. Then the test only requires that tshark keeps up: if its output caused more
# output, it would be late by seconds.
left=0 least_max=
for _ in 1 2 3 4 5; do
	measure && exit $failed
	[ $failed = 0 ] || exit 1
	[ "${least_max:=$max}" -lt "$max" ] || least_max=$max
	[ $idle_percent -ge 20 ] && [ $stolen_percent -lt 10 ] && left=$((left + 1))
done
if [ $left = 0 ] && [ "$least_max" -lt 1000000 ]; then
	echo "not checked: the goal of $((GOAL_US / 1000)) ms, as others took the CPU time in five tries"
	exit 0
fi
fail "in each of five tries, more than one event in ten was more than $((GOAL_US / 1000)) ms old on the screen"
exit $failed
