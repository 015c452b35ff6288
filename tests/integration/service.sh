#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `stream` and `capture` run with the user, capabilities and options of their units. They notify a service manager of their start, of their
# end, and regularly that they still work. The test also checks that capture has no capabilities left when it begins to parse frames.
# Usage: service.sh TRACEWIRE UNITS SYSUSERS
tracewire=$1
units=$2
sysusers=$3
. "$(dirname "$0")/common.sh"
need systemd-sysusers setpriv python3
here=$(dirname "$0")
# The user of the units may not be able to read the build directory.
cp "$tracewire" "$scratch/tracewire" && tracewire=$scratch/tracewire

value() { # UNIT KEY: prints the last value of KEY in the unit file
	sed -nE "s/^$2=(.*)/\1/p" "$units/tracewire-$1.service" | tail -n 1
}

capabilities() { # UNIT KEY: prints the capabilities at KEY as an argument of setpriv that removes all others
	local set=-all name
	for name in $(value "$1" "$2"); do
		name=${name#CAP_}
		set+=,+${name,,}
	done
	echo "$set"
}

# as_unit UNIT COMMAND...: runs a command as the user of the unit, with the capabilities of the unit
as_unit() {
	local unit=$1 user ambient
	user=$(value "$unit" User)
	ambient=$(capabilities "$unit" AmbientCapabilities)
	shift
	exec setpriv --reuid "${user:=root}" --regid "$user" --init-groups --no-new-privs --inh-caps "$ambient" --ambient-caps "$ambient" \
		--bounding-set "$(capabilities "$unit" CapabilityBoundingSet)" "$@"
}

# manage NAME UNIT COMMAND...: starts COMMAND as the user of UNIT, in the background, and before it a service manager, whose process is
# $manager. NAME.told has the messages that the manager gets.
manage() {
	local name=$1 unit=$2
	shift 2
	manage_at "$scratch/$name.socket" "" "$name" as_unit "$unit" "$@"
}

# manage_at SOCKET OPTION NAME COMMAND...: like manage, but with this socket, with OPTION for the manager unless it is empty, and as root
manage_at() {
	local socket=$1 option=$2 name=$3
	shift 3
	in_background "$name.manager" "$here/notified.py" ${option:+"$option"} "$socket"
	manager=$pid
	wait_for says "$scratch/$name.manager.out" listening
	ln -sf "$name.manager.out" "$scratch/$name.told"
	NOTIFY_SOCKET=$socket WATCHDOG_USEC=2000000 RUNTIME_DIRECTORY=$scratch/run in_background "$name" "$@"
}

told() { # NAME MESSAGE: prints how often the manager got this message
	grep -c " $2\$" "$scratch/$1.told"
}

is_ready() { # NAME
	says "$scratch/$1.told" ' READY=1$'
}

status() { # PROCESS KEY
	sed -nE "s/^$2:\t([^\t]+).*/\1/p" "/proc/$1/status"
}

# systemd finds no fault in the unit files.
if command -v systemd-analyze >/dev/null; then
	mkdir "$scratch/units"
	for unit in stream capture; do
		sed "s|^ExecStart=[^ ]*|ExecStart=$tracewire|" "$units/tracewire-$unit.service" >"$scratch/units/tracewire-$unit.service"
	done
	systemd-analyze verify --man=no "$scratch"/units/*.service 2>"$scratch/verify"
	expect "what systemd says of the units" "" "$(grep tracewire "$scratch/verify")"
fi

# Create the user of the capture unit, in this mount namespace only.
mkdir -p "$scratch/root/etc"
cp /etc/passwd /etc/group /etc/shadow /etc/gshadow "$scratch/root/etc"
systemd-sysusers --root="$scratch/root" "$sysusers" 2>"$scratch/err" || fail "sysusers: $(cat "$scratch/err")"
for file in passwd group; do mount --bind "$scratch/root/etc/$file" /etc/$file; done
id tracewire >/dev/null || fail "no user tracewire"
install -d -o tracewire -g tracewire -m 750 "$scratch/state"
install -d -o tracewire -g tracewire -m 700 "$scratch/run"
ip link set lo up

options=$(value capture Environment | sed -E "s|^\"CAPTURE_OPTIONS=(.*)\"|\1|; s|/var/lib/tracewire|$scratch/state|")
# shellcheck disable=SC2086 # words
manage capture capture "$tracewire" capture $options
capture=$pid
wait_for is_ready capture || exit 1
expect "user of capture" "$(id -u tracewire)" "$(status $capture Uid)"
for task in "/proc/$capture/task"/*; do
	task=$capture/task/${task##*/}
	for set in CapEff CapPrm CapInh CapAmb; do
		expect "$set of $(cat "/proc/$task/comm")" 0000000000000000 "$(status "$task" $set)"
	done
	expect "no new privileges for $(cat "/proc/$task/comm")" 1 "$(status "$task" NoNewPrivs)"
