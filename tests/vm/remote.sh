#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One capture host, two producers: a stock kernel in a virtual machine, and the kernel that this runs on. Both are in one file, each
# decoded by its own formats, and nothing of them is missing. They meet in a network namespace that has the machine's tap interface.
# Then the machine's clock, which nobody needs, is set back by an hour beneath a stream that goes by it.
# Usage: remote.sh RELEASE KERNELS TRACEWIRE; PLUGIN and PLUGINDIR as in tests/integration
. "$(dirname "$0")/common.sh"
for part in processes tracing; do
	# shellcheck source=/dev/null
	. "$here/../shell/$part.sh"
done
need tshark
tracewire=$1
[ -c /dev/net/tun ] || skip "there is no /dev/net/tun, which a virtual machine's network takes"
need_tracefs
chmod 755 "$scratch"
mkdir "$scratch/epan"
cp "$PLUGIN" "$scratch/epan"
mount --bind "$scratch/epan" "$PLUGINDIR/epan" || exit 1
export HOME=$scratch TZ=UTC LC_ALL=C

in_background net unshare --net sleep infinity
net=$pid
in_net() { # COMMAND...
	nsenter --net="/proc/$net/ns/net" "$@"
}
is_apart() { [ "$(readlink "/proc/$net/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
wait_for is_apart
in_net ip link set lo up
in_net ip tuntap add tap0 mode tap
in_net ip addr add 10.9.0.1/24 dev tap0
in_net ip link set tap0 up

in_background capture nsenter --net="/proc/$net/ns/net" "$tracewire" capture -Z root -u 18101 -w "$scratch/both.pcapng"
capture=$pid
wait_for says "$scratch/capture.err" '^capturing on '

# The machine streams until this kernel has, too; both do something meanwhile.
cp "$tracewire" "$job"
cat >"$job/stream" <<'END'
echo stock >/proc/sys/kernel/hostname
modprobe virtio_net || exit 77
for _ in $(seq 100); do ip link set eth0 up 2>/dev/null && break; sleep 0.1; done
ip addr add 10.9.0.2/24 dev eth0
/job/tracewire stream -u 10.9.0.1 -e sched:sched_switch,sched:sched_process_exit -- bash -c '
	echo streaming >/job/streaming
	for _ in $(seq 300); do [ -e /job/enough ] && break; sleep 0.1; done' 2>/job/stream.err || exit
echo back >/proc/sys/kernel/hostname
/job/tracewire stream -u 10.9.0.1 -C tai -e sched:sched_process_exit -- bash -c '
	date -s "-1 hour"
	for _ in $(seq 50); do sleep 0.1; done' 2>/job/back.err
END
VM_DEVICES="-netdev tap,id=net,ifname=tap0,script=no,downscript=no -device virtio-net-pci,netdev=net" \
	in_background machine nsenter --net="/proc/$net/ns/net" "$here/boot" "$kernels/$release" "$job" "bash /job/stream"
machine=$pid
streams_or_ended() { [ -e "$job/streaming" ] || has_ended "$machine"; }
for _ in 1 2 3; do wait_for streams_or_ended >/dev/null && break; done
[ -e "$job/streaming" ] || fail "Linux $release does not stream: $(cat "$scratch/machine.out" "$job/stream.err" 2>&1)"
in_net "$tracewire" stream -u 10.9.0.1 -e sched:sched_switch,sched:sched_process_exit -- \
	sh -c 'for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; done' 2>"$scratch/stream.err" || fail "stream: $(cat "$scratch/stream.err")"
touch "$job/enough"
wait "$machine"
expect "status in Linux $release" 0 $?
sleep 0.5
interrupt "$capture"
expect "status of capture" 0 $?

# recorded FILE: by the summary of a stream
recorded() { sed -nE 's/^events +([0-9]+) recorded,.*/\1/p' "$1"; }

# seen HOST FIELD...: of every event of that host that says by its formats who went
seen() {
	local host=$1 fields=() field
	shift
	for field in "$@"; do fields+=(-e "$field"); done
	tshark -r "$scratch/both.pcapng" -Y "trace.sched.sched_switch.prev_pid && frame.interface_name contains \"$host:\"" -T fields \
		-E separator=' ' "${fields[@]}" 2>/dev/null
}

# check_host HOST FILE: all that its producer recorded is there, in closed books; a task is switched away from that was running
check_host() {
	local host=$1 n other
	n=$(recorded "$2")
	says "$scratch/capture.err" "^$host:[^ ]+ +$n +$n +0  closed$" || fail "books of $host, which recorded $n: $(cat "$scratch/capture.err")"
	[ "$(tshark -r "$scratch/both.pcapng" -Y "trace.pid && frame.interface_name contains \"$host:\"" 2>/dev/null | wc -l)" = "$n" ] ||
		fail "not all $n events of $host are in the file"
	other=$(seen "$host" trace.pid trace.sched.sched_switch.prev_pid | awk '$1 != $2 || NF != 2' | head -n 3)
	expect "switches of $host away from a task that was not running" "" "$other"
	[ "$(seen "$host" trace.pid | wc -l)" -gt 20 ] || fail "hardly a switch of $host is decoded"
}

# told HOST: how often its producer told its clocks and counters, which it does each second but at the end
told() {
	tshark -r "$scratch/both.pcapng" -Y "trace.stats.recorded && trace.clock.trace && frame.interface_name contains \"$1:\"" 2>/dev/null | wc -l
}

here_named=$(uname -n)
[ "$here_named" = stock ] && skip "this machine has the name that the other gets"
check_host stock "$job/stream.err"
check_host "$here_named" "$scratch/stream.err"
[ "$(told back)" -ge 4 ] || fail "a stream whose clock was set back told its counters $(told back) times in five seconds"
expect "schemas" 2 "$(for host in stock "$here_named"; do seen $host trace.schema | sort -u; done | sort -u | wc -l)"
expect "malformed packets" 0 "$(tshark -r "$scratch/both.pcapng" -Y _ws.malformed 2>/dev/null | wc -l)"
exit $failed
