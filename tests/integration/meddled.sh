#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Another process changes the trace instance of a run. The run reports the change, and prints no number that it does not know.
# Usage: meddled.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"

# meddle FILE TEXT: starts a run, writes TEXT to FILE of its instance when it has read events, and ends the run
meddle() {
	start_tracewire run record -v -e sched:sched_switch -w "$scratch/x.pcapng"
	run=$pid
	wait_for has_events
	echo "$2" >"$tracing/instances/tracewire-$run/$1" || fail "$1 cannot be written"
	interrupt "$run" || fail "$1: the run fails: $(cat "$scratch/run.err")"
	says "$scratch/run.err" 'do not balance' && fail "$1: $(cat "$scratch/run.err")"
	says "$scratch/run.err" '^events .* recorded.*, [1-9][0-9]* sent' || fail "$1: no summary: $(cat "$scratch/run.err")"
	nothing_left "$run"
}
has_events() { # the kernel's counters say that the run has read more than 100 events
	awk '/^read events:/ { n += $3 } END { exit !(n > 100) }' "$tracing/instances/tracewire-$run"/per_cpu/cpu*/stats
}

meddle trace ''
says "$scratch/run.err" '^events +[0-9]+ recorded at least' || fail "cleared: $(cat "$scratch/run.err")"
says "$scratch/run.err" '^unsure +[1-9][0-9]* rings: the kernel.s counters do not match' || fail "cleared: $(cat "$scratch/run.err")"
"$tracewire" info -j "$scratch/x.pcapng" >"$scratch/info" || fail "info fails"
says "$scratch/info" '"ledger": \{"state": "open", .*"difference": null,.*"unsure_rings": [1-9]' || fail "cleared: $(cat "$scratch/info")"
meddle tracing_on 0
says "$scratch/run.err" '^others +another process disabled tracing' || fail "switched off: $(cat "$scratch/run.err")"
says "$scratch/run.err" '^unsure' && fail "switched off: $(cat "$scratch/run.err")"
meddle buffer_size_kb 4000
meddle events/enable 0
odd_ledger "$scratch/run.err" && fail "switched events off: $(cat "$scratch/run.err")"

# Another process reads `trace` of the instance when the run ends: the instance stays, and the run says so. After the other process has
# ended, `cleanup` removes the instance.
start_tracewire run record -v -e sched:sched_switch -w "$scratch/x.pcapng"
run=$pid
wait_for has_events
exec 5<"$tracing/instances/tracewire-$run/trace"
interrupt "$run" || fail "read by others: the run fails: $(cat "$scratch/run.err")"
says "$scratch/run.err" "^1 trace instance of this run stays, disabled, because another process" || fail "read by others: $(cat "$scratch/run.err")"
expect "tracing of the instance that stays" 0 "$(cat "$tracing/instances/tracewire-$run/tracing_on")"
exec 5<&-
"$tracewire" cleanup >"$scratch/told" 2>&1 || fail "cleanup: $(cat "$scratch/told")"
nothing_left "$run"

# If the other process stops reading a moment after the end of the tracing, the run still removes the instance.
start_tracewire run record -v -e sched:sched_switch -w "$scratch/x.pcapng"
run=$pid
wait_for has_events
sh -c 'exec 5<"$1"; touch "$2"; while kill -0 "$3" && ! grep -q "^0" "$4"; do sleep 0.01; done; sleep 0.1' - \
	"$tracing/instances/tracewire-$run/trace" "$scratch/opened" "$run" "$tracing/instances/tracewire-$run/tracing_on" 2>/dev/null &
wait_for [ -e "$scratch/opened" ]
interrupt "$run" || fail "read for a moment: the run fails: $(cat "$scratch/run.err")"
says "$scratch/run.err" 'of this run stays' && fail "read for a moment: $(cat "$scratch/run.err")"
nothing_left "$run"

start_tracewire run record -v -e sched:sched_switch -w "$scratch/x.pcapng"
run=$pid
wait_for has_events
interrupt "$run"
odd_ledger "$scratch/run.err" && fail "nobody meddled: $(cat "$scratch/run.err")"
exit $failed
