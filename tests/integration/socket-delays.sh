#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Delays that are known show in the right stage of the table of sockets: a queueing discipline, a slow tc program, 25,000 rules of nft
# and of both kinds of iptables, a program that accepts each packet after 20 ms (NFQUEUE), a stopped reader (socket-delays.py).
# Usage: socket-delays.sh TRACEWIRE SPIN.bpf.o [long]; long: all delays, otherwise two
tracewire=$1 spin=$2
here=$(realpath "$(dirname "$0")")
for part in namespace check processes network tracing; do
	# shellcheck source=/dev/null
	. "$here/../shell/$part.sh" || exit 1
done
need bpftool tc python3 chrt
cases=(tbf stopped_reader)
if [ "${3-}" = long ]; then
	need nft iptables-legacy iptables-nft
	cases+=(htb program_out program_in rules_out rules_in)
	cases+=(iptables-legacy_OUTPUT iptables-legacy_INPUT iptables-nft_OUTPUT iptables-nft_INPUT queue_OUTPUT queue_INPUT)
fi
need_tracefs
need_socket_stamps
cd "$scratch" || exit 1
start_near_and_far

# With a real-time priority, the programs do not wait for other tasks.
"$tracewire" record -q -e sockts,sched:sched_waking,sched:sched_switch -w delays.pcapng \
	-f "netns_cookie in {$(netns_cookie), $(netns_cookie in_far)}" -- \
	chrt -f 1 python3 "$here/socket-delays.py" requests "/proc/$far/ns/net" "$spin" result "${cases[@]}" 2>err || fail "record: $(cat err)"
"$tracewire" sockets -q --json delays.pcapng >table 2>err || fail "sockets: $(cat err)"
"$tracewire" report -q --json delays.pcapng >report 2>err || fail "report: $(cat err)"
python3 "$here/socket-delays.py" check result report table >checked 2>&1
expect "delays" right "$(tail -n 1 checked)"
[ $failed = 0 ] || cat checked
exit $failed
