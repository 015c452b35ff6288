#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Lifetime of classifiers: one that a process holds ends with this process, however the process ends. A permanent one stays until it is
# removed. Objects of other owners are not touched.
# Usage: life.sh TRACEWIRE SENDER CAPTURE FOREIGN. FOREIGN is an object file with an XDP program.
foreign=$4
. "$(dirname "$0")/common.sh"

guards() { # PROCESS: prints its cleanup helpers
	pgrep -P "$1" -x tracewire-guard
}

# kill_both PROCESS: kills PROCESS and its cleanup helper, which also holds the lock of the state file until it has ended
kill_both() {
	local guard
	guard=$(guards "$1")
	kill -KILL "$guard" "$1"
	wait "$1" 2>/dev/null
	wait_for has_ended "$guard"
}

refused_second() { # PATTERN WORD...: attaching with these words, beside the attached classifier, fails with PATTERN
	refused 1 "$1" --from "$capture" 'cpu == 0' --action drop "${@:2}"
}

for hook in xdp tc; do
	# The process is killed: its cleanup helper leaves nothing.
	attach killed --hook $hook 'event == sched_switch' --action drop
	guard=$(guards "$pid")
	[ -n "$guard" ] || fail "$hook: nobody guards it"
	refused_second "v1 has a classifier in $hook already, held by process $pid" --hook $hook
	comes_to "still there" "$pid" 'c["pid"]'
	kill_at_once "$pid"
	wait_for has_ended "$guard"
	wait_for has_nothing_left v1

	# The cleanup helper is stopped.
	attach stopped --hook $hook 'event == sched_switch' --action drop
	kill -STOP "$(guards "$pid")"
	finish "$pid"
	nothing_left v1

	# The process is killed while it waits for a schema.
	in_background waiting "$tracewire" filter attach -i v1 --hook $hook 'event == sched_switch' --action drop
	wait_for says "$scratch/waiting.err" '^waiting on v1'
	comes_to "no schema yet" None 'c["schema"]'
	kill_at_once "$pid"
	wait_for has_nothing_left v1

	# The process is killed together with its cleanup helper: the kernel removes the XDP link, but the tc filter stays until a cleanup.
	attach both --hook $hook 'event == sched_switch' --action drop
	kill_both "$pid"
	expect "$hook: a program left" "" "$(ip -d link show v1 | grep prog/xdp)"
	says <("$tracewire" filter show) "^v1: $hook, .*, left behind by process $pid" || fail "show takes it for alive: $("$tracewire" filter show)"
	"$tracewire" cleanup --dry-run >"$scratch/cleanup" 2>&1
	says "$scratch/cleanup" "^would remove classifier $hook of v1" || fail "cleanup does not see it: $(cat "$scratch/cleanup")"
	"$tracewire" cleanup >"$scratch/cleanup" 2>&1
	says "$scratch/cleanup" "^removed classifier $hook of v1" || fail "cleanup says: $(cat "$scratch/cleanup")"
	nothing_left v1

	# The next run cleans up at its start.
	attach both --hook $hook 'event == sched_switch' --action drop
	kill_both "$pid"
	attach next --hook $hook 'event == sched_wakeup' --action drop
	says "$scratch/next.err" "^removed classifier $hook of v1 of a killed run" ||
		fail "the next run does not clean up: $(cat "$scratch/next.err")"

	# Another process detaches the classifier.
	"$tracewire" filter detach -i v1 2>"$scratch/detach.err" || fail "detach: $(cat "$scratch/detach.err")"
	wait "$pid" || fail "a detached one does not end with 0"
	says "$scratch/next.out" 'event == sched_wakeup -> drop' || fail "no counters when it is detached: $(cat "$scratch/next.out")"
	nothing_left v1

	# A permanent classifier: its process has ended, and its counters continue. A second classifier is refused.
	"$tracewire" filter attach -i v1 --hook $hook --persist --from "$capture" 'event == sched_switch' --action drop 2>"$scratch/persist.err" ||
		fail "$hook --persist: $(cat "$scratch/persist.err")"
	says "$scratch/persist.err" '^attached to v1: .*it stays until' || fail "no word that it stays: $(cat "$scratch/persist.err")"
	comes_to "nobody holds it" "0 True" 'str(c["pid"]) + " " + str(c["persist"])'
	send
	comes_to "$hook: lasting" "$switches" 'c["rules"][0]["events"]'
	refused_second "v1 has a permanent classifier in $hook already" --hook $hook
	refused_second "v1 has a permanent classifier in $hook already" --hook $hook --persist
	"$tracewire" cleanup >"$scratch/cleanup" 2>&1
	comes_to "a cleanup leaves it" "$switches" 'c["rules"][0]["events"]'
	"$tracewire" filter detach -i v1 --hook $hook 2>/dev/null || fail "$hook: detach"
	nothing_left v1
	"$tracewire" filter detach -i v1 2>"$scratch/detach.err" && fail "nothing to detach is no failure"
	says "$scratch/detach.err" 'v1 has no classifier of Tracewire' || fail "detach says: $(cat "$scratch/detach.err")"
