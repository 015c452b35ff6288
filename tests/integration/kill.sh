#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A run is killed with SIGKILL at a random moment. After that the kernel stops the tracing and frees the rings, the viewer ends, and the
# file can be read. The next run or `cleanup` removes what the killed run left, and nothing else.
# Usage: kill.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
RANDOM=${SEED:=$$}
echo "SEED=$SEED"

value() { # INSTANCE FILE: prints the content of a file of the instance; 0 if the instance is gone
	cat "$1/$2" 2>/dev/null || echo 0
}

# is_freed INSTANCE: tracing is off, and the rings have the minimum size, two sub-buffers
is_freed() {
	local subbuf
	subbuf=$(value "$1" buffer_subbuf_size_kb)
	[ "$(value "$1" tracing_on)" = 0 ] && [ "$(value "$1" buffer_size_kb | sed 's/ .*//')" -le $((2 * (subbuf ? subbuf : 4))) ]
}

# is_newborn INSTANCE: the run was killed just after it had created the instance. No event was enabled yet, so nothing is traced, and the
# rings have the kernel's default size.
is_newborn() {
	[ "$(value "$1" tracing_on)" = 1 ] && [ -z "$(cat "$1/set_event" 2>/dev/null)" ] && [ "$(value "$1" buffer_size_kb | sed 's/ .*//')" -lt 1500 ]
}

# check_file FILE: tshark reads it to its end, or to the position where it was truncated
check_file() {
	[ -s "$1" ] || return 0 # the run had written nothing yet
	tshark -r "$1" -Y trace.event -T fields -e frame.time_epoch -e trace.time >"$scratch/events" 2>"$scratch/tshark.err" ||
		says "$scratch/tshark.err" 'cut short' || fail "tshark: $(cat "$scratch/tshark.err")"
	readable=$((readable + $(wc -l <"$scratch/events")))
	[ -s "$scratch/events" ] || return 0 # the run was killed after its first write, which has metadata only
	same_clock <"$scratch/events" >"$scratch/bad" || fail "$(cat "$scratch/bad")"
}

# kill_one WORD...: starts a run, kills it at a random moment of its first second, and checks what is left
kill_one() {
	local viewers instance
	"$tracewire" "$@" >/dev/null 2>"$scratch/err" &
	pid=$!
	pids+=("$pid")
	sleep "0.$(printf %03d $((RANDOM % 900)))"
	viewers=$(pgrep -P "$pid" -x tshark)
	[ -e "/proc/$pid/status" ] || fail "'$*' ended by itself: $(cat "$scratch/err")"
	kill_at_once "$pid"
	for instance in $(instances "$pid"); do
		is_newborn "$instance" && newborn=$((newborn + 1)) && continue
		wait_for is_freed "$instance" || fail "$instance is not freed: tracing_on $(value "$instance" tracing_on), KiB $(value "$instance" buffer_size_kb)"
		looked=$((looked + 1))
	done
	for viewer in $viewers; do
		wait_for has_ended "$viewer"
	done
}

ip link add stranger type veth peer name stranger-tx
foreign=$tracing/instances/twtest-kill-$$
mkdir "$foreign"
at_end 'rmdir "$foreign"'
start_tracewire living stream -e sched:sched_switch -i living
living=$pid

# On a busy machine, many runs are killed before their instance can be checked; then there are up to 20 rounds instead of 10.
pids=() looked=0 newborn=0 readable=0 rounds=0
while [ $rounds -lt 10 ] || [ $looked -lt 20 ] && [ $rounds -lt 20 ]; do
	rounds=$((rounds + 1))
	kill_one record -e sched,irq -w "$scratch/x.pcapng"
	check_file "$scratch/x.pcapng"
	rm -f "$scratch/x.pcapng"
	kill_one stream -e sched -i tw0
	kill_one live -e sched
done
# A run is killed when its file has an event. The first writes may have none.
has_an_event() { # FILE
	[ -s "$1" ] && tshark -r "$1" -Y trace.event -c 1000 2>/dev/null | grep -q .
}
start_tracewire written record -e sched,irq -w "$scratch/x.pcapng"
wait_for has_an_event "$scratch/x.pcapng"
kill_at_once "$pid"
pids+=("$pid")
check_file "$scratch/x.pcapng"
[ -s "$scratch/events" ] || fail "what was in the file is not there any more"
[ $readable -gt 100 ] || fail "only $readable events could be read"
[ $looked -ge 20 ] || fail "only $looked instances were there to look at"

# A veth pair exists with its owner's name, or not at all.
for _ in $(seq 60); do
	"$tracewire" vnet up tw8 2>/dev/null &
	pid=$!
	sleep "0.00$((RANDOM % 8))"
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	wire=$(ip link show tw8 2>/dev/null)
	[ -z "$wire" ] || echo "$wire" | grep -q 'alias tracewire' || fail "a veth pair without owner is left: $wire"
	ip link del tw8 2>/dev/null
done

"$tracewire" cleanup >"$scratch/told" 2>&1 || fail "cleanup: $(cat "$scratch/told")"
is_gone() { [ -z "$(instances "$1")" ]; }
for pid in "${pids[@]}"; do
	wait_for is_gone "$pid" # another run on this machine may be removing the instance at this moment
	nothing_left "$pid" living living-tx stranger stranger-tx
done
for interface in living living-tx stranger stranger-tx; do
	ip link show $interface >/dev/null || fail "$interface was removed"
done
[ -d "$foreign" ] || fail "somebody else's instance was removed"
[ -n "$(instances $living)" ] || fail "the living run's instance was removed"
interrupt $living
expect "the living run's end" 0 $?
echo "killed ${#pids[@]} runs, looked at $looked instances and $newborn that were just made, read $readable events"
exit $failed
