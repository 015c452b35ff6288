#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154
# Tests scripts/left-behind, the check around each test for what the test leaves. Usage: left-behind.sh PROGRAM
program=$1
. "$(dirname "$0")/shell/check.sh"

# leaves LINE COMMAND: the check of COMMAND fails, and prints only "left behind: LINE"
leaves() {
	run 1 "$program" --beside sh -c "$2"
	says "$scratch/out" "^left behind: $1\$" || fail "'$2' leaves: $(cat "$scratch/out")"
	expect "lines about '$2'" 1 "$(wc -l <"$scratch/out")"
}

run 0 "$program" true
run 77 "$program" sh -c 'exit 77'
run 137 "$program" --beside sh -c 'kill -KILL $$'
expect "what is said of those" "" "$(cat "$scratch/out")"
run 0 "$program" --beside sh -c 'echo >"$TMPDIR/file"; rm "$TMPDIR/file"'
leaves 'file file' 'echo >"$TMPDIR/file"'
leaves 'process [0-9]+: sleep 1000' 'sleep 1000 &'
leaves 'process [0-9]+: sleep 1000' 'setsid sh -c "sleep 1000 & exit" & wait'
leaves 'file file' 'echo >"$TMPDIR/file"; exit 77'

# Changed settings of the top-level trace instance are restored, unless other tests run at the same time.
export TRACING_DIR=$scratch/tracing
mkdir "$TRACING_DIR"
echo 1 >"$TRACING_DIR/tracing_on"
echo 'local [mono] boot' >"$TRACING_DIR/trace_clock"
printf 'overwrite\nnostacktrace\n' >"$TRACING_DIR/trace_options"
run 0 "$program" true
run 1 "$program" sh -c 'echo 0 >$TRACING_DIR/tracing_on; echo "[local] mono boot" >$TRACING_DIR/trace_clock'
says "$scratch/out" '^left behind: setting tracing_on is no longer 1$' || fail "tracing_on: $(cat "$scratch/out")"
says "$scratch/out" '^left behind: setting trace_clock is no longer mono$' || fail "trace_clock: $(cat "$scratch/out")"
expect "tracing_on" 1 "$(cat "$TRACING_DIR/tracing_on")"
expect "trace_clock" mono "$(cat "$TRACING_DIR/trace_clock")"
run 1 "$program" sh -c 'printf "overwrite\nstacktrace\n" >$TRACING_DIR/trace_options'
says "$scratch/out" '^left behind: setting trace_options is no longer nostacktrace$' || fail "trace_options: $(cat "$scratch/out")"
run 0 "$program" --beside sh -c 'echo 0 >$TRACING_DIR/tracing_on'
unset TRACING_DIR

# COMMAND leaves a trace instance if the pid in the name of the instance is that of a process of COMMAND, which has ended.
instances=/sys/kernel/tracing/instances
if [ "$(id -u)" = 0 ] && [ -d $instances ]; then
	at_end 'rmdir $instances/twtest_behind$gone $instances/twtest_behind$mine 2>/dev/null'
	gone= mine=
	sleep 0 & gone=$!
	wait $gone
	run 0 "$program" --beside mkdir $instances/twtest_behind$gone
	rmdir $instances/twtest_behind$gone
	leaves 'trace instance twtest_behind[0-9]+' "sh -c 'echo \$\$ >$scratch/mine; mkdir $instances/twtest_behind\$\$; sleep 1'; exit 0"
	mine=$(cat "$scratch/mine")
fi
exit $failed
