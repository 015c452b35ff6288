#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the virtual machine: classifiers at each hook, with features that the host's kernel may lack: libxdp's dispatcher, tc's actions,
# and, if its module is in /job, a simulated network card that supports offload.
# Usage: classifiers-guest.sh TRACEWIRE SENDER CAPTURE FOREIGN ATTACH_FOREIGN
for part in check processes network; do
	# shellcheck source=/dev/null
	. "/job/shell/$part.sh"
done
tracewire=$1
sender=$2
capture=$3
foreign=$4
attach_foreign=$5
switches=215 # number of sched_switch events in the capture
wakeups=111  # number of sched_wakeup events in the capture

# attach STATUS WORD...: attaches a permanent classifier, for the schema of the capture
attach() {
	run "$1" "$tracewire" filter attach --persist --from "$capture" "${@:2}"
}

# hold INTERFACE OPTION...: attaches a classifier that a process holds, and waits until it is attached
hold() {
	local interface=$1
	shift
	in_background held "$tracewire" filter attach -i "$interface" --from "$capture" "$@"
	wait_for says "$scratch/held.err" "^attached to $interface: "
}

tells() { # PATTERN
	says "$scratch/err" "$1" || fail "expected '$1': $(cat "$scratch/err")"
}

send() {
	"$sender" v0 "$capture" >/dev/null || fail "cannot send"
}

counted() { # EXPRESSION: prints a Python expression of the output of `filter show`; c is the only classifier
	"$tracewire" filter show --json >"$scratch/show.json" 2>"$scratch/show.err" || fail "show: $(cat "$scratch/show.err")"
	python3 -c "import json, sys; c = json.load(open(sys.argv[1]))[0]; print($1)" "$scratch/show.json"
}

# comes_to WHAT WANTED EXPRESSION: waits until EXPRESSION is WANTED, that is, until all frames have arrived
comes_to() {
	for _ in $(seq 30); do
		[ "$(counted "$3")" = "$2" ] && return
		sleep 0.3
	done
	expect "$1" "$2" "$(counted "$3")"
}

detach() { # INTERFACE: detaches the classifier, and checks that nothing is left
	"$tracewire" filter detach -i "$1" 2>"$scratch/detach" || fail "detach: $(cat "$scratch/detach")"
	nothing_left "$1"
}

nothing_left() { # INTERFACE
	expect "program left on $1" "" "$(ip -d link show "$1" | grep -o 'prog/xdp.*')"
	expect "qdisc left on $1" "" "$(tc qdisc show dev "$1" | grep -E 'clsact|ingress')"
	expect "files left" "" "$(ls /run/tracewire 2>/dev/null)"
}

has_nothing_left() { # INTERFACE
	! ip -d link show "$1" | grep -q prog/xdp && ! tc qdisc show dev "$1" | grep -qE 'clsact|ingress' &&
		[ -z "$(ls /run/tracewire 2>/dev/null)" ]
}

# arrives_on_w1 WANTED WHAT: sends the capture, and checks that WANTED frames arrive on w1
arrives_on_w1() {
	local before
	before=$(received w1)
	have_come() { [ $(($(received w1) - before)) -ge "$1" ]; }
	send
	wait_for have_come "$1"
	sleep 1 # unexpected frames would arrive, too
	expect "$2" "$1" $(($(received w1) - before))
}

for wire in v w; do
	ip link add ${wire}0 type veth peer name ${wire}1
	for end in 0 1; do
		echo 1 >/proc/sys/net/ipv6/conf/$wire$end/disable_ipv6 2>/dev/null
		ip link set $wire$end mtu 9216 up
	done
	wait_for is_up ${wire}0
	wait_for is_up ${wire}1
done
mount -t bpf bpf /sys/fs/bpf 2>/dev/null

# XDP, attached by libxdp, whose dispatcher works on these kernels.
attach 0 -i v1 'event == sched_switch' --action drop
tells "^attached to v1: native XDP, in libxdp's dispatcher"
send
comes_to "XDP" "native True $switches" 'c["mode"] + " " + str(c["dispatcher"]) + " " + str(c["rules"][0]["events"])'
detach v1

