# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154
# To be sourced, after tracing.sh if trace_cmd_record is used: recordings and texts of trace-cmd, for comparisons.

# trace_cmd_report WORD...: prints the output of trace-cmd report without the lines about empty CPUs, and without the latency flags after
# the CPU ("dNh2.", or "-0x5" with -R). trace-cmd prints these flags since version 3.2, and tracewire prints them only with -l.
trace_cmd_report() {
	trace-cmd report "$@" 2>/dev/null | sed -E 's/^([^]]*-[^] ]+ +\[[0-9]+\])(-0x[0-9a-f]+| [^ 0-9][^ ]{4})/\1/; /^CPU [0-9]+ is empty$/d'
}

# as_trace_cmd: a filter that removes from lines of tracewire report what trace-cmd does not print: the names of system calls.
as_trace_cmd() {
	sed -E 's/( sys_(enter|exit): +NR -?[0-9]+) [a-z][a-z0-9_]*/\1/'
}

# trace_cmd_record NAME WORD...: trace-cmd records into NAME.dat. $shim lets it write files of the function tracer that the kernel refuses
# to write. Names of earlier tasks are removed first, because trace-cmd shows no names if one of them has a newline. trace-cmd leaves the
# top level's buffers as large as -b says, so their size is restored.
trace_cmd_record() {
	local name=$1 size status
	shift
	forget_task_names
	size=$(sed -E 's/.*expanded: ([0-9]+).*/\1/' "$tracing/buffer_size_kb")
	LD_PRELOAD=$shim trace-cmd record -o "$name.dat" "$@" >"$scratch/trace-cmd.log" 2>&1
	status=$?
	[ "$size" = X ] || echo "$size" >"$tracing/buffer_size_kb"
	[ $status = 0 ] && [ -s "$name.dat" ] && return
	fail "trace-cmd record $*: $(tail -n 2 "$scratch/trace-cmd.log")"
}