done

# Another program removes the classifier: its process reports it, and removes the state file.
attach robbed --hook tc 'event == sched_switch' --action drop
send
tc qdisc del dev v1 clsact
wait_for has_ended "$pid"
says "$scratch/robbed.err" 'another process removed the classifier' || fail "who loses its filter says: $(cat "$scratch/robbed.err")"
says "$scratch/robbed.out" "^ +$switches +$switches  event == sched_switch -> drop" ||
	fail "what it had counted by then: $(cat "$scratch/robbed.out")"
nothing_left v1

# Another program removes a permanent classifier: its counters are gone, and are not reported as 0.
"$tracewire" filter attach -i v1 --persist --from "$capture" 'cpu == 0' --action drop 2>/dev/null || fail "attach to stay"
ip link set dev v1 xdp off
comes_to "without its program" "none None None" 'c["mode"], c["rules"][0]["events"], c["dropped"]["frames"]'
"$tracewire" filter detach -i v1 2>/dev/null || fail "detach what somebody else took away"
nothing_left v1

# A permanent classifier has no schema yet: a process holds it. `filter detach` ends this process.
in_background lasting "$tracewire" filter attach -i v1 --hook tc --persist 'cpu == 0' --action drop
wait_for says "$scratch/lasting.err" '^waiting on v1'
refused_second "v1 has a classifier in tc already, held by process $pid" --hook tc
"$tracewire" filter detach -i v1 2>"$scratch/detach.err" || fail "detach what waits: $(cat "$scratch/detach.err")"
wait "$pid" || fail "one that waits and is detached does not end with 0"
nothing_left v1

# Another program creates the qdisc while the classifier waits for a schema.
in_background later "$tracewire" filter attach -i v1 --hook tc 'cpu == 0' --action drop
wait_for says "$scratch/later.err" '^waiting on v1'
tc qdisc add dev v1 clsact
introduce
wait_for says "$scratch/later.err" '^attached to v1'
finish "$pid"
expect "somebody else's qdisc" 1 "$(tc qdisc show dev v1 | grep -c clsact)"
tc qdisc del dev v1 clsact

# `filter show` opens the counters of other processes by id, which requires CAP_SYS_ADMIN. The process itself has its counters open.
in_background own setpriv --bounding-set -sys_admin "$tracewire" filter attach -i v1 --from "$capture" 'event == sched_switch' --action drop
wait_for says "$scratch/own.err" '^attached to v1'
send
setpriv --bounding-set -sys_admin "$tracewire" filter show --json >"$scratch/show.out" 2>"$scratch/show.err" &&
	fail "counters that cannot be read are shown: $(cat "$scratch/show.out")"
