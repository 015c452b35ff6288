#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `doctor` says about socket events: each event has its stages, a tracepoint that it names exists, and what the kernel lacks is said.
# Usage: doctor-sockets.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

need python3 bpftool
bpftool btf dump file /sys/kernel/btf/vmlinux >"$scratch/btf" 2>/dev/null || skip "this kernel has no type information"
"$tracewire" list sockts >"$scratch/list" 2>/dev/null || skip "events cannot be listed"

# stages: prints what doctor says about socket events, a line for each stage: STATUS TEXT
stages() {
	"$tracewire" doctor --json >"$scratch/json"
	python3 - "$scratch/json" <<-'PYTHON'
		import json, sys
		for c in json.load(open(sys.argv[1]))["checks"]:
		    if c["check"] == "socket events":
		        assert (c["status"] == "ok") == (c["fix"] == "") and not c["needed"], c
		        print(c["status"], c["text"])
	PYTHON
}

stages >"$scratch/stages"
while read -r event; do
	grep -q "[ ]${event}[ ,].*stage " "$scratch/stages" || fail "there is no stage of $event: $(cat "$scratch/stages")"
done <"$scratch/list"
expect "stages that are there twice" "" "$(sed -E 's/^[a-z]+ (.*stage [a-z0-9_]+: ).*/\1/' "$scratch/stages" | sort | uniq -d)"
while read -r status tracepoint; do
	grep -q "'btf_trace_$tracepoint'" "$scratch/btf" && exists=ok || exists=limited
	expect "tracepoint $tracepoint" $exists "$status"
done < <(sed -nE 's/^([a-z]+) .*(: |no )tracepoint ([a-z0-9_]+)$/\1 \3/p' "$scratch/stages")
[ "$(grep -c 'tracepoint' "$scratch/stages")" -ge 4 ] || fail "few tracepoints: $(cat "$scratch/stages")"

# Without cgroup2, the stages at the root cgroup are missing, and those that need them, and no others. Kernels that permit programs at
# functions have other hooks then.
if grep -q 'no BPF programs at function' "$scratch/stages" && grep -q ' cgroup2 ' /proc/mounts && grep -q '^ok .*root cgroup$' "$scratch/stages"; then
	awk '$3 == "cgroup2" { print $2 }' /proc/mounts | tac | xargs -n 1 umount -l
	stages >"$scratch/without"
	needing='stage (tcp|tcp_entry|tcp_existing|udp_socket|udp_sendmsg|udp_sched|udp_sent|l4|wait_[a-z]+): '
	expect "stages without cgroup2" "$(grep -cE "^ok .*, $needing" "$scratch/stages")" \
		"$(grep -cE "^limited .*, ${needing}none: cgroup2 is not mounted\$" "$scratch/without")"
	expect "other stages" "$(grep -vE "$needing" "$scratch/stages")" "$(grep -vE "$needing" "$scratch/without")"
	run 1 "$tracewire" record -e sockts:egress_ts -w "$scratch/x.pcapng" -- true
	says "$scratch/err" 'cannot record sockts:egress_ts of TCP: (cgroup2 is not mounted: mount it|this kernel has no)' || fail "$(cat "$scratch/err")"
	run 0 "$tracewire" record -e sockts -w "$scratch/x.pcapng" -- true
	expect "sentences about stages without cgroup2" "sockts:ingress_ts has no stage l4: cgroup2 is not mounted: mount it" \
		"$(grep 'has no stage' "$scratch/err")"
fi
mount --bind /dev/null /sys/kernel/btf/vmlinux
stages | grep -q '^limited this kernel has no type information' || fail "without type information: $(stages)"
exit $failed
