#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Interrupts: the signals that the traced command receives, the exit status, and ways to end a command that does not end by itself.
# Usage: interrupt.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

need_tracefs
file=$scratch/x.pcapng

# A command that writes the names of the signals that it gets to a file, and ends 0.3 s after a signal.
cat >"$scratch/command" <<'END'
#!/bin/sh
trap 'echo INT >>"$0.got"; ending=yes' INT
trap 'echo TERM >>"$0.got"; ending=yes' TERM
: >"$0.got"
ending=
while [ -z "$ending" ]; do sleep 0.05; done
sleep 0.3
exit 5
END
# A command that ignores signals. It makes the file stubborn.deaf when it does so.
printf '#!/bin/sh\ntrap "" INT TERM\n: >"$0.deaf"\nwhile :; do sleep 0.05; done\n' >"$scratch/stubborn"
chmod +x "$scratch/command" "$scratch/stubborn"

ends_with() { # STATUS WHAT
	local status
	wait "$pid"
	status=$?
	[ $status = "$1" ] || fail "$2 ends with $status, not $1: $(cat "$scratch/run.err")"
}

# Ctrl-C on a terminal reaches the command directly, once. The command ends by itself, and is recorded to its end.
cat >"$scratch/at-terminal" <<END
trap : INT # INT does not end this shell
"$tracewire" record -v -e sched:sched_switch -w "$file" -- "$scratch/command" 2>"$scratch/err"
echo \$? >"$scratch/status"
END
{
	wait_for test -e "$scratch/command.got"
	printf '\003'
	wait_for test -s "$scratch/status"
} | script -qec "sh '$scratch/at-terminal'" /dev/null >"$scratch/out"
[ "$(cat "$scratch/status")" = 5 ] || fail "Ctrl-C ends with $(cat "$scratch/status"), not the command's 5: $(cat "$scratch/err")"
[ "$(cat "$scratch/command.got")" = INT ] || fail "Ctrl-C reaches the command as: $(tr '\n' ' ' <"$scratch/command.got")"
says "$scratch/err" '^events .* recorded, .* sent' || fail "no summary after Ctrl-C: $(cat "$scratch/err")"
odd_ledger "$scratch/err" && fail "$(cat "$scratch/err")"

# A signal that is sent only to tracewire is forwarded.
rm "$scratch/command.got"
start_tracewire run record -v -e sched:sched_switch -w "$file" -- "$scratch/command"
wait_for test -e "$scratch/command.got"
kill -TERM "$pid"
ends_with 5 "SIGTERM"
[ "$(cat "$scratch/command.got")" = TERM ] || fail "SIGTERM reaches the command as: $(tr '\n' ' ' <"$scratch/command.got")"

again=1.2 # seconds until the next signal: signals within half a second count as one, and a busy machine may deliver a signal late

# After a second signal, the run does not wait for the command. The summary is still printed.
start_tracewire run record -v -e sched:sched_switch -w "$file" -- "$scratch/stubborn"
wait_for test -e "$scratch/stubborn.deaf"
kill -INT "$pid"
sleep $again
kill -0 "$pid" || fail "the command is not waited for"
kill -INT "$pid"
ends_with 130 "a second SIGINT"
says "$scratch/run.err" '^events .* recorded, .* sent' || fail "no summary after a second SIGINT: $(cat "$scratch/run.err")"
pgrep -f "$scratch/stubborn" >/dev/null && fail "the command still runs"

# A run that is started with SIGHUP ignored, as by nohup, continues after SIGHUP.
trap '' HUP
start_tracewire run record -v -e sched:sched_switch -w "$file"
trap - HUP
kill -HUP "$pid"
sleep 0.3
kill -0 "$pid" 2>/dev/null || fail "SIGHUP ends a run that ignores it"
kill -INT "$pid"
ends_with 0 "SIGINT"

# If tracing cannot be switched off, the run still ends: it prints a separate message and a summary, and the file is complete.
start_tracewire run record -v -e raw_syscalls:sys_enter -w "$file"
mount --bind /dev/full "$tracing/instances/tracewire-$pid/tracing_on"
kill -INT "$pid"
ends_with 1 "a run that cannot switch tracing off"
tail -n 1 "$scratch/run.err" | grep -qE 'tracing cannot be switched off: .*\(No space left on device\); .* counted as lost' ||
	fail "what a run says that cannot switch tracing off: $(cat "$scratch/run.err")"
says "$scratch/run.err" '^events .* recorded, .* sent' || fail "no summary where tracing goes on: $(cat "$scratch/run.err")"
odd_ledger "$scratch/run.err" && fail "$(cat "$scratch/run.err")"
"$tracewire" report "$file" >"$scratch/out" 2>&1 || fail "the file cannot be read: $(cat "$scratch/out")"
expect "instances left" "" "$(instances "$pid")"
rm -f "$file"

# A viewer that no longer reads does not delay the end for ever: the third signal ends the run at once.
if command -v tshark >/dev/null; then
	start_tracewire run live -v -e sched -e irq -Y frame
	wait_for test -s "$scratch/run.out"
	viewer=$(pgrep -P "$pid" -x tshark) # the process has executed tshark, because tshark has printed
	kill -STOP "$viewer"
	sleep 0.5
	for _ in 1 2 3; do
		kill -INT "$pid"
		sleep $again
	done
	wait_for has_ended "$pid" || fail "three SIGINTs do not end live while tshark is stopped"
	kill -CONT "$viewer"
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	"$tracewire" cleanup >/dev/null || fail "cleanup after that fails"
	expect "wires left" "" "$(interfaces | grep '^tw')"
else
	echo "not checked: a viewer that stops, as tshark is not installed"
fi
exit $failed
