#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rules at each hook, on real frames: no capture sees dropped frames, a later filter sees a mark, and redirected frames can be decoded where
# they arrive. Counters show the drops, marks and redirections.
# Usage: hooks.sh TRACEWIRE SENDER CAPTURE
. "$(dirname "$0")/common.sh"

# XDP, which runs before captures.
attach drop 'event == sched_switch' --action drop
send_watched seen v1 $((events - switches + control)) ether proto 0x88b5
expect "events that a capture sees behind XDP" $((events - switches)) "$("$tracewire" report -v "$scratch/seen.pcap" 2>&1 |
	sed -nE 's/^events +([0-9]+) printed.*/\1/p')"
comes_to "mode" native 'c["mode"]'
comes_to "hook" xdp 'c["hook"]'
expect "rule" "$switches $switches" "$(counted 'c["rules"][0]["frames"], c["rules"][0]["events"]' | tr -d '(),')"
comes_to "default" "$((events - switches))" 'c["default"]["events"]'
comes_to "control" $control 'c["control"]["frames"]'
comes_to "dropped" $switches 'c["dropped"]["events"]'
comes_to "sum of the streams' rows" $switches 'sum(s["rules"][0]["events"] for s in c["streams"])'
finish "$pid"
says "$scratch/drop.out" "^ +$switches +$switches  event == sched_switch -> drop" || fail "no counters: $(cat "$scratch/drop.out")"
nothing_left v1

# The first rule that matches an event decides. Events that no rule matches are dropped (--default drop).
attach order 'event == sched_switch && cpu == 0' --action pass 'event == sched_switch' --action drop \
	'event == sched_wakeup' --action pass --default drop
send
comes_to "the first rule takes from the second" $switches 'c["rules"][0]["events"] + c["rules"][1]["events"]'
comes_to "both match something" True 'c["rules"][0]["events"] > 0 and c["rules"][1]["events"] > 0'
comes_to "the third" $wakeups 'c["rules"][2]["events"]'
comes_to "the default" $((events - switches - wakeups)) 'c["default"]["events"]'
comes_to "dropped" True 'c["dropped"]["events"] == c["rules"][1]["events"] + c["default"]["events"]'
finish "$pid"

# In tc, a later filter sees a mark: here, another owner's filter on another owner's qdisc.
tc qdisc add dev v1 clsact
tc filter add dev v1 ingress prio 30000 protocol all bpf bytecode '4,32 0 0 4294963220,21 0 1 7,6 0 0 4294967295,6 0 0 0' \
	action mirred egress mirror dev w0
attach mark 'event == sched_wakeup' --action mark:7
before=$(received w1)
send
comes_to "hook" tc 'c["hook"]'
comes_to "rule" $wakeups 'c["rules"][0]["frames"]'
expect "marked frames that the next filter sees" $wakeups $(($(received w1) - before))
finish "$pid"
expect "somebody else's filter" 1 "$(tc filter show dev v1 ingress | grep -c 'pref 30000 bpf.*handle')"
expect "our filter" 0 "$(tc filter show dev v1 ingress | grep -c tw_classify)"
tc qdisc del dev v1 clsact

# A redirection includes copies of control frames, so that receivers can decode the events. The control frames also arrive on v1.
attach redirect 'event == sched_switch' --action redirect:w0
before=$(received w1)
send_watched redirected w1 $((switches + control))
expect "redirected frames and control frames" $((switches + control)) $(($(received w1) - before))
"$tracewire" report "$scratch/redirected.pcap" >"$scratch/report" 2>&1
expect "decoded at the other interface" $switches "$(grep -c ' sched_switch: ' "$scratch/report")"
finish "$pid"
nothing_left v1

# XDP redirects only events, and reports that control frames stay. It refuses an interface that would lose redirected frames, which kernels
# report since 6.3.
refused 1 'w0 does not send frames that XDP redirects to it' --hook xdp --from "$capture" 'event == sched_wakeup' --action redirect:w0
ethtool -K w1 gro on
in_background xdp-redirect "$tracewire" filter attach -i v1 --hook xdp --from "$capture" 'event == sched_wakeup' --action redirect:w0
wait_for says "$scratch/xdp-redirect.err" '^attached to v1: native XDP'
says "$scratch/xdp-redirect.err" '^XDP redirects only events; control frames, which are needed to decode the events, stay on v1' || fail "no note about control frames"
before=$(received w1)
send
have_come() { [ $(($(received w1) - before)) -ge "$1" ]; }
wait_for have_come $wakeups
sleep 0.3
expect "redirected by XDP" $wakeups $(($(received w1) - before))
finish "$pid"
nothing_left v1

# Invalid rules are refused with one sentence, and nothing is attached.
refuse() { # STATUS PATTERN WORD...
	refused "$@"
	nothing_left v1
}
refuse 2 'XDP cannot mark frames' --hook xdp 'cpu == 0' --action mark:1
refuse 2 'redirected to v0 would arrive on v1 again' 'cpu == 0' --action redirect:v0
refuse 2 '2 expressions and 1 actions' 'cpu == 0' --action drop 'cpu == 1'
refuse 2 "rule 2: column 1: " --from "$capture" 'cpu == 0' --action drop 'no_such_field == 1' --action drop
refuse 2 'rule 1: column ' 'cpu ==' --action drop
refuse 2 "nowhere.pcapng" --from nowhere.pcapng 'cpu == 0' --action drop
refuse 2 "no hook 'xpd'" --hook xpd 'cpu == 0' --action drop
refuse 1 "not in the frames" --from "$capture" 'comm == "bash"' --action drop
refuse 1 'does not offload BPF' --offload --from "$capture" 'cpu == 0' --action drop
refuse 1 'does not offload BPF' --offload --hook tc --from "$capture" 'cpu == 0' --action drop
exit $failed