# libxdp has attached another owner's program, which does not support fragments: both programs run, and the other one stays.
for end in v0 v1; do ip link set $end mtu 1500; done
"$attach_foreign" v1 "$foreign" 2>"$scratch/foreign" || fail "somebody else's program: $(cat "$scratch/foreign")"
attach 0 -i v1 'event == sched_switch' --action drop
tells "^attached to v1: native XDP, in libxdp's dispatcher"
"$tracewire" filter detach -i v1 2>"$scratch/detach" || fail "detach: $(cat "$scratch/detach")"
expect "somebody else's program" 1 "$(bpftool net show dev v1 | grep -c '^v1(.*driver')"
[ "$(bpftool prog show | grep -c 'name stranger')" = 1 ] || fail "somebody else's program has gone: $(bpftool prog show)"
expect "ours" 0 "$(bpftool prog show | grep -c 'name tw_classify')"
ip link set v1 xdp off
for end in v0 v1; do ip link set $end mtu 9216; done

# XDP, attached by a link.
hold v1 'event == sched_switch' --action drop
says "$scratch/held.err" '^attached to v1: native XDP' || fail "held: $(cat "$scratch/held.err")"
send
comes_to "XDP by a link" "native False $switches" 'c["mode"] + " " + str(c["dispatcher"]) + " " + str(c["rules"][0]["events"])'
kill_at_once "$pid"
wait_for has_nothing_left v1

# tc
attach 0 -i v1 --hook tc 'event == sched_switch' --action redirect:w0 'event == sched_wakeup' --action mark:7
arrives_on_w1 $((switches + 3)) "redirected in tc, with control frames"
comes_to "tc" "$switches $wakeups" 'str(c["rules"][0]["events"]) + " " + str(c["rules"][1]["events"])'
detach v1

# u32, with each action.
attach 0 -i v1 --hook u32 'event == sched_switch' --action drop 'event == sched_wakeup' --action pass
send
comes_to "u32 drop" "$switches $wakeups" 'str(c["rules"][0]["frames"]) + " " + str(c["rules"][1]["frames"])'
expect "not_in_hw" software "$(counted 'c["mode"]')"
detach v1
attach 0 -i v1 --hook u32 'event == sched_switch' --action redirect:w0 'event == sched_wakeup' --action mark:7
arrives_on_w1 $((switches + 3)) "redirected by u32, with control frames"
comes_to "u32 redirect" "$switches $wakeups" 'str(c["rules"][0]["frames"]) + " " + str(c["rules"][1]["frames"])'
detach v1

# Offload to hardware.
attach 1 -i v1 --offload 'cpu == 0' --action drop
tells 'does not offload BPF'
if [ -e /job/netdevsim.ko ]; then
	modprobe psample
	insmod /job/netdevsim.ko || fail "netdevsim cannot be loaded"
	echo "1 1" >/sys/bus/netdevsim/new_device
	sleep 1
	card=$(ls /sys/bus/netdevsim/devices/netdevsim1/net)
	ip link set "$card" up
	ethtool -K "$card" hw-tc-offload on 2>/dev/null

	attach 0 -i "$card" --offload 'cpu == 0' --action drop 'cpu == 1' --action pass
	tells "^attached to $card: in_hw"
	expect "XDP offloaded" "hardware True" "$(counted 'c["mode"] + " " + str(c["in_hw"])')"
	ip -d link show "$card" | grep -q xdpoffload || fail "the kernel says no xdpoffload: $(ip -d link show "$card")"
	attach 1 -i "$card" --offload 'cpu == 0' --action drop
	tells 'has a classifier in xdp already'
	detach "$card"

	attach 0 -i "$card" --offload --hook tc 'cpu == 0' --action drop
	tells "^attached to $card: tc, in_hw"
	tc filter show dev "$card" ingress | grep -q 'skip_sw in_hw' || fail "tc does not say in_hw: $(tc filter show dev "$card" ingress)"
	expect "tc offloaded" "hardware True" "$(counted 'c["mode"] + " " + str(c["in_hw"])')"
	detach "$card"

	# The card accepts u32 filters, but they have no effect, and the kernel reports this (not_in_hw).
	attach 1 -i "$card" --offload --hook u32 'cpu == 0' --action drop
	tells 'not_in_hw for [0-9]+ of [0-9]+, so all were removed'
	nothing_left "$card"

	# If a card cannot offload a program, the command fails, and does not run the program in software.
	ethtool -K "$card" hw-tc-offload off 2>/dev/null && {
		attach 1 -i "$card" --offload --hook tc 'cpu == 0' --action drop
		tells "does not offload the program"
		nothing_left "$card"
	}

	# If a process that holds an offloaded classifier is killed, nothing is left in the card.
	hold "$card" --offload 'cpu == 0' --action drop
	says "$scratch/held.err" "^attached to $card: in_hw" || fail "held in hardware: $(cat "$scratch/held.err")"
	kill_at_once "$pid"
	wait_for has_nothing_left "$card"
fi
exit $failed
