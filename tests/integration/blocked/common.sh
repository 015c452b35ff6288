# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154
# Sourced, with $tracewire and $load set: blocked outputs of a run. After the first Ctrl-C the output has some seconds, after the second
# none; both end with a summary, a ledger without a difference, and status 1.
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/../../shell/load.sh" || exit 1

ip link set lo up
again=1.2 # seconds until the next signal: those of half a second are one
port=18101

# start_reader FIFO: creates it; a process has it open, and does not read
start_reader() {
	rm -f "$1"
	mkfifo "$1"
	in_background reader sh -c 'exec sleep infinity <"$1"' sh "$1"
	reader=$pid
}

# ends_with STATUS WHAT: the run in $run
ends_with() {
	local status
	wait_for has_ended "$run"
	wait "$run"
	status=$?
	echo "$SECONDS s: $2"
	[ $status = "$1" ] || fail "$2 ends with $status, not $1: $(cat "$scratch/run.err")"
}

now() { date +%s%N; } # ns

# interrupt_times N: the run in $run, once or twice. The time until its end is in $took, in ms; after one signal in $one, too.
interrupt_times() {
	local begun
	begun=$(now)
	kill -INT "$run"
	[ "$1" = 1 ] || { sleep $again && kill -INT "$run"; }
	wait_for has_ended "$run"
	took=$((($(now) - begun) / 1000000))
	[ "$1" = 2 ] || one=$((took < 15000 ? took : 15000)) # at the most: what took longer says nothing about the run
}

# is_sooner: two signals took less than the five seconds that the output has after one; on a slow machine, clearly less than one did
is_sooner() {
	[ "$took" -lt 5000 ] || [ "$took" -lt $((one - 2000)) ] || { echo "two signals took $took ms, one $one ms, try $try"; return 1; }
}

# is_full FIFO: a writer would have to wait. The number of bytes does not show it: each write may leave a part of a page unused.
is_full() {
	python3 - "$1" <<'END'
import os, select, sys
poll = select.poll()
poll.register(os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK), select.POLLOUT)
sys.exit(bool(poll.poll(0)))
END
}

start_stream() { # OPTION...
	in_background stream "$tracewire" stream -e raw_syscalls --event-filter "$loaded" -u "127.0.0.1:$port" "$@"
	stream=$pid
	wait_for says "$scratch/stream.err" '^streaming '
}

end_stream() { # STATUS
	local status
	interrupt "$stream"
	status=$?
	expect "status of the stream" "$1" $status
}

end_ledger() { # NAME KEY: in what that capture says at its end
	grep '^{"end"' "$scratch/$1.err" | grep -oE "\"$2\": ?[a-z0-9-]+" | head -n 1 | sed 's/.*: *//'
}
