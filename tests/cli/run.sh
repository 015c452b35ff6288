#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# live, record and stream on the command line: the exit status, Ctrl-C, the ledger, and failures.
# Usage: run.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

need_tracefs

# A run passes the exit status of the command on. The file has as many events as the summary says.
run 0 "$tracewire" record -v -e sched -w "$scratch/x.pcapng" -- sleep 0.2
recorded=$(sed -n 's/^file  *\([0-9]*\) events.*/\1/p' "$scratch/err")
[ "${recorded:-0}" -gt 0 ] || fail "nothing was recorded: $(cat "$scratch/err")"
run 7 "$tracewire" record -q -e sched:sched_switch -w "$scratch/x.pcapng" -- sh -c 'exit 7'
[ -s "$scratch/err" ] && fail "--quiet is not: $(cat "$scratch/err")"
run 143 "$tracewire" stream -q -e sched:sched_switch -i tw0 -- sh -c 'kill -TERM $$'
[ -s "$scratch/err" ] && fail "--quiet is not: $(cat "$scratch/err")"
run 0 "$tracewire" stream -e sched:sched_switch -i tw0 -- true
grep -q '^there is no interface tw0: made a veth pair' "$scratch/err" || fail "no word of a new interface: $(cat "$scratch/err")"
run 0 "$tracewire" record -q -e sched:sched_switch -w - -- true
[ "$(od -An -tx4 -N4 "$scratch/out" | tr -d ' ')" = 0a0d0d0a ] || fail "no pcapng on standard output"

# Without -v, a run ends with two lines: the events with the losses, and the file with the commands that read it.
said() { grep -v '^removed .* of a killed run' "$scratch/$1"; }
run 0 "$tracewire" record -e sched -w "$scratch/x.pcapng" -- sleep 0.2
expect "lines of a run without losses" 3 "$(said err | wc -l)"
said err | sed -n 2p | grep -qxE '[1-9][0-9]* events in [0-9.]+ s, 0 lost' || fail "events: $(cat "$scratch/err")"
said err | sed -n 3p | grep -qxE "($scratch/x.pcapng) \([0-9.]+ [kM]B\): read it with \`tracewire report \1\` or \`wireshark \1\`" || fail "file: $(cat "$scratch/err")"
run 0 "$tracewire" record -v -e sched -w "$scratch/x.pcapng" -- sleep 0.2
expect "the short lines, before those of -v" "0 lost: events" \
	"$(said err | sed -n -e '2s/.*, \([0-9]* lost\)$/\1:/p' -e '4s/ .*//p' | xargs)"

# Losses have a line for each place, with the remedy: a stopped run loses events in the ring.
start_tracewire full record -e raw_syscalls --buffer-size 32 -w "$scratch/x.pcapng"
kill -STOP "$pid"
dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none
kill -CONT "$pid"
interrupt "$pid" || fail "a run with losses ends with $?: $(cat "$scratch/full.err")"
lost=$(said full.err | sed -nE 's/^[0-9]+ events in [0-9.]+ s, ([0-9]+) lost$/\1/p')
[ "${lost:-0}" -gt 0 ] || fail "nothing was lost: $(cat "$scratch/full.err")"
expect "the place of the losses" \
	"$lost lost in the kernel's ring, which was full: make it larger with --buffer-size, or select fewer events" \
	"$(said full.err | grep 'ring')"
expect "where the details are" "details: add -v, or see \`tracewire info $scratch/x.pcapng\`" "$(said full.err | tail -n 1)"

# Ctrl-C ends a run, which prints a summary.
start_tracewire record record -v -e sched:sched_switch -w "$scratch/x.pcapng"
interrupt "$pid" || fail "Ctrl-C does not end with 0: $(cat "$scratch/record.err")"
says "$scratch/record.err" '^events .* recorded, .* read, .* sent' || fail "no summary: $(cat "$scratch/record.err")"
odd_ledger "$scratch/record.err" && fail "the ledger does not balance: $(cat "$scratch/record.err")"

# A signal to a run with a command ends both. The run has the exit status of the command.
start_tracewire record record -e sched:sched_switch -w "$scratch/x.pcapng" -- sleep 30
kill -TERM "$pid"
wait "$pid"
expect "status after SIGTERM with a command" 143 $?