expect "shown of what cannot be read" "" "$(cat "$scratch/show.out")"
says "$scratch/show.err" 'cannot read the counters of xdp on v1: .*CAP_SYS_ADMIN' || fail "show says: $(cat "$scratch/show.err")"
finish "$pid"
says "$scratch/own.out" "^ +$switches +$switches  event == sched_switch -> drop" || fail "its own counters: $(cat "$scratch/own.out")"

# If the number of CPUs is unknown, `filter show` shows no counters, but an error.
"$tracewire" filter attach -i v1 --persist --from "$capture" 'cpu == 0' --action drop 2>/dev/null || fail "attach to stay"
unshare --mount sh -c 'mount -t tmpfs none /sys && exec "$@"' sh "$tracewire" filter show >"$scratch/show.out" 2>"$scratch/show.err"
expect "status without /sys" 1 $?
says "$scratch/show.err" 'cannot read the number of CPUs' || fail "show without /sys says: $(cat "$scratch/show.err")"
"$tracewire" filter detach -i v1 2>/dev/null || fail "detach"

# Classifiers at both hooks at once. The qdisc is removed with the last classifier, but not while another owner has a filter on it.
attach one 'event == sched_switch' --action pass
one=$pid
attach two --hook tc 'event == sched_switch' --action drop
two=$pid
comes_to "two at once" 2 'len(json.load(open(sys.argv[1])))'
tc filter add dev v1 egress prio 7 protocol all bpf bytecode '1,6 0 0 0'
finish "$two"
expect "somebody else's filter" 1 "$(tc filter show dev v1 egress | grep -c 'pref 7 bpf.*handle')"
tc qdisc del dev v1 clsact
finish "$one"
nothing_left v1

# Another owner's XDP program is neither replaced nor removed.
for end in v0 v1; do ip link set $end mtu 1500; done # the program does not support fragments
if ip link set dev v1 xdp obj "$foreign" sec xdp 2>"$scratch/ip.err"; then
	id=$(ip -d link show v1 | sed -nE 's/.*prog\/xdp id ([0-9]+).*/\1/p')
	refused_second 'v1 has an XDP program of another owner already'
	refused_second 'v1 has an XDP program of another owner already' --persist
	expect "files left" "" "$(ls /run/tracewire 2>/dev/null | grep ^classifier-)"
	expect "somebody else's program" "$id" "$(ip -d link show v1 | sed -nE 's/.*prog\/xdp id ([0-9]+).*/\1/p')"
	ip link set dev v1 xdp off
else
	fail "cannot attach somebody else's program: $(cat "$scratch/ip.err")"
fi

# The interface of a permanent classifier is removed: `filter show` shows nothing.
ip link add x0 type veth peer name x1
ip link set x0 up
ip link set x1 up
"$tracewire" filter attach -i x1 --persist --from "$capture" 'cpu == 0' --action drop 2>/dev/null || fail "attach to x1"
ip link del x1
"$tracewire" filter show --json >"$scratch/show.json"
expect "shown of an interface that has gone" "[]" "$(tr -d '\n' <"$scratch/show.json")"
"$tracewire" cleanup >"$scratch/cleanup" 2>&1
expect "files of an interface that has gone" "" "$(ls /run/tracewire 2>/dev/null | grep ^classifier-)"

# An interface with the same index and another owner's qdisc is created: the next run removes only the objects in the old state file.
for hook in tc u32; do
	ip link add x0 type veth peer name x1 index 777
	ip link set x0 up
	ip link set x1 up
	"$tracewire" filter attach -i x1 --hook $hook --persist --from "$capture" 'event == sched_switch' --action pass 2>/dev/null ||
		fail "$hook: attach to x1"
	ip link del x1
	ip link add x0 type veth peer name x1 index 777
	tc qdisc add dev x1 clsact
	"$tracewire" cleanup >"$scratch/cleanup" 2>&1
	says "$scratch/cleanup" "^removed state file of classifier $hook of x1" || fail "cleanup says: $(cat "$scratch/cleanup")"
	expect "$hook: qdisc of somebody else's" 1 "$(tc qdisc show dev x1 | grep -c clsact)"
	ip link del x1
done
exit $failed
