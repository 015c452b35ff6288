#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# capture writes to a FIFO that is not read. capture's receiving thread goes on, and waits only for the next datagram.
# Usage: capture.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/common.sh"
need strace

# capture_blocked OPTION...: captures into a FIFO that is not read, until the receive buffer has overflowed
capture_blocked() {
	start_reader "$scratch/fifo"
	in_background run "$tracewire" capture -j -Z root -u $port -w "$scratch/fifo" "$@"
	run=$pid
	wait_for says "$scratch/run.err" '^\{"begin"'
	prepare_load 0 60
	start_stream
	begin_load
	wait_for drops
}

drops() { # the kernel's tables say that the socket has dropped datagrams
	[ "$(awk -v port="$(printf ':%04X' $port)" 'index($2, port) { n += $NF } END { print n + 0 }' /proc/net/udp /proc/net/udp6)" -gt 0 ]
}

check_capture() { # WHAT
	says "$scratch/run.err" 'accepted no more data after [0-9]+ bytes' || fail "$1: no sentence: $(cat "$scratch/run.err")"
	[ "$(end_ledger run disk)" -gt 0 ] 2>/dev/null || fail "$1: nothing at disk: $(cat "$scratch/run.err")"
	dropped=$(sed -nE 's/.*"frames":\{"received":[0-9]+,"dropped":([0-9]+).*/\1/p' "$scratch/run.err")
	tail=$(end_ledger run tail_frames)
	[ "$dropped" -gt 0 ] || fail "$1: no frame was dropped: $(cat "$scratch/run.err")"
	[ "$tail" -le "$dropped" ] || fail "$1: more frames are missing than were dropped: $(cat "$scratch/run.err")"
	# No frame is missing at the end if the stream's last datagram was short enough for the room left in the receive buffer.
	[ "$tail" = 0 ] || tails=1
	expect "$1: difference, with $tail frames missing" "$([ "$tail" = 0 ] && echo 0 || echo null)" "$(end_ledger run difference)"
	[ $((tail + $(end_ledger run receiver))) -gt 0 ] || fail "$1: $dropped frames were dropped, and are in no place: $(cat "$scratch/run.err")"
}
tails=0

capture_blocked
interrupt_times 1
ends_with 1 "capture, one signal"
check_capture "capture, one signal"
kill -KILL "$load_process"
end_stream 0
kill_at_once "$reader"
for try in 1 2 3 4 5; do
	capture_blocked
	interrupt_times 2
	ends_with 1 "capture, two signals"
	check_capture "capture, two signals"
	kill -KILL "$load_process"
	end_stream 0
	kill_at_once "$reader"
	is_sooner && [ $tails = 1 ] && break
done
[ $tails = 1 ] || fail "no capture tells that frames are missing after the last one it received"
is_sooner || fail "two signals end capture no sooner than one"

# The system calls of the receiving thread while the output blocks, clocks are polled, and a status is requested. The thread waits only in
# poll().
thread() { # PROCESS NAME
	grep -lx "$2" "/proc/$1"/task/*/comm | cut -d/ -f5
}
start_reader "$scratch/fifo"
in_background run "$tracewire" capture -j -Z root -u $port -w "$scratch/fifo" --status 0.2
run=$pid
wait_for says "$scratch/run.err" '^\{"begin"'
prepare_load 20000 60
start_stream
begin_load
wait_for is_full "$scratch/fifo"
in_background trace strace -qq -o "$scratch/calls" -p "$(thread "$run" tracewire-recv)"
tracer=$pid
calls_of() { # NAME: prints the number of calls that the traced thread has made
	cat "$scratch/calls" 2>/dev/null | grep -c "^$1("
}
was_traced() { # it has sent clock requests, some runs of four, and has waited and received meanwhile
	[ "$(calls_of sendmsg)" -ge 16 ] && [ "$(calls_of recvmmsg)" -ge 10 ] && [ "$(calls_of poll)" -ge 10 ]
}
wait_for was_traced
kill -INT "$tracer"
wait "$tracer"
awk '{ name = $0; sub(/\(.*/, "", name) }
	/^(poll|ppoll|recvmmsg|recvmsg|sendmsg|getsockopt)\(/ { calls[name]++; next }
	/^futex\(.*FUTEX_WAKE/ || /^(read|write)\(.*, 8\)/ { next } # eventfds, which do not block
	/^(<\.\.\.|---|\+\+\+|restart_syscall|mmap|munmap|madvise|brk)/ { next }
	{ print "the receiving thread calls " $0; other = 1 }
	END { if (calls["recvmmsg"] < 10 || calls["poll"] < 10) { print "only a few calls were seen"; other = 1 } exit other }' \
	"$scratch/calls" >"$scratch/others" || fail "$(head -n 5 "$scratch/others")"
kill -KILL "$load_process"
end_stream 0
kill -INT "$run"
ends_with 1 "a capture that was traced"
kill_at_once "$reader"
exit $failed
