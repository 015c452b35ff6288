#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The ledger balances even if there are more events than can be read: events recorded by the kernel = delivered + lost. In each of six
# runs, with `long` 20, the summary, the interface statistics of the file and its LOST records agree.
# Usage: ledger.sh TRACEWIRE LOAD [long]
tracewire=$1
load=$2
case ${3-} in long) runs=10 ;; *) runs=3 ;; esac # of each command
. "$(dirname "$0")/common.sh"

# The command makes a flood of system calls on two CPUs. It stops the reader for a moment, because on an idle machine the reader would
# lose nothing. Then it stops the tracing, so that the kernel's counters are final.
cat >"$scratch/flood" <<END
#!/bin/bash
"$load" 0.08 0 0 >/dev/null & "$load" 0.08 0 $(($(nproc) > 1)) >/dev/null &
sleep 0.02
kill -STOP \$PPID
sleep 0.02
kill -CONT \$PPID
wait
tracing=$tracing
. "$(dirname "$0")/freeze.sh"
freeze "\$(instance_of \$PPID)" >"$scratch/kernel"
END
chmod +x "$scratch/flood"

# check_summary RUN: sets a variable for each counter of the kernel and of the summary, and compares the counters
check_summary() { # RUN
	eval "$(summary "$scratch/err") $(cat "$scratch/kernel")"
	expect "$1: exit status" 0 "$status"
	expect "$1: recorded by the kernel = in the summary" $((kernel_read + kernel_lost)) "$recorded"
	expect "$1: read from the kernel = in the summary" "$kernel_read" "$read"
	expect "$1: lost by the kernel = lost in the ring" "$kernel_lost" "$ring"
	expect "$1: recorded = sent + lost" "$recorded" $((sent + ring + shed + tx))
	odd_ledger "$scratch/err" && fail "$1: the ledger does not balance"
}

# counted FILE: prints two numbers from tshark: the sum of the event counts of the frames, and the sum of the LOST records
counted() {
	tshark -r "$1" -T fields -e trace.channel -e trace.events -e trace.lost.count 2>/dev/null |
		awk -F'\t' '$1 != "" && $1 != 0 { events += $2 } { n = split($3, lost, ","); for (i = 1; i <= n; i++) sum += lost[i] } END { print events + 0, sum + 0 }'
}

tell() { # RUN
	echo "$1: $recorded recorded = $sent delivered + $ring in the ring + $shed shed + $tx in transmission"
	[ "$ring" -gt 0 ] && overruns=$((overruns + 1))
}

overruns=0
for run in $(seq $runs); do
	"$tracewire" record -v -e raw_syscalls --buffer-size 32 -w "$scratch/x.pcapng" -- "$scratch/flood" 2>"$scratch/err"
	status=$?
	check_summary "record $run"
	expect "record $run: in the file" "$sent" "$in_file"
	expect "record $run: interface statistics" "$recorded $((ring + shed + tx)) $ring $sent" "$(statistics "$scratch/x.pcapng")"
	expect "record $run: events and losses in tshark" "$sent $((ring + shed))" "$(counted "$scratch/x.pcapng")"
	tell "record $run"
done

"$tracewire" vnet up tw0 2>/dev/null
for run in $(seq $runs); do
	start_dumpcap dumpcap tw0 -w "$scratch/x.pcapng"
	before=$(received tw0)
	"$tracewire" stream -v -e raw_syscalls --buffer-size 32 --events-per-frame 0 -i tw0 -- "$scratch/flood" 2>"$scratch/err"
	status=$?
	after=$(received tw0)
	check_summary "stream $run"
	expect "stream $run: frames that arrived" "$frames" $((after - before))
	end_dumpcap "$pid" "$scratch/x.pcapng" "$scratch/err"
	expect "stream $run: dropped by dumpcap" 0 "$(sed -nE "s/^Packets received.* [0-9]+\/([0-9]+) .*/\1/p" "$scratch/dumpcap.err")"
	expect "stream $run: events and losses in tshark" "$sent $((ring + shed))" "$(counted "$scratch/x.pcapng")"
	tell "stream $run"
done
[ $overruns -ge $runs ] || fail "only $overruns of $((2 * runs)) runs had more than they could read"
exit $failed
