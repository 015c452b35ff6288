#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# live, record and stream as somebody at a prompt meets them: exit status, Ctrl-C, the books, and what goes wrong.
# Usage: run.sh TRACEWIRE
set -u
tracewire=$1
# shellcheck source=tests/cli/namespace.sh
. "$(dirname "$0")/namespace.sh"

need_tracefs

run() { # STATUS WORD...: run it, expect the exit status
	expected=$1
	shift
	timeout 30 "$tracewire" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	[ "$status" = "$expected" ] || fail "'$*' exits with $status, not $expected: $(cat "$scratch/err")"
}

says() { # PATTERN: in one sentence, the last line on standard error
	tail -n 1 "$scratch/err" | grep -qE "$1" || fail "expected '$1': $(cat "$scratch/err")"
}

# A command's exit status is passed on; events are in the file, and as many as the summary says.
run 0 record -e sched -w "$scratch/x.pcapng" -- sleep 0.2
recorded=$(sed -n 's/^file  *\([0-9]*\) events.*/\1/p' "$scratch/err")
[ "${recorded:-0}" -gt 0 ] || fail "nothing was recorded: $(cat "$scratch/err")"
run 7 record -q -e sched:sched_switch -w "$scratch/x.pcapng" -- sh -c 'exit 7'
[ -s "$scratch/err" ] && fail "--quiet is not: $(cat "$scratch/err")"
run 143 stream -q -e sched:sched_switch -i tw0 -- sh -c 'kill -TERM $$'
run 0 record -q -e sched:sched_switch -w - -- true
[ "$(od -An -tx4 -N4 "$scratch/out" | tr -d ' ')" = 0a0d0d0a ] || fail "no pcapng on standard output"

# Ctrl-C ends a run with a summary.
"$tracewire" record -e sched:sched_switch -w "$scratch/x.pcapng" 2>"$scratch/err" &
pid=$!
for _ in $(seq 100); do
	grep -q '^recording' "$scratch/err" && break
	sleep 0.1
done
kill -INT $pid
wait $pid || fail "Ctrl-C does not end with 0: $(cat "$scratch/err")"
grep -q '^events .* recorded, .* read, .* sent' "$scratch/err" || fail "no summary: $(cat "$scratch/err")"
grep -q 'do not balance' "$scratch/err" && fail "the books do not balance: $(cat "$scratch/err")"

# With a command too, which then ends as if the terminal had interrupted it.
"$tracewire" record -e sched:sched_switch -w "$scratch/x.pcapng" -- sleep 30 2>"$scratch/err" &
pid=$!
for _ in $(seq 100); do
	grep -q '^recording' "$scratch/err" && break
	sleep 0.1
done
kill -TERM $pid
wait $pid
status=$?
[ $status = 143 ] || fail "SIGTERM with a command ends with $status: $(cat "$scratch/err")"

# What goes wrong is told in a sentence and leaves nothing half-made.
rm "$scratch/x.pcapng"
run 2 record -e sched:sched_swich -w "$scratch/x.pcapng"
says 'did you mean sched:sched_switch\?'
run 2 record -e sched:sched_switch --event-filter 'nonsense == 1' -w "$scratch/x.pcapng"
says 'nonsense == 1'
run 2 record -e sched:sched_switch -C sundial -w "$scratch/x.pcapng"
says sundial
run 2 record -F -e sched:sched_switch -w "$scratch/x.pcapng"
says 'needs a command'
run 127 record -e sched:sched_switch -w "$scratch/x.pcapng" -- "$scratch/no-such-command"
says no-such-command
run 126 record -e sched:sched_switch -w "$scratch/x.pcapng" -- "$scratch"
says "'$scratch' cannot be run"
run 1 record -e sched:sched_switch -w "$scratch/no-such-folder/x.pcapng" -- true
says no-such-folder
echo precious >"$scratch/x.pcapng"
run 2 record -F -e sched:sched_switch -w "$scratch/x.pcapng"
run 127 record -e sched:sched_switch -w "$scratch/x.pcapng" -- no-such-command
grep -q precious "$scratch/x.pcapng" || fail "a mistyped command line costs a file"
rm "$scratch/x.pcapng"
[ -e "$scratch/x.pcapng" ] && fail "a file is left of a run that did not begin"
run 1 record -e sched -w /dev/full -- sleep 0.2
says 'no space left|No space left'
ip link add stranger type veth peer name stranger-tx
run 1 live -e sched:sched_switch -i stranger -- true
says 'stranger'
run 1 stream -e sched:sched_switch -i stranger -- true
says 'down'
[ "$(ip -br link | grep -c '^tw')" = 0 ] || fail "wires are left: $(ip -br link)"

# live, as far as it goes without the plugin.
if command -v tshark >/dev/null; then
	run 0 live -e sched:sched_switch -- sleep 0.2
	[ "$(wc -l <"$scratch/out")" -gt 2 ] || fail "live shows nothing: $(cat "$scratch/err")"
	run 3 live -e sched:sched_switch -- sh -c 'exit 3'
	run 2 live -e sched:sched_switch -Y 'nonsense ==' -- sleep 5
	says "tshark refuses the display filter 'nonsense =='"
	timeout 30 "$tracewire" live -e sched -- sleep 5 >/dev/full 2>"$scratch/err"
	[ $? = 1 ] || fail "live onto a full disk does not fail"
	says 'cannot write to standard output: No space left'
	timeout 30 "$tracewire" live -e sched -- sleep 20 2>"$scratch/err" | head -n 1 >"$scratch/out"
	[ -s "$scratch/out" ] || fail "live into head shows nothing: $(cat "$scratch/err")"
	[ "$(ip -br link | grep -c '^tw')" = 0 ] || fail "wires are left: $(ip -br link)"
else
	echo "not checked: live, as tshark is not installed"
fi
exit $failed
