#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# live, with a stopped tshark, and with a tshark whose output is not read.
# Usage: live.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"

# First tshark is stopped; then its output is not read.
start_tracewire run live -v -e sched -e irq -Y frame
run=$pid
wait_for test -s "$scratch/run.out"
viewer=$(pgrep -P "$run" -x tshark)
kill -STOP "$viewer"
wait_for is_full "/proc/$viewer/fd/0" # its standard input
kill -INT "$run"
ends_with 1 "live with a tshark that stands still"
says "$scratch/run.err" '^events .* recorded, .* sent' || fail "live: no summary: $(cat "$scratch/run.err")"
says "$scratch/run.err" '^ledger .* [1-9][0-9]* disk' || fail "live: nothing at disk: $(cat "$scratch/run.err")"
wait_for has_ended "$viewer"
nothing_left "$run"
start_reader "$scratch/fifo"
"$tracewire" live -v -e sched -e irq -Y frame >"$scratch/fifo" 2>"$scratch/run.err" &
run=$!
started+=("$run")
wait_for is_full "$scratch/fifo"
kill -INT "$run"
ends_with 1 "live of which nobody reads"
says "$scratch/run.err" '^events .* recorded, .* sent' || fail "live of which nobody reads: no summary: $(cat "$scratch/run.err")"
nothing_left "$run"
kill_at_once "$reader"
exit $failed
