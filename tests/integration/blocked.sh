#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Nobody takes what is written: a pipe whose reader has stopped, a FIFO that nobody opens, a terminal's pager, a disk that hangs. The
# first Ctrl-C gives the output some seconds, the second none; both end with a summary, a ledger in which nothing is unexplained, and status 1.
# Usage: blocked.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/common.sh"
need python3 strace mkfs.ext4 fsfreeze

ip link set lo up
again=1.2 # seconds until the next signal: those of half a second are one
port=18101

# start_reader FIFO: made anew; a process has it open, and does not read
start_reader() {
	rm -f "$1"
	mkfifo "$1"
	in_background reader sh -c 'exec sleep infinity <"$1"' sh "$1"
	reader=$pid
}

# prepare_load SECONDS CALLS: getppid(), as many in a second, in a process of its own; $loaded is the kernel's filter for its calls
prepare_load() {
	rm -f "$scratch/begin"
	mkfifo "$scratch/begin"
	in_background load sh -c 'read -r _ <"$1"; exec "$2" "$3" "$4"' sh "$scratch/begin" "$load" "$1" "$2"
	load_process=$pid
	loaded="id == 110 && common_pid == $pid" # x86-64's number of getppid
}

run_load() {
	echo >"$scratch/begin"
	wait "$load_process"
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

# Two signals end a run sooner than one would. How long that took is in $took, in ms; where the machine stood still for seconds, it is tried again.
now() { date +%s%N; }
interrupt_twice() {
	local begun
	begun=$(now)
	kill -INT "$run"
	sleep $again
	kill -INT "$run"
	wait_for has_ended "$run"
	took=$((($(now) - begun) / 1000000))
}

# books_of WHAT: the ledger that record prints has events at disk, and none that are unexplained
books_of() {
	says "$scratch/run.err" '^events .* recorded, .* sent' || fail "$1: no summary: $(cat "$scratch/run.err")"
	says "$scratch/run.err" '^ledger .* [1-9][0-9]* disk' || fail "$1: nothing at disk: $(cat "$scratch/run.err")"
	says "$scratch/run.err" 'unexplained' && fail "$1: $(cat "$scratch/run.err")"
	says "$scratch/run.err" '; closed$' || fail "$1: books are not closed: $(cat "$scratch/run.err")"
	says "$scratch/run.err" 'took nothing more, after [0-9]+ bytes' || fail "$1: no sentence: $(cat "$scratch/run.err")"
}

# record into a FIFO whose reader does not read: once, and twice.
record_blocked() {
	start_reader "$scratch/fifo"
	prepare_load 1.5 100000
	start_tracewire run record -e raw_syscalls --event-filter "$loaded" -w "$scratch/fifo"
	run=$pid
	run_load
}
record_blocked
kill -INT "$run"
ends_with 1 "record, one signal"
books_of "record, one signal"
kill_at_once "$reader"
for try in 1 2 3 4 5; do
	record_blocked
	interrupt_twice
	ends_with 1 "record, two signals"
	books_of "record, two signals"
	kill_at_once "$reader"
	[ "$took" -lt 5000 ] && break
	echo "two signals took $took ms, try $try"
done
[ "$took" -lt 5000 ] || fail "two signals end record no sooner than one: $took ms"

# A run whose command cannot be executed has formats to write. Its end can be asked for as that of any other.
printf '#!/no/such/interpreter\n' >"$scratch/bad"
chmod +x "$scratch/bad"
start_reader "$scratch/fifo"
in_background run "$tracewire" record -q -e syscalls -w "$scratch/fifo" "$scratch/bad"
run=$pid
wait_for eval 'grep -qsx tracewire-write /proc/$run/task/*/comm'
kill -INT "$run"
ends_with 127 "record, a command that cannot be executed"
kill_at_once "$reader"

# A reader that stands still for a while gets all of it.
mkfifo "$scratch/slow"
in_background slow sh -c 'exec cat <"$1" >"$2"' sh "$scratch/slow" "$scratch/slow.pcapng"
slow=$pid
prepare_load 0.5 20000
start_tracewire run record -e raw_syscalls --event-filter "$loaded" -w "$scratch/slow"
run=$pid
kill -STOP "$slow"
run_load
kill -INT "$run"
kill -CONT "$slow"
ends_with 0 "record with a reader that stopped for a while"
wait "$slow"
eval "$(summary "$scratch/run.err")"
expect "events in the file of a reader that stopped for a while" "$((recorded - ring - shed))" "$(events "$scratch/slow.pcapng" trace.event_id | wc -l)"

# A FIFO that nobody opens: that is waited for, and the wait ends with the first signal.
opened() { # how far it is: it sleeps between two tries, with the instance made
	[ -n "$(instances "$1")" ]
}
mkfifo "$scratch/lonely"
in_background run "$tracewire" record -e sched -w "$scratch/lonely"
run=$pid
wait_for opened "$run"
kill -INT "$run"
ends_with 1 "record into a FIFO without a reader"
says "$scratch/run.err" 'opening .*lonely: nobody had opened it to read' || fail "a FIFO without a reader: $(cat "$scratch/run.err")"
nothing_left "$run"
in_background run "$tracewire" capture -Z root -u $port -w "$scratch/lonely"
run=$pid
bound() { ss -Hlun "sport = :$port" | grep -q .; }
wait_for bound
kill -INT "$run"
ends_with 1 "capture into a FIFO without a reader"
in_background late sh -c 'exec cat "$1" >"$2"' sh "$scratch/lonely" "$scratch/late.pcapng"
start_tracewire run record -e sched -w "$scratch/lonely"
run=$pid
kill -INT "$run"
ends_with 0 "record into a FIFO with a reader"


# is_full FIFO: a writer would have to wait. By bytes this cannot be told: each write may leave a part of a page unused.
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

# capture_blocked OPTION...: into a FIFO that nobody reads, until its own receive buffer has overflowed
capture_blocked() {
	start_reader "$scratch/fifo"
	in_background run "$tracewire" capture -j -Z root -u $port -w "$scratch/fifo" "$@"
	run=$pid
	wait_for says "$scratch/run.err" '^\{"begin"'
	prepare_load 60 0
	start_stream
	echo >"$scratch/begin"
	wait_for drops
}

drops() { # datagrams that the socket had no room for, as the kernel says
	[ "$(awk -v port="$(printf ':%04X' $port)" 'index($2, port) { n += $NF } END { print n + 0 }' /proc/net/udp /proc/net/udp6)" -gt 0 ]
}

end_books() { # KEY: in what the capture says at its end
	grep '^{"end"' "$scratch/run.err" | grep -oE "\"$1\": ?[a-z0-9-]+" | head -n 1 | sed 's/.*: *//'
}

check_capture() { # WHAT
	says "$scratch/run.err" 'took nothing more, after [0-9]+ bytes' || fail "$1: no sentence: $(cat "$scratch/run.err")"
	[ "$(end_books disk)" -gt 0 ] 2>/dev/null || fail "$1: nothing at disk: $(cat "$scratch/run.err")"
	dropped=$(sed -nE 's/.*"frames":\{"received":[0-9]+,"dropped":([0-9]+).*/\1/p' "$scratch/run.err")
	tail=$(end_books tail_frames)
	[ "$dropped" -gt 0 ] || fail "$1: no frame was dropped: $(cat "$scratch/run.err")"
	[ "$tail" -le "$dropped" ] || fail "$1: more frames are missing than were dropped: $(cat "$scratch/run.err")"
	# The last datagram may just have found room, if it was short.
	[ "$tail" = 0 ] || tails=1
	expect "$1: difference, with $tail frames missing" "$([ "$tail" = 0 ] && echo 0 || echo null)" "$(end_books difference)"
	[ $((tail + $(end_books receiver))) -gt 0 ] || fail "$1: $dropped frames were dropped, and are in no place: $(cat "$scratch/run.err")"
}
tails=0

capture_blocked
kill -INT "$run"
ends_with 1 "capture, one signal"
check_capture "capture, one signal"
kill -KILL "$load_process"
end_stream 0
kill_at_once "$reader"
for try in 1 2 3 4 5; do
	capture_blocked
	interrupt_twice
	ends_with 1 "capture, two signals"
	check_capture "capture, two signals"
	kill -KILL "$load_process"
	end_stream 0
	kill_at_once "$reader"
	[ "$took" -lt 5000 ] && [ $tails = 1 ] && break
	echo "two signals took $took ms, try $try"
done
[ $tails = 1 ] || fail "no capture knows of frames that are missing behind the last"
[ "$took" -lt 5000 ] || fail "two signals end capture no sooner than one: $took ms"

# What the receiving thread calls while the output blocks, clocks are asked for, and somebody wants to know how it stands: it waits
# in poll() alone.
thread() { # PROCESS NAME
	grep -lx "$2" "/proc/$1"/task/*/comm | cut -d/ -f5
}
start_reader "$scratch/fifo"
in_background run "$tracewire" capture -j -Z root -u $port -w "$scratch/fifo" --status 0.2
run=$pid
wait_for says "$scratch/run.err" '^\{"begin"'
prepare_load 60 20000
start_stream
echo >"$scratch/begin"
wait_for is_full "$scratch/fifo"
in_background trace strace -qq -o "$scratch/calls" -p "$(thread "$run" tracewire-recv)"
tracer=$pid
answered() { # so many questions while it is traced
	[ "$(grep -cs '^sendmsg(' "$scratch/calls")" -ge "$1" ] 2>/dev/null
}
wait_for answered 3
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

# live: tshark stands still; then nobody reads what it prints.
start_tracewire run live -e sched -e irq -Y frame
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
"$tracewire" live -e sched -e irq -Y frame >"$scratch/fifo" 2>"$scratch/run.err" &
run=$!
started+=("$run")
wait_for is_full "$scratch/fifo"
kill -INT "$run"
ends_with 1 "live of which nobody reads"
says "$scratch/run.err" '^events .* recorded, .* sent' || fail "live of which nobody reads: no summary: $(cat "$scratch/run.err")"
nothing_left "$run"
kill_at_once "$reader"

# stream: more waits in the rings than leaves at that rate in a minute.
stream_slowly() {
	in_background run "$tracewire" capture -j -Z root -u $port -w "$scratch/rate.pcapng"
	capture=$pid
	wait_for says "$scratch/run.err" '^\{"begin"'
	prepare_load 1 50000
	start_stream --rate 200k --buffer-size 8192
	run_load
}
check_rate() { # WHAT STATUS
	expect "$1: status of the stream" 1 "$2"
	says "$scratch/stream.err" 'given up, and is counted as lost by the producer' || fail "$1: $(cat "$scratch/stream.err")"
	odd_books "$scratch/stream.err" && fail "$1: $(cat "$scratch/stream.err")"
	interrupt "$capture" || fail "$1: the capture: $(cat "$scratch/run.err")"
	expect "$1: books" '"closed"' "$(grep '^{"end"' "$scratch/run.err" | grep -oE '"state": "[a-z]+"' | sed 's/.*: //')"
	expect "$1: difference" 0 "$(end_books difference)"
	[ "$(end_books shed)" -gt 0 ] 2>/dev/null || fail "$1: nothing is shed: $(cat "$scratch/run.err")"
}
stream_slowly
interrupt "$stream"
check_rate "one signal under --rate" $?
for try in 1 2 3 4 5; do
	stream_slowly
	begun=$(now)
	kill -INT "$stream"
	sleep $again
	kill -INT "$stream"
	wait "$stream"
	status=$?
	took=$((($(now) - begun) / 1000000))
	check_rate "two signals under --rate" $status
	[ "$took" -lt 5000 ] && break
	echo "two signals took $took ms, try $try"
done
[ "$took" -lt 5000 ] || fail "two signals under --rate end it no sooner than one: $took ms"

# stream on a link that is down: its end does not wait for it once more with each frame.
stream_down() {
	in_background stream "$tracewire" stream -e sched_switch -i down0
	stream=$pid
	wait_for says "$scratch/stream.err" '^streaming '
	ip link set down0-tx down
}
check_down() { # WHAT STATUS
	expect "$1: status" 1 "$2"
	says "$scratch/stream.err" 'the link is down' || fail "$1: $(cat "$scratch/stream.err")"
}
stream_down
interrupt "$stream"
check_down "a link that is down" $?
for try in 1 2 3 4 5; do
	stream_down
	run=$stream
	interrupt_twice
	wait "$stream"
	check_down "a link that is down, two signals" $?
	[ "$took" -lt 5000 ] && break
	echo "two signals took $took ms, try $try"
done
[ "$took" -lt 5000 ] || fail "two signals end a stream on a link that is down no sooner than one: $took ms"

# A disk that is full: one truth, in the summary and in the file.
mkdir "$scratch/small"
mount -t tmpfs -o size=512k tmpfs "$scratch/small" || exit 1
for file in x.pcapng x.pcapng.zst; do
	prepare_load 1.5 100000
	start_tracewire run record -e raw_syscalls --event-filter "$loaded" -w "$scratch/small/$file"
	run=$pid
	run_load
	ends_with 1 "record on a full disk"
	lost=$(sed -nE 's/^ledger .* ([0-9]+) disk.*/\1/p' "$scratch/run.err")
	[ "${lost:-0}" -gt 0 ] || fail "$file: nothing at disk: $(cat "$scratch/run.err")"
	says "$scratch/run.err" '^ledger .*; closed$' || fail "$file: books are not closed: $(cat "$scratch/run.err")"
	says "$scratch/run.err" '^dropped|unexplained' && fail "$file: two truths: $(cat "$scratch/run.err")"
	"$tracewire" info -j "$scratch/small/$file" >"$scratch/info" 2>&1 || fail "$file: info: $(cat "$scratch/info")"
	python3 - "$scratch/info" "$lost" <<'END' || fail "$file: the file's ledger is another one: $(cat "$scratch/info")"
import json, re, sys
text = open(sys.argv[1]).read()
json.loads(text)
assert re.search(r'"disk": %s\b' % sys.argv[2], text) and '"closed"' in text and '"difference": 0' in text
END
	capinfos "$scratch/small/$file" >"$scratch/out" 2>&1 || fail "$file: capinfos: $(cat "$scratch/out")"
	eval "$(summary "$scratch/run.err")"
	expect "$file: events in the file" "$in_file" "$(events "$scratch/small/$file" trace.event_id | wc -l)"
	rm "$scratch/small/$file"
done
umount "$scratch/small"

# A disk that hangs: nobody can end its writes, but what is known is told.
truncate -s 64M "$scratch/image"
mkdir "$scratch/hung"
if mkfs.ext4 -q "$scratch/image" 2>"$scratch/out" && mount -o loop "$scratch/image" "$scratch/hung" 2>>"$scratch/out"; then
	at_end 'fsfreeze -u "$scratch/hung" 2>/dev/null; umount -l "$scratch/hung"'
	prepare_load 1 50000
	start_tracewire run record -e raw_syscalls --event-filter "$loaded" -w "$scratch/hung/x.pcapng"
	run=$pid
	wait_for test -s "$scratch/hung/x.pcapng"
	fsfreeze -f "$scratch/hung"
	run_load
	kill -INT "$run"
	wait_for says "$scratch/run.err" '^ledger .*the difference is not known: at least [1-9][0-9]* frames'
	wait_for says "$scratch/run.err" 'the disk does not answer'
	fsfreeze -u "$scratch/hung"
	ends_with 1 "record on a disk that hangs"
else
	echo "not checked: a disk that hangs: $(cat "$scratch/out")"
fi
exit $failed
