#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One capture host and three producers with separate clocks: one on a stock kernel in a virtual machine, two on the kernel of this machine.
# All events are in one file, in time order, each decoded with the formats of its producer, and no event is missing. The hosts are connected
# in a network namespace with the tap interface of the virtual machine. Then the guest's clock, which nothing else uses, is set back by an
# hour during a stream that uses it. This stream has a separate capture.
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

# start_capture NAME PORT: starts a capture into NAME.pcapng
start_capture() {
	in_background "$1" nsenter --net="/proc/$net/ns/net" "$tracewire" capture -v -Z root -u "$2" -w "$scratch/$1.pcapng"
	wait_for says "$scratch/$1.err" '^capturing on '
}
start_capture all 18101
all=$pid
start_capture back 18102
back=$pid

# stream_here NAME CLOCK: streams for a second, with the host name NAME
stream_here() {
	in_background "$1" nsenter --net="/proc/$net/ns/net" unshare --uts sh -c 'hostname "$1"; shift; exec "$@"' sh "$1" \
		"$tracewire" stream -v -u 10.9.0.1 -C "$2" -e sched:sched_switch,sched:sched_process_exit -- \
		sh -c 'for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; done'
}

# The guest streams until the streams of this kernel have ended. All hosts have some load meanwhile.
cp "$tracewire" "$job"
cat >"$job/stream" <<'END'
echo stock >/proc/sys/kernel/hostname
modprobe virtio_net || exit 77
for _ in $(seq 100); do ip link set eth0 up 2>/dev/null && break; sleep 0.1; done
ip addr add 10.9.0.2/24 dev eth0
/job/tracewire stream -v -u 10.9.0.1 -C mono -e sched:sched_switch,sched:sched_process_exit -- bash -c '
	echo streaming >/job/streaming
	for _ in $(seq 300); do [ -e /job/enough ] && break; sleep 0.1; done' 2>/job/stream.err || exit
echo back >/proc/sys/kernel/hostname
/job/tracewire stream -v -u 10.9.0.1:18102 -C tai -e sched:sched_process_exit -- bash -c '
	date -s "-1 hour"
	for _ in $(seq 50); do sleep 0.1; done' 2>/job/back.err
END
VM_DEVICES="-netdev tap,id=net,ifname=tap0,script=no,downscript=no -device virtio-net-pci,netdev=net" \
	in_background machine nsenter --net="/proc/$net/ns/net" "$here/boot" "$kernels/$release" "$job" "bash /job/stream"
machine=$pid
streams_or_ended() { [ -e "$job/streaming" ] || has_ended "$machine"; }
patience=300 wait_for streams_or_ended
[ -e "$job/streaming" ] || fail "Linux $release does not stream: $(cat "$scratch/machine.out" "$job/stream.err" 2>&1)"
stream_here boot boot
streams=$pid
stream_here raw mono_raw
for stream in "$streams" "$pid"; do
	wait "$stream" || fail "stream: $(cat "$scratch/boot.err" "$scratch/raw.err")"
done
touch "$job/enough"
wait "$machine"
expect "status in Linux $release" 0 $?
sleep 0.5
for capture in "$all" "$back"; do
	interrupt "$capture"
	expect "status of capture" 0 $?
done

# recorded FILE: prints the number of recorded events in the summary of a stream
recorded() { sed -nE 's/^events +([0-9]+) recorded,.*/\1/p' "$1"; }

# seen HOST FIELD...: prints these fields of every sched_switch of HOST
seen() {
	local host=$1 fields=() field
	shift
	for field in "$@"; do fields+=(-e "$field"); done
	tshark -r "$scratch/all.pcapng" -Y "trace.sched.sched_switch.prev_pid && frame.interface_name contains \"$host:\"" -T fields \
		-E separator=' ' "${fields[@]}" 2>/dev/null
}

# check_host HOST FILE: all events that its producer recorded are in the capture, and its ledger is closed. The previous task of each
# sched_switch is the task that was running
check_host() {
	local host=$1 n other
	n=$(recorded "$2")
	says "$scratch/all.err" "^$host:[^ ]+ +$n +$n +0  closed$" || fail "ledger of $host, which recorded $n: $(cat "$scratch/all.err")"
	[ "$(tshark -r "$scratch/all.pcapng" -Y "trace.pid && frame.interface_name contains \"$host:\"" 2>/dev/null | wc -l)" = "$n" ] ||
		fail "not all $n events of $host are in the file"
	other=$(seen "$host" trace.pid trace.sched.sched_switch.prev_pid | awk '$1 != $2 || NF != 2' | head -n 3)
	expect "switches of $host away from a task that was not running" "" "$other"
	[ "$(seen "$host" trace.pid | wc -l)" -gt 20 ] || fail "hardly a switch of $host is decoded"
}

# Input: a line for each event, with its time, late flag, stream, error bound, and the order that the plugin shows. Prints the lines that
# are not in time order, and those whose shown order does not follow from the times and error bounds.
cat >"$scratch/judge.awk" <<'END'
BEGIN { FS = "\t" }
{ time = substr($1, 4) + 0 } # a double can hold the remaining digits, down to ns
$2 ~ /^(0|False)$/ { if (time < newest) print "not late, but behind a newer one: " $0; newest = time }
stream != $3 { other_time = last_time; other_error = last_error; others = stream != ""; stream = $3 }
{
	apart = time > other_time ? time - other_time : other_time - time
	beyond = $4 == "" || other_error == "" ? -1 : apart - $4 - other_error
	order = !others ? "" : beyond > 0 ? "certain" : "uncertain"
	if ($5 != order && (beyond > 1e-6 || beyond < -1e-6)) print "should be \"" order "\", " apart " s apart: " $0
	last_time = time; last_error = $4
}
END

# errors_known HOST: prints the number of its events in $scratch/times with a known error bound
errors_known() {
	awk -F '\t' -v host="$1:" 'index($3, host) == 1 && $4 > 0' "$scratch/times" | wc -l
}

hosts='stock boot raw'
check_host stock "$job/stream.err"
for host in boot raw; do check_host $host "$scratch/$host.err"; done
tshark -r "$scratch/all.pcapng" -Y trace.event -T fields -e frame.time_epoch -e trace.frame_flags.late -e frame.interface_name \
	-e trace.time_error -e trace.order 2>/dev/null >"$scratch/times"
expect "what is wrong with the order" "" "$(awk -f "$scratch/judge.awk" "$scratch/times" | head -n 3)"
for host in $hosts; do
	[ "$(errors_known "$host")" -gt 20 ] || fail "hardly an event of $host is known to be right within some bound"
done
expect "clocks" "boot mono mono_raw" "$(tshark -r "$scratch/all.pcapng" -T fields -e frame.interface_description 2>/dev/null |
	sed -nE 's/.*; clock ([a-z_]+);.*/\1/p' | sort -u | xargs)"
expect "schemas" 2 "$(for host in $hosts; do seen $host trace.schema | sort -u; done | sort -u | wc -l)"
expect "malformed packets" 0 "$(tshark -r "$scratch/all.pcapng" -Y _ws.malformed 2>/dev/null | wc -l)"
# The producer whose clock was set back sends its clocks and counters each second, except at the end.
told=$(tshark -r "$scratch/back.pcapng" -Y 'trace.stats.recorded && trace.clock.trace' 2>/dev/null | wc -l)
[ "$told" -ge 4 ] || fail "a stream whose clock was set back told its counters $told times in five seconds"
exit $failed