# A failure prints one sentence, and leaves no incomplete file.
rm "$scratch/x.pcapng"
run 2 "$tracewire" record -e sched:sched_swich -w "$scratch/x.pcapng"
tells 'did you mean sched:sched_switch\?'
run 2 "$tracewire" record -e sched:sched_switch --event-filter 'nonsense == 1' -w "$scratch/x.pcapng"
tells 'nonsense == 1'
run 2 "$tracewire" record -e sched:sched_switch -C sundial -w "$scratch/x.pcapng"
tells sundial
run 2 "$tracewire" record -F -e sched:sched_switch -w "$scratch/x.pcapng"
tells 'needs a command'
run 127 "$tracewire" record -e sched:sched_switch -w "$scratch/x.pcapng" -- "$scratch/no-such-command"
tells no-such-command
run 126 "$tracewire" record -e sched:sched_switch -w "$scratch/x.pcapng" -- "$scratch"
tells "'$scratch' cannot be run"
printf '#!%s/no-such-interpreter\n' "$scratch" >"$scratch/script"
chmod +x "$scratch/script"
run 127 "$tracewire" record -e sched:sched_switch -w "$scratch/x.pcapng" -- "$scratch/script"
tells "'$scratch/script'"
expect "lines about a run whose command did not begin" 1 "$(wc -l <"$scratch/err")"
run 1 "$tracewire" record -e sched:sched_switch -w "$scratch/no-such-folder/x.pcapng" -- true
tells 'creating .*no-such-folder/x.pcapng: No such file or directory; create the directory first'
run 1 "$tracewire" record -e sched:sched_switch -w "$scratch" -- true
tells 'Is a directory; name a file in it'
[ -e "$scratch/x.pcapng" ] && fail "a file is left of a run that did not begin"
echo precious >"$scratch/x.pcapng"
run 2 "$tracewire" record -F -e sched:sched_switch -w "$scratch/x.pcapng"
run 127 "$tracewire" record -e sched:sched_switch -w "$scratch/x.pcapng" -- no-such-command
grep -q precious "$scratch/x.pcapng" || fail "a mistyped command line costs a file"
rm "$scratch/x.pcapng"
run 1 "$tracewire" record -e sched -w /dev/full -- sleep 0.2
tells 'no space left|No space left'
ip link add stranger type veth peer name stranger-tx
run 1 "$tracewire" live -e sched:sched_switch -i stranger -- true
tells 'stranger'
run 1 "$tracewire" stream -e sched:sched_switch -i stranger -- true
tells 'down'
expect "wires left" "" "$(interfaces | grep '^tw')"

# live, as far as it can be tested without the plugin.
if command -v tshark >/dev/null; then
	run 0 "$tracewire" live -e sched:sched_switch -- sleep 0.2
	[ "$(wc -l <"$scratch/out")" -gt 2 ] || fail "live shows nothing: $(cat "$scratch/err")"
	run 3 "$tracewire" live -e sched:sched_switch -- sh -c 'exit 3'
	run 2 "$tracewire" live -e sched:sched_switch -Y 'nonsense ==' -- sleep 5
	tells "tshark refuses the display filter 'nonsense =='"
	timeout 100 "$tracewire" live -e sched -- sleep 5 >/dev/full 2>"$scratch/err"
	[ $? = 1 ] || fail "live onto a full disk does not fail"
	tells 'cannot write to standard output: No space left'
	timeout 100 "$tracewire" live -e sched -- sleep 20 2>"$scratch/err" | head -n 1 >"$scratch/out"
	[ -s "$scratch/out" ] || fail "live into head shows nothing: $(cat "$scratch/err")"
	# Few events, so that a slow tshark causes no loss. The end of the reader (head) causes no loss either.
	timeout 100 "$tracewire" live -e sched:sched_process_exec -- sh -c 'while sleep 0.02; do :; done' 2>"$scratch/err" |
		head -n 1 >"$scratch/out"
	[ -s "$scratch/out" ] || fail "live into head shows no program: $(cat "$scratch/err")"
	grep -qE '^[0-9]+ events? in .*, 0 lost$' "$scratch/err" || fail "live into head: the reader's end is a loss: $(cat "$scratch/err")"
	grep -E 'too slow|output failed' "$scratch/err" && fail "live into head: the reader's end is a failure: $(cat "$scratch/err")"
	expect "wires left" "" "$(interfaces | grep '^tw')"
else
	echo "not checked: live, as tshark is not installed"
fi
exit $failed
