#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record writes to a pipe whose reader is stopped, or to a FIFO that no process has opened.
# Usage: record.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/common.sh"

# ledger_of WHAT: checks that the ledger that record prints has events at `disk`, and no difference
ledger_of() {
	says "$scratch/run.err" '^events .* recorded, .* sent' || fail "$1: no summary: $(cat "$scratch/run.err")"
	says "$scratch/run.err" '^ledger .* [1-9][0-9]* disk' || fail "$1: nothing at disk: $(cat "$scratch/run.err")"
	says "$scratch/run.err" 'unexplained' && fail "$1: $(cat "$scratch/run.err")"
	says "$scratch/run.err" '; closed$' || fail "$1: the ledger is not closed: $(cat "$scratch/run.err")"
	says "$scratch/run.err" 'accepted no more data after [0-9]+ bytes' || fail "$1: no sentence: $(cat "$scratch/run.err")"
}

# record writes to a FIFO that is not read. The first run is interrupted once, the others twice.
record_blocked() {
	start_reader "$scratch/fifo"
	prepare_load 100000 1.5
	start_tracewire run record -v -e raw_syscalls --event-filter "$loaded" -w "$scratch/fifo"
	run=$pid
	run_load
}
record_blocked
interrupt_times 1
ends_with 1 "record, one signal"
ledger_of "record, one signal"
kill_at_once "$reader"
for try in 1 2 3 4 5; do
	record_blocked
	interrupt_times 2
	ends_with 1 "record, two signals"
	ledger_of "record, two signals"
	kill_at_once "$reader"
	is_sooner && break
done
is_sooner || fail "two signals end record no sooner than one"

# A run whose command cannot be executed still has formats to write. It can be ended like any other run.
printf '#!/no/such/interpreter\n' >"$scratch/bad"
chmod +x "$scratch/bad"
start_reader "$scratch/fifo"
in_background run "$tracewire" record -q -e syscalls -w "$scratch/fifo" "$scratch/bad"
run=$pid
wait_for eval 'grep -qsx tracewire-write /proc/$run/task/*/comm'
kill -INT "$run"
ends_with 127 "record, a command that cannot be executed"
kill_at_once "$reader"

# A reader that pauses for a while gets all packets.
mkfifo "$scratch/slow"
in_background slow sh -c 'exec cat <"$1" >"$2"' sh "$scratch/slow" "$scratch/slow.pcapng"
slow=$pid
prepare_load 20000 0.5
start_tracewire run record -v -e raw_syscalls --event-filter "$loaded" -w "$scratch/slow"
run=$pid
kill -STOP "$slow"
run_load
kill -INT "$run"
kill -CONT "$slow"
ends_with 0 "record with a reader that stopped for a while"
wait "$slow"
eval "$(summary "$scratch/run.err")"
expect "events in the file of a reader that stopped for a while" "$((recorded - ring - shed))" "$(events "$scratch/slow.pcapng" trace.event_id | wc -l)"

# No process has opened the FIFO for reading: the run waits for a reader, and the first signal ends the wait.
opened() { # the run has made its instance, and sleeps between two tries to open the FIFO
	[ -n "$(instances "$1")" ]
}
mkfifo "$scratch/lonely"
in_background run "$tracewire" record -v -e sched -w "$scratch/lonely"
run=$pid
wait_for opened "$run"
kill -INT "$run"
ends_with 1 "record into a FIFO without a reader"
says "$scratch/run.err" 'opening .*lonely: no reader opened the pipe' || fail "a FIFO without a reader: $(cat "$scratch/run.err")"
nothing_left "$run"
in_background run "$tracewire" capture -v -Z root -u $port -w "$scratch/lonely"
run=$pid
bound() { ss -Hlun "sport = :$port" | grep -q .; }
wait_for bound
kill -INT "$run"
ends_with 1 "capture into a FIFO without a reader"
in_background late sh -c 'exec cat "$1" >"$2"' sh "$scratch/lonely" "$scratch/late.pcapng"
start_tracewire run record -v -e sched -w "$scratch/lonely"
run=$pid
kill -INT "$run"
ends_with 0 "record into a FIFO with a reader"
exit $failed
