#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Options -p, -l, -n, -g, -O, -T, -P and -M, as far as this kernel supports them: settings in the instance, recorded events, errors.
# Usage: tracers.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

need_tracefs
file=$scratch/x.pcapng

refused() { # PATTERN WORD...: a usage error in one sentence, which leaves nothing
	local pattern=$1
	shift
	run 2 "$tracewire" record -w "$file" "$@" -- true
	[ "$(wc -l <"$scratch/err")" = 1 ] || fail "'$*' is refused in more than one line: $(cat "$scratch/err")"
	grep -qE -- "$pattern" "$scratch/err" || fail "'$*' is refused without '$pattern': $(cat "$scratch/err")"
	[ -e "$file" ] && fail "'$*' leaves a file"
	ls -d "$tracing"/instances/tracewire-*-top "$tracing"/instances/tracewire-*-graph >"$scratch/left" 2>/dev/null &&
		fail "'$*' leaves $(cat "$scratch/left")"
}

# is_cleaned_up PROCESS: a cleanup removes the instance of PROCESS; if another run was starting, only a later cleanup does so
is_cleaned_up() {
	"$tracewire" cleanup >"$scratch/out" 2>&1
	[ ! -e "$tracing/instances/tracewire-$1" ]
}

recorded() { sed -n 's/^events  *\([0-9]*\) recorded.*/\1/p' "$scratch/err"; }

# in_instance FILE OPTION...: prints FILE of the instance of a run with these options; the traced command reads it
in_instance() {
	local wanted=$1
	shift
	run 0 "$tracewire" record -v -e sched:sched_switch -w "$file" "$@" -- \
		sh -c "cat '$tracing'/instances/tracewire-\$PPID/$wanted >'$scratch/seen'"
	rm -f "$file"
	cat "$scratch/seen"
}

expect "-M as a mask" 1 "$(in_instance tracing_cpumask -M 1)"
expect "-M as a list" 1 "$(in_instance tracing_cpumask -M 0-0)"
expect "-M -1" "$(cat "$tracing/tracing_cpumask")" "$(in_instance tracing_cpumask -M -1)"
expect "-T" 1 "$(in_instance options/stacktrace -T)"
expect "no -T" 0 "$(in_instance options/stacktrace)"
expect "-O" 1 "$(in_instance options/sym-offset -O sym-offset)"
expect "-O no..." 0 "$(in_instance options/markers -O nomarkers)"
expect "-O ...=0" 0 "$(in_instance options/markers -O markers=0)"
expect "the last of two -O" 1 "$(in_instance options/markers -O nomarkers -O markers)"
# Processes that the two traced processes start are traced too; these two start none.
in_background idle sleep 600
expect "-P" "$(printf '%s\n' $$ "$pid" | sort -n)" "$(in_instance set_event_pid -P "$$,$pid" | sort -n)"
kill_at_once "$pid"

# Stacks are events in the file. With one CPU there are fewer events, and the ledger balances.
run 0 "$tracewire" record -v -e raw_syscalls:sys_enter -F -w "$file" -- true
plain=$(recorded)
run 0 "$tracewire" record -v -e raw_syscalls:sys_enter -F -T -w "$file" -- true
[ "$(recorded)" -ge $((2 * plain - 2)) ] || fail "with stacks $(recorded) events, without $plain"
run 0 "$tracewire" record -e sched -M 1 -w "$file" -- sleep 0.1
odd_ledger "$scratch/err" && fail "one CPU's ledger: $(cat "$scratch/err")"
rm -f "$file"

# kallsyms and the file have the same name for each address that is printed as a symbol: callers in stacks, functions of timers, callers of
# allocations. Code lies between _stext and _etext. Static data has names too, but is printed as numbers.
grep -E ' (_stext|_etext)$' /proc/kallsyms | cut -c1-16 | sort >"$scratch/text"
run 0 "$tracewire" record -e kmem,timer -F -T -w "$file" -- sh -c 'sleep 0.01; /bin/true'
run 0 "$tracewire" report "$file"
[ "$(grep -cE '(=> |call_site=|function=)[a-z_]' "$scratch/out")" -ge 100 ] || fail "few symbols: $(head -20 "$scratch/out")"
grep -oE '\bf{8}[0-9a-f]{8}\b' "$scratch/out" | sort -u |
	awk 'NR == FNR { limit[NR] = $1; next } $1 >= limit[1] && $1 < limit[2]' "$scratch/text" - >"$scratch/bare"
