#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `report --filter` prints the same events of a recording as tshark with the same filter in Wireshark's language.
# Usage: test_filter_report.sh TRACEWIRE RECORDING.dat; PLUGINS, SAMPLES and FORMATS as in the dissector's tests
tracewire=$1
. "$(dirname "$0")/../dissector/common.sh"
"$tracewire" convert -q "$2" "$home/all.pcapng" || exit 1
editcap -r "$home/all.pcapng" "$home/x.pcapng" 1-30000 || exit 1
chmod 644 "$home/x.pcapng"

# same FILTER DISPLAY-FILTER LEAST: report with FILTER and tshark with DISPLAY-FILTER find the same events, at least LEAST of them
same() {
	local ours n
	"$tracewire" report -q -j -R -f "$1" "$home/x.pcapng" >"$home/json" 2>"$home/err"
	sed -E 's/^\{"time":"([^"]*)".*"cpu":([0-9]+),.*"event":"([^"]*)".*/\1|\2|\3/' "$home/json" >"$home/ours"
	shark -r "$home/x.pcapng" -Y "trace.event and ($2)" -T fields -E 'separator=|' -e trace.time -e trace.cpu -e trace.event \
		>"$home/theirs" 2>"$home/shark.err" || cat "$home/shark.err"
	n=$(wc -l <"$home/ours")
	expect "$1: $n events, at least $3" "" "$([ "$n" -ge "$3" ] || echo "$n")"
	expect "$1: what report says" "" "$(cat "$home/err")"
	ours=$(diff "$home/ours" "$home/theirs" | head -n 3)
	expect "$1: as tshark -Y '$2'" "" "$ours"
}

same 'sched_switch.prev_pid == 0 && cpu == 1' 'trace.sched.sched_switch.prev_pid == 0 && trace.cpu == 1' 1000
same 'prev_comm == "bash" or next_comm ~ "kworker/*"' 'trace.any.prev_comm == "bash" or trace.any.next_comm matches "^kworker/"' 20
same 'softirq_raise.vec in {NET_RX, TIMER} and not comm == "bash"' \
	'trace.irq.softirq_raise.vec in {"NET_RX", "TIMER"} and not trace.comm == "bash"' 100
same 'comm contains "race" && event == sched_waking' 'trace.comm contains "race" && trace.event == "sched_waking"' 3
same 'comm == "<idle>"' 'trace.comm == "<idle>"' 1000
same 'comm != "<idle>" && pid < 20 && system == sched' 'trace.comm != "<idle>" && trace.pid < 20 && trace.system == "sched"' 100
same 'prev_pid != 0' 'trace.any.prev_pid != 0' 1000
same '!(prev_pid == 0)' '!(trace.any.prev_pid == 0)' 20000
same 'prev_state & 1 and not prev_prio > 100' \
	'trace.any.prev_state & 1 and not trace.any.prev_prio > 100' 0
same 'kmem_cache_alloc.bytes_req >= 256 && kmem_cache_alloc.bytes_req <= 0x400' \
	'trace.kmem.kmem_cache_alloc.bytes_req >= 256 && trace.kmem.kmem_cache_alloc.bytes_req <= 1024' 100
same 'bytes_req in {64, 192..512}' 'trace.any.bytes_req in {64, 192..512}' 100
same 'time > 6 && time < 6.5 && cpu == 0' 'trace.time > 6 && trace.time < 6.5 && trace.cpu == 0' 10
same 'flags & irqs_off and event matches "^SCHED_(wake|wak)"' \
	'trace.flags & 1 and trace.event matches "^sched_(wake|wak)"' 1000
same 'sys_enter.id == 1 or sys_exit.ret < 0' 'trace.raw_syscalls.sys_enter.id == 1 or trace.raw_syscalls.sys_exit.ret < 0' 50
same 'sys_enter.id == write or sys_exit.id in {read, openat}' \
	'trace.raw_syscalls.sys_enter.id.names == "write" or trace.raw_syscalls.sys_exit.id.names in {"read", "openat"}' 50
same 'sched_process_exec.filename contains "/bin/"' 'trace.sched.sched_process_exec.filename contains "/bin/"' 3
same 'trace.sched.sched_wakeup.comm' 'trace.sched.sched_wakeup.comm' 2000
same 'host == "vm" and sched_migrate_task.dest_cpu == 1' 'trace.host == "vm" and trace.sched.sched_migrate_task.dest_cpu == 1' 5
same 'sys_enter.args == 1' 'trace.raw_syscalls.sys_enter.args == 1' 100
same 'sys_enter.args != 0' 'trace.raw_syscalls.sys_enter.args != 0' 1
same 'runtime > 1000000 and not (cpu == 0 or comm == "bash")' \
	'trace.any.runtime > 1000000 and not (trace.cpu == 0 or trace.comm == "bash")' 10

# The summary counts rejected events, and a mistyped name or an invalid filter is an error.
"$tracewire" report -v -f 'event == sched_switch' "$home/x.pcapng" 2>"$home/err" >"$home/out"
printed=$(sed -nE 's/^events +([0-9]+) printed of ([0-9]+) .*/\1 \2/p' "$home/err")
expect "printed and rejected" "${printed#* }" $((${printed% *} + $(sed -nE 's/^rejected ([0-9]+) .*/\1/p' "$home/err")))
"$tracewire" report -q -f 'event == sched_switchh' "$home/x.pcapng" 2>"$home/err" >"$home/out"
expect "status of a name mistyped" 2 $?
expect "a name mistyped" \
	"tracewire report: column 10: there is no event 'sched_switchh'; did you mean 'sched_switch'?" "$(cat "$home/err")"
for mistake in 'prev_pid ==' 'cpu == foo' '(pid == 1'; do
	"$tracewire" report -f "$mistake" "$home/x.pcapng" 2>"$home/err" >"$home/out"
	expect "status of '$mistake'" 2 $?
	expect "'$mistake' printed" "" "$(cat "$home/out")"
	expect "'$mistake' has a column" 1 "$(grep -c '^tracewire report: column [0-9]*: ' "$home/err")"
done
exit $failed
