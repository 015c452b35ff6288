# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154
# Sourced by the tests of runs with blocked outputs, with $tracewire and $load set. After the first Ctrl-C, the run waits five seconds for
# its output; after the second, it does not wait. In both cases the run ends with a summary, a ledger without a difference, and status 1.
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/../../shell/load.sh" || exit 1

ip link set lo up
again=1.2 # seconds until the next signal: signals within half a second count as one
port=18101

# start_reader FIFO: creates the FIFO; a process opens it and does not read it
start_reader() {
	rm -f "$1"
	mkfifo "$1"
	in_background reader sh -c 'exec sleep infinity <"$1"' sh "$1"
	reader=$pid
}

# ends_with STATUS WHAT: the run in $run ends with STATUS
ends_with() {
	local status
	wait_for has_ended "$run"
	wait "$run"
	status=$?
	echo "$SECONDS s: $2"
	[ $status = "$1" ] || fail "$2 ends with $status, not $1: $(cat "$scratch/run.err")"
}

now() { date +%s%N; } # ns

# interrupt_times N: interrupts the run in $run N times (1 or 2) and sets $took to the ms until its end. With N = 1, it also sets $one.
interrupt_times() {
	local begun
	begun=$(now)
	kill -INT "$run"
	[ "$1" = 1 ] || { sleep $again && kill -INT "$run"; }
	wait_for has_ended "$run"
	took=$((($(now) - begun) / 1000000))
	[ "$1" = 2 ] || one=$((took < 15000 ? took : 15000)) # a run takes longer than 15 s only on a slow machine
}

# is_sooner: with two signals, the run took less than the five seconds that it waits for its output after one signal; or, on a slow machine,
# at least two seconds less than with one signal
is_sooner() {
	[ "$took" -lt 5000 ] || [ "$took" -lt $((one - 2000)) ] || { echo "two signals took $took ms, one $one ms, try $try"; return 1; }
}

# is_full FIFO: a writer would have to wait. The number of bytes does not show this, because each write may leave a part of a page unused.
is_full() {
	python3 - "$1" <<'END'
import os, select, sys
poll = select.poll()
poll.register(os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK), select.POLLOUT)
sys.exit(bool(poll.poll(0)))
END
}

start_stream() { # OPTION...
	in_background stream "$tracewire" stream -v -e raw_syscalls --event-filter "$loaded" -u "127.0.0.1:$port" "$@"
	stream=$pid
	wait_for says "$scratch/stream.err" '^streaming '
}

end_stream() { # STATUS
	local status
	interrupt "$stream"
	status=$?
	expect "status of the stream" "$1" $status
}

end_ledger() { # NAME KEY: prints the value of KEY in the last JSON line of capture NAME
	grep '^{"end"' "$scratch/$1.err" | grep -oE "\"$2\": ?[a-z0-9-]+" | head -n 1 | sed 's/.*: *//'
}