[ -s "$scratch/bare" ] && fail "code without names: $(head -5 "$scratch/bare")"
grep -m3 -E '(=> |call_site=|function=)(0x)?[0-9]' "$scratch/out" && fail "addresses where names should be"
grep -oE '=> [A-Za-z_][A-Za-z0-9_.]*' "$scratch/out" | cut -c4- | sort -u >"$scratch/names"
cut -d' ' -f3 /proc/kallsyms | cut -f1 | sort -u | comm -23 "$scratch/names" - >"$scratch/unknown"
[ -s "$scratch/unknown" ] && fail "names that kallsyms does not have: $(cat "$scratch/unknown")"
rm -f "$file"

refused "no trace option 'stacktrcae'; did you mean stacktrace\?" -e sched -O stacktrcae
refused "no trace option 'nostacktrcae'; did you mean nostacktrace\?" -e sched -O nostacktrcae
refused "refuses trace option 'test_nop_refuse'" -e sched -O test_nop_refuse
refused "'markers=2' must have the value 0 or 1" -e sched -O markers=2
refused "no trace option '../x'" -e sched -O ../x
refused "'zz' is not a set of CPUs" -e sched -M zz
refused "'0' is a mask without a CPU: the mask of CPU 0 is 1" -e sched -M 0
refused "names CPU 1023" -e sched -M 1023-1023
refused "there is no process or thread 999999999" -e sched -P 999999999
refused "'x' is not a pid" -e sched -P 1,x
refused "'' is not a pid" -e sched -P 1,
refused "add --tracer function" -e sched -l vfs_read
refused "add --tracer function_graph" -e sched -g vfs_read
refused "(no tracer 'functoin'; did you mean function\?|built without)" -p functoin
refused "no tracer 'zzzzzz'; this kernel has: " -p zzzzzz
refused "no event is selected" -T
grep -qw function "$tracing/available_tracers" || refused "built without the function tracer" -p function

refused "'nodisable_on_free' cannot be set" -e sched -O nodisable_on_free

# On most kernels, all instances share an option of a tracer. The run restores it at its end; after a kill, cleanup restores it with the
# instance.
option=options/test_nop_accept
before=$(cat "$tracing/$option")
expect "-O of the tracer nop" 1 "$(in_instance $option -O test_nop_accept)"
expect "$option after its run" "$before" "$(cat "$tracing/$option")"
in_instance $option -O test_nop_accept -O notest_nop_accept >/dev/null
expect "$option, changed twice" "$before" "$(cat "$tracing/$option")"
run 0 "$tracewire" record -e sched:sched_switch -O test_nop_accept -w "$file" -- sh -c "echo '$before' >'$tracing/$option'"
expect "$option, put back by somebody while a run had changed it" "$before" "$(cat "$tracing/$option")"
changes=(test_nop_accept notest_nop_accept)
[ "$before" = 1 ] && changes=(notest_nop_accept test_nop_accept)
start_tracewire killed record -e sched:sched_switch -P $$ -M 1 -O "${changes[0]}" -O "${changes[1]}" -w "$file" -- sleep 60
command=$(pgrep -P "$pid" -x sleep)
kill_at_once "$pid"
[ -n "$command" ] && kill "$command"
wait_for is_cleaned_up "$pid"
expect "$option after it was changed twice, a kill and a cleanup" "$before" "$(cat "$tracing/$option")"
start_tracewire killed record -e sched:sched_switch -P $$ -M 1 -O test_nop_accept -w "$file" -- sleep 60
command=$(pgrep -P "$pid" -x sleep) # the command continues after the run was killed
kill_at_once "$pid"
[ -n "$command" ] && kill "$command"
wait_for is_cleaned_up "$pid"
expect "$option after a kill and a cleanup" "$before" "$(cat "$tracing/$option")"
ls "/run/tracewire/tracewire-$pid"* 2>/dev/null && fail "the cleanup leaves what was remembered"
rm -f "$file"

"$tracewire" list --tracers | tr '\n' ' ' >"$scratch/ours"
tr '\n' ' ' <"$tracing/available_tracers" | tr -s ' ' >"$scratch/kernel"
cmp -s "$scratch/ours" "$scratch/kernel" || fail "tracers: $(diff "$scratch/ours" "$scratch/kernel")"
"$tracewire" list --options | grep -qx stacktrace || fail "list --options does not know stacktrace"
exit $failed
