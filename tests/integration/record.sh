#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `record` writes one event per packet, in time order, with names. The packet time equals the event time, and there are as many events as
# the kernel says were read.
# Usage: record.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/common.sh"
file=$scratch/x.pcapng

# The traced command causes events of all selected systems. Then it stops the tracing, so that the kernel's counters are final before the
# instance is removed, and stores the counters.
ip link set lo up
cat >"$scratch/command" <<END
#!/bin/bash
for _ in \$(seq 10); do echo >/dev/udp/127.0.0.1/9; sleep 0.01; done
"$load" 0.1 1000 >/dev/null
tracing=$tracing
. "$(dirname "$0")/freeze.sh"
freeze "\$(instance_of \$PPID)" >"$scratch/kernel"
exit 9
END
chmod +x "$scratch/command"
"$tracewire" record -v -e 'sched,irq,net' -w "$file" -- "$scratch/command" 2>"$scratch/err"
expect "exit status of the command" 9 $?
eval "$(summary "$scratch/err")"
eval "$(cat "$scratch/kernel")"
[ "$kernel_read" -gt 500 ] || fail "the kernel says that $kernel_read events were read"
expect "events that the kernel lost" 0 "$kernel_lost"
tshark -r "$file" -c 1 -T fields -e _ws.col.Info >"$scratch/first" 2>/dev/null
says "$scratch/first" '^Metadata: host .*, clock [0-9.]+, [0-9]+ formats of [a-z]+, [a-z]+ and [a-z]+, [0-9]+ task names$' ||
	fail "Info of the first packet: $(cat "$scratch/first")"
expect "summary: recorded, read, sent, in the file" "$kernel_read $kernel_read $kernel_read $kernel_read" "$recorded $read $sent $in_file"

# The file has the right times, order, names and statistics.
events "$file" frame.time_epoch trace.time trace.events trace.event trace.comm >"$scratch/events"
expect "events in tshark" "$kernel_read" "$(wc -l <"$scratch/events")"
expect "events of one packet" 1 "$(cut -f3 "$scratch/events" | sort -u)"
same_clock <"$scratch/events" >"$scratch/bad" || fail "$(cat "$scratch/bad")"
for event in sched_switch softirq_entry net_dev_queue netif_receive_skb; do
	cut -f4 "$scratch/events" | grep -qx "$event" || fail "no $event is in the file"
done
cut -f5 "$scratch/events" | grep -qF '<...>' && fail "events of unnamed tasks: $(cut -f5 "$scratch/events" | grep -cF '<...>')"
expect "unnamed in the summary" "" "${unnamed-}"
capinfos -M "$file" >"$scratch/info" || fail "capinfos refuses the file"
for line in 'Strict time order: *True' 'File timestamp precision: *nanoseconds' " Name = $(uname -n):tracewire-[0-9]+" \
	'Description = .*sched,irq,net; clock mono; kernel' 'Number of stat entries = 1'; do
	says "$scratch/info" "$line" || fail "capinfos does not say '$line': $(cat "$scratch/info")"
done
statistics "$file" >"$scratch/statistics"
expect "interface statistics: received, dropped, dropped by the system, delivered" "$kernel_read 0 0 $kernel_read" \
	"$(cat "$scratch/statistics")"

# Other tools read the file.
editcap -r "$file" "$scratch/part.pcapng" 1-100 || fail "editcap refuses the file"
expect "packets that editcap kept" 100 "$(tshark -r "$scratch/part.pcapng" 2>/dev/null | wc -l)"
mergecap -w "$scratch/both.pcapng" "$file" "$scratch/part.pcapng" || fail "mergecap refuses the file"
capinfos -Mo "$scratch/both.pcapng" | grep -q 'Strict time order: *True' || fail "mergecap cannot bring files in order"

# record writes to a pipe. Only events of the command are traced, because tshark could not read all events of a busy machine in time, and
# then the run would shed some.
"$tracewire" record -v -F -e 'sched,irq,net' -w - -- "$scratch/command" 2>"$scratch/err" |
	tshark -r - -Y trace.event -T fields -e trace.event 2>"$scratch/tshark.err" >"$scratch/piped"
eval "$(summary "$scratch/err")"
[ "$recorded" -gt 50 ] || fail "only $recorded events went into the pipe"
expect "events through a pipe" "$recorded" "$(wc -l <"$scratch/piped")"
exit $failed
