#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs with too few file descriptors. Whichever file cannot be opened, the error says how to raise the limit, and nothing is left.
# Usage: few-files.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
mkdir -m 777 "$scratch/open"

with_files() { # N WORD...
	timeout 100 sh -c 'ulimit -n "$1"; shift; exec "$@"' sh "$1" "$tracewire" "${@:2}" >"$scratch/out" 2>"$scratch/err"
}
says_limit() { # WHAT: the last line of standard error says once how to raise the limit
	expect "times that $1 says how the limit is raised: $(cat "$scratch/err")" 1 "$(tail -n 1 "$scratch/err" | grep -o 'ulimit -n' | wc -l)"
}
enough='' # the smallest limit with which the command of try_files succeeds
try_files() { # FIRST LAST WORD...: runs a command with each limit from FIRST to LAST
	local n status
	enough=
	for ((n = $1; n <= $2; n++)); do
		with_files "$n" "${@:3}"
		status=$?
		[ $status != 0 ] || { enough=${enough:-$n} && continue; }
		says "$scratch/err" 'error while loading shared libraries' && continue # the program was not started
		says_limit "${*:3} with $n files"
		tail -n 1 "$scratch/err" | grep -E 'No such device|no interface|no user|no memory|does without|random number from the kernel|out of memory' &&
			fail "${*:3} with $n files: another reason"
	done
	[ -n "$enough" ] || fail "${*:3} needs more than $2 files"
}
ip link set lo up
try_files 5 34 record -e sched:sched_switch -w "$scratch/open/x.pcapng" -- true
try_files 5 34 stream -e sched:sched_switch -u 127.0.0.1:18141 -- true
try_files 5 20 capture -u 18141 -a duration:0.01 -w "$scratch/open/x.pcapng"
try_files 5 34 stream -e sched:sched_switch -i lo --destination group -- true
try_files 5 24 capture -i lo -a duration:0.01 -w "$scratch/open/x.pcapng"
rm -f "$scratch/open/x.pcapng"
for n in 6 7 8 9; do
	with_files $n filter attach -i lo --persist --from "$(dirname "$0")/../data/sample.pcapng" 'cpu == 0' --action drop
	says_limit "attach with $n files"
done
nothing_left ""
exit $failed
