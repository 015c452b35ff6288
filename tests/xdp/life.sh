#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Lifetime of classifiers: held ones end with their process however that ends, permanent ones stay until they are removed, and other owners'
# objects are not touched.
# Usage: life.sh TRACEWIRE SENDER CAPTURE FOREIGN, an object with an XDP program
foreign=$4
. "$(dirname "$0")/common.sh"

guards() { # processes that guard something of PROCESS
	pgrep -P "$1" -x tracewire-guard
}

# kill_both PROCESS: and its cleanup helper, which also holds the lock of its file until it has ended
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
	# Killed: nothing stays, not even for a cleanup.
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

	# Killed while it waits for a schema.
	in_background waiting "$tracewire" filter attach -i v1 --hook $hook 'event == sched_switch' --action drop
	wait_for says "$scratch/waiting.err" '^waiting on v1'
	comes_to "no schema yet" None 'c["schema"]'
	kill_at_once "$pid"
	wait_for has_nothing_left v1

	# Killed together with its cleanup helper: XDP's link is removed with it, tc's filter waits for a cleanup.
	attach both --hook $hook 'event == sched_switch' --action drop
	kill_both "$pid"
	expect "$hook: a program left" "" "$(ip -d link show v1 | grep prog/xdp)"
	says <("$tracewire" filter show) "^v1: $hook, .*, left behind by process $pid" || fail "show takes it for alive: $("$tracewire" filter show)"
	"$tracewire" cleanup --dry-run >"$scratch/cleanup" 2>&1
	says "$scratch/cleanup" "^would remove classifier $hook of v1" || fail "cleanup does not see it: $(cat "$scratch/cleanup")"
	"$tracewire" cleanup >"$scratch/cleanup" 2>&1
	says "$scratch/cleanup" "^removed classifier $hook of v1" || fail "cleanup says: $(cat "$scratch/cleanup")"
	nothing_left v1

	# The next run cleans up by itself.
	attach both --hook $hook 'event == sched_switch' --action drop
	kill_both "$pid"
	attach next --hook $hook 'event == sched_wakeup' --action drop
	says "$scratch/next.err" "^removed classifier $hook of v1 of a killed run" ||
		fail "the next run does not clean up: $(cat "$scratch/next.err")"

	# Detached by another process.
	"$tracewire" filter detach -i v1 2>"$scratch/detach.err" || fail "detach: $(cat "$scratch/detach.err")"
	wait "$pid" || fail "a detached one does not end with 0"
	says "$scratch/next.out" 'event == sched_wakeup -> drop' || fail "no counters when it is detached: $(cat "$scratch/next.out")"
	nothing_left v1

	# Permanent: the process has ended, the counters continue; a second one is refused.
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

# Removed by another program: reported, and the file is removed.
attach robbed --hook tc 'event == sched_switch' --action drop
send
tc qdisc del dev v1 clsact
wait_for has_ended "$pid"
says "$scratch/robbed.err" 'another process removed the classifier' || fail "who loses its filter says: $(cat "$scratch/robbed.err")"
says "$scratch/robbed.out" "^ +$switches +$switches  event == sched_switch -> drop" ||
	fail "what it had counted by then: $(cat "$scratch/robbed.out")"
nothing_left v1

# The same for a permanent one: its counters are gone as well, and are not reported as 0.
"$tracewire" filter attach -i v1 --persist --from "$capture" 'cpu == 0' --action drop 2>/dev/null || fail "attach to stay"
ip link set dev v1 xdp off
comes_to "without its program" "none None None" 'c["mode"], c["rules"][0]["events"], c["dropped"]["frames"]'
"$tracewire" filter detach -i v1 2>/dev/null || fail "detach what somebody else took away"
nothing_left v1

# Permanent, but without a schema yet: a process holds it, which can be ended.
in_background lasting "$tracewire" filter attach -i v1 --hook tc --persist 'cpu == 0' --action drop
wait_for says "$scratch/lasting.err" '^waiting on v1'
refused_second "v1 has a classifier in tc already, held by process $pid" --hook tc
"$tracewire" filter detach -i v1 2>"$scratch/detach.err" || fail "detach what waits: $(cat "$scratch/detach.err")"
wait "$pid" || fail "one that waits and is detached does not end with 0"
nothing_left v1

# A qdisc that another program created while the classifier was waiting.
in_background later "$tracewire" filter attach -i v1 --hook tc 'cpu == 0' --action drop
wait_for says "$scratch/later.err" '^waiting on v1'
tc qdisc add dev v1 clsact
introduce
wait_for says "$scratch/later.err" '^attached to v1'
finish "$pid"
expect "somebody else's qdisc" 1 "$(tc qdisc show dev v1 | grep -c clsact)"
tc qdisc del dev v1 clsact

# Others' counters are opened by id, which not every root may; a run's own are already open.
in_background own setpriv --bounding-set -sys_admin "$tracewire" filter attach -i v1 --from "$capture" 'event == sched_switch' --action drop
wait_for says "$scratch/own.err" '^attached to v1'
send
setpriv --bounding-set -sys_admin "$tracewire" filter show --json >"$scratch/show.out" 2>"$scratch/show.err" &&
	fail "counters that cannot be read are shown: $(cat "$scratch/show.out")"
expect "shown of what cannot be read" "" "$(cat "$scratch/show.out")"
says "$scratch/show.err" 'cannot read the counters of xdp on v1: .*CAP_SYS_ADMIN' || fail "show says: $(cat "$scratch/show.err")"
finish "$pid"
says "$scratch/own.out" "^ +$switches +$switches  event == sched_switch -> drop" || fail "its own counters: $(cat "$scratch/own.out")"

# If the number of CPUs is unknown there are no counters, but an error.
"$tracewire" filter attach -i v1 --persist --from "$capture" 'cpu == 0' --action drop 2>/dev/null || fail "attach to stay"
unshare --mount sh -c 'mount -t tmpfs none /sys && exec "$@"' sh "$tracewire" filter show >"$scratch/show.out" 2>"$scratch/show.err"
expect "status without /sys" 1 $?
says "$scratch/show.err" 'cannot read the number of CPUs' || fail "show without /sys says: $(cat "$scratch/show.err")"
"$tracewire" filter detach -i v1 2>/dev/null || fail "detach"

# Both hooks at once; the qdisc is removed with the last classifier, and not while another owner has a filter there.
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
for end in v0 v1; do ip link set $end mtu 1500; done # it knows no fragments
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

# The interface is removed while a permanent one is on it: nothing is left to show.
ip link add x0 type veth peer name x1
ip link set x0 up
ip link set x1 up
"$tracewire" filter attach -i x1 --persist --from "$capture" 'cpu == 0' --action drop 2>/dev/null || fail "attach to x1"
ip link del x1
"$tracewire" filter show --json >"$scratch/show.json"
expect "shown of an interface that has gone" "[]" "$(tr -d '\n' <"$scratch/show.json")"
"$tracewire" cleanup >"$scratch/cleanup" 2>&1
expect "files of an interface that has gone" "" "$(ls /run/tracewire 2>/dev/null | grep ^classifier-)"

# It is created again with the same number and another owner's qdisc: the next run removes what its state file has, and nothing else.
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
