#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# trace-cmd records this kernel in each file version and compression, with instances, clocks and dates. The converted recordings are printed
# as trace-cmd prints the original ones.
# Usage: exact-live.sh TRACEWIRE DIFFERENCES SHIM
tracewire=$1
differences=$2
shim=$3
. "$(dirname "$0")/common.sh"
need trace-cmd
# shellcheck source=tests/integration/same-text.sh
. "$(dirname "$0")/same-text.sh"
cd "$scratch" || exit 1

cat >load <<'END'
#!/bin/bash
for _ in 1 2; do
	ls /usr >/dev/null
	echo x >/dev/udp/127.0.0.1/9
	(echo x >/dev/tcp/127.0.0.1/9) 2>/dev/null
	echo "a line" >TRACING/trace_marker
	printf 'no end of a line' >TRACING/trace_marker
done
sync -f .
sleep 0.05
END
sed -i "s,TRACING,$tracing," load
chmod +x load
ip link set lo up

record() { # NAME OPTION...
	trace_cmd_record "$1" -b 8192 "${@:2}" ./load
}

# of_version_6 NAME: converts the recording to version 6
of_version_6() {
	trace-cmd convert --file-version 6 --compression none -i "$1.dat" -o "$1-v6.dat" >convert.log 2>&1 ||
		fail "trace-cmd convert: $(tail -n 2 convert.log)"
}

check() { # NAME
	same_text "$1.dat" || fail "$1"
}

record mixed -e all
check mixed
of_version_6 mixed
check mixed-v6
record stacks -T -e sched:sched_process_exec -e syscalls:sys_enter_openat
check stacks
record plain --compression none -e sched -e irq
check plain

# tshark can filter on the fields of the converted file.
expect "switches away from the idle task" "$(grep -c 'sched_switch: .* prev_pid=0 ' plain.theirs)" \
	"$(tshark -r plain.pcapng -Y 'trace.sched.sched_switch.prev_pid == 0' 2>/dev/null | wc -l)"
record instances -e sched -B one -e irq -B two -e timer -e raw_syscalls
check instances
of_version_6 instances
check instances-v6
record old --file-version 6 -e sched -B one -e raw_syscalls
check old
record mono -C mono --date -e sched
check mono
record ticks -C x86-tsc -e sched
check ticks
exit $failed