done
buffer=$(ss -Hulnm sport = :18101 | grep -oE 'rb[0-9]+')
[ "${buffer#rb}" -ge $((32 << 20)) ] || fail "the socket's buffer is only $buffer"

# A capture that cannot open its socket is never ready.
# shellcheck disable=SC2086
manage second capture "$tracewire" capture $options
wait "$pid"
expect "status of a second one at the same port" 1 $?
expect "times that it was ready" 0 "$(told second READY=1)"

manage stream stream "$tracewire" stream -v -e sched -u 127.0.0.1
stream=$pid
wait_for is_ready stream || exit 1
sleep 5
for name in capture stream; do
	pings=$(told $name WATCHDOG=1)
	[ "$pings" -ge 3 ] || fail "$name: $pings signs of life in 5 s, where one each 2 s is the least"
	awk '/WATCHDOG|READY/ { if (last && $1 - last > 2) exit 1; last = $1 }' "$scratch/$name.told" ||
		fail "$name: $(cat "$scratch/$name.told")"
done

# A capture is killed, and its file ends with a part of a block: the next capture repairs the file.
kill_at_once $capture
printf '\6\0\0\0\377' >>"$(ls "$scratch"/state/*)"
# shellcheck disable=SC2086
manage next capture "$tracewire" capture $options
next=$pid
wait_for is_ready next
says "$scratch/next.err" '^repaired capture .* of a killed run' || fail "after a kill: $(cat "$scratch/next.err")"

# If the writing thread of a capture hangs, here because a pipe is full, the watchdog messages stop, although all other threads work.
mkfifo -m 666 "$scratch/full"
sleep infinity <"$scratch/full" &
started+=($!)
manage hanging capture sh -c "exec '$tracewire' capture -u 18102 -w - >'$scratch/full'"
hanging=$pid
wait_for is_ready hanging
timeout 100 "$tracewire" stream -q -e sched,raw_syscalls -u 127.0.0.1:18102 -- sh -c 'for _ in $(seq 200); do /bin/true; done' ||
	fail "stream to one that hangs"
is_silent() { # no message arrives for three seconds; normally there is one per second. The first try may see messages from before the hang.
	local before
	before=$(told hanging WATCHDOG=1)
	sleep 3
	[ "$before" = "$(told hanging WATCHDOG=1)" ]
}
is_silent || is_silent || fail "signs of life while the writer hangs: $(cat "$scratch/hanging.told")"
kill_at_once $hanging

# The manager does not read, and its socket is full: the run does not wait for the manager, which gets the messages when it reads later.
is_alive() { # NAME
	says "$scratch/$1.told" ' WATCHDOG=1$'
}
ends() { # NAME PROCESS: one signal ends the process
	kill -INT "$2"
	if ! wait_for has_ended "$2"; then
		fail "$1: waits in $(cat "/proc/$2/wchan")"
		kill -KILL "$2"
	fi
	wait "$2"
	expect "$1: status at the end" 0 $?
}
captures() { # NAME SOCKET
	manage_at "$2" --full "$1" "$tracewire" capture -u 18103 -w "$scratch/$1.pcapng"
	wait_for says "$scratch/$1.err" '^capturing on'
}
streams() { # NAME SOCKET
	manage_at "$2" --full "$1" "$tracewire" stream -e sched -u 127.0.0.1:18104
	wait_for says "$scratch/$1.err" '^streaming '
}
for what in captures streams; do
	$what unread "$scratch/$what.socket"
	ends "$what, a manager that does not read" "$pid"
	kill -KILL "$manager"
	$what late "@$scratch"
	kill -USR1 "$manager"
	wait_for is_ready late
	wait_for is_alive late
	ends "$what, a manager that reads late" "$pid"
	expect "$what: times that it was ready" 1 "$(told late READY=1)"
	kill -KILL "$manager"
	wait "$manager" 2>/dev/null
done

for process in $stream $next; do
	interrupt $process
	expect "status at the end" 0 $?
done
for name in stream next; do
	expect "$name: times that it said that it ends" 1 "$(told $name STOPPING=1)"
done
eval "$(summary "$scratch/stream.err")"
expect "recorded = sent + lost" "$recorded" $((sent + ring + shed + tx))
"$tracewire" info "$(find "$scratch/state" -newer "$scratch/next.socket" -type f | tail -n 1)" >"$scratch/info" ||
	fail "info of the last file"
exit $failed
