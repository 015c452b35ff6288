#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rules as keys of u32: matching frames, other frames, and rules that are refused. This kernel may lack tc's actions for drop and mark: then
# an error says so. tests/vm tests the actions on stock kernels.
# Usage: u32.sh TRACEWIRE SENDER CAPTURE
. "$(dirname "$0")/common.sh"

attach u32 --hook u32 'event == sched_switch && cpu == 0' --action redirect:w0 'event == sched_switch' --action pass \
	'event == sched_wakeup' --action redirect:w0
comes_to "hook" "u32 software" 'c["hook"] + " " + c["mode"]'
before=$(received w1)
matching=$("$tracewire" report -q -f 'event == sched_switch and cpu == 0' "$capture" | grep -c ' sched_switch: ')
send_watched redirected w1 $((matching + wakeups + control))
first=$(counted 'c["rules"][0]["frames"]')
comes_to "the third rule" $wakeups 'c["rules"][2]["frames"]'
comes_to "control frames go both ways" $control 'c["control"]["frames"]'
comes_to "a frame is an event" "True" 'all(r["events"] == r["frames"] for r in c["rules"])'
comes_to "control frames have none" "None" 'c["control"]["events"]'
expect "redirected" $((first + wakeups + control)) $(($(received w1) - before))
"$tracewire" report "$scratch/redirected.pcap" >"$scratch/report" 2>&1
expect "decoded at the other interface" "$first $wakeups" "$(grep -c ' sched_switch: ' "$scratch/report") $(grep -c ' sched_wakeup: ' "$scratch/report")"
[ "$first" -gt 0 ] && [ "$first" -lt $switches ] || fail "the first rule matches $first of $switches"

# Another schema: the filters are replaced, and the counts are kept.
introduce deadbeef
wait_for says "$scratch/u32.err" '^the rules are now for schema 00000000deadbeef'
comes_to "the counters go on" $wakeups 'c["rules"][2]["frames"]'
send deadbeef
comes_to "after the exchange" $((2 * wakeups)) 'c["rules"][2]["frames"]'
send cafe 1111111111111111 # another stream, while the first one lives
comes_to "another schema matches nothing" $((2 * wakeups)) 'c["rules"][2]["frames"]'
expect "sets of filters" 1 "$(tc filter show dev v1 ingress | grep -c 'u32 chain 0 $')"
finish "$pid"
nothing_left v1

# Control frames go to each interface that a rule names.
add_wire x
attach two --hook u32 'event == sched_switch' --action redirect:w0 'event == sched_wakeup' --action redirect:x0
before=$(received w1) before_x=$(received x1)
send
has_received() { # INTERFACE N
	[ "$(received "$1")" -ge "$2" ]
}
wait_for has_received w1 $((before + switches + control))
wait_for has_received x1 $((before_x + wakeups + control))
expect "frames at the first interface" $((switches + control)) $(($(received w1) - before))
expect "frames at the second interface" $((wakeups + control)) $(($(received x1) - before_x))
finish "$pid"
ip link del x0

# A killed process, then a permanent classifier.
attach killed --hook u32 'event == sched_switch' --action redirect:w0
kill_at_once "$pid"
wait_for has_nothing_left v1
"$tracewire" filter attach -i v1 --hook u32 --persist --from "$capture" 'event == sched_switch' --action redirect:w0 \
	--default redirect:w0 2>/dev/null || fail "--persist"
send
comes_to "lasting" $switches 'c["rules"][0]["frames"]'
comes_to "all other events" "True" 'c["default"]["events"] == c["default"]["frames"] > 0'
"$tracewire" filter detach -i v1 2>/dev/null || fail "detach"
nothing_left v1

refuse() { # STATUS PATTERN WORD...
	refused "$1" "$2" --hook u32 --from "$capture" "${@:3}"
	nothing_left v1
}
refuse 1 'column [0-9]+' 'prev_comm contains "a"' --action pass
refuse 2 'u32 filters can match frames only in Ethernet packets' --udp-port 18101 'cpu == 0' --action pass
refuse 1 'does not offload u32 filters|not_in_hw' --offload 'cpu == 0' --action pass

# Another owner's filter with the same priority is not replaced.
tc qdisc add dev v1 clsact
tc filter add dev v1 ingress prio 21593 protocol 0x88b5 u32 match u32 0 0 at 0 flowid 1:1
refused 1 'v1 has tc filters of another owner with priority 21593 already' --hook u32 --from "$capture" 'cpu == 0' \
	--action pass
expect "somebody else's filter" 1 "$(tc filter show dev v1 ingress | grep -c 'pref 21593 .*flowid 1:1')"
tc qdisc del dev v1 clsact

# drop and mark need actions that this kernel may not have.
for action in drop:gact mark:7:skbedit; do
	name=${action##*:}
	action=${action%:*}
	timeout 100 "$tracewire" filter attach -i v1 --hook u32 --persist --from "$capture" 'event == sched_switch' --action "$action" \
		2>"$scratch/action.err"
	case $? in
	0) "$tracewire" filter detach -i v1 2>/dev/null || fail "detach" ;;
	*) says "$scratch/action.err" "this kernel has no tc action $name \(module act_$name\)" || fail "$action: $(cat "$scratch/action.err")" ;;
	esac
	nothing_left v1
done
exit $failed
