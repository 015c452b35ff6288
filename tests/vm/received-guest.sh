#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the virtual machine, whose times mean nothing: programs receive over loopback during one recording. Each message has the same
# stages, keys, order and counts on each kernel, and the time stamp that its reader gets (SO_TIMESTAMPING).
# shellcheck source=/dev/null
. /job/shell/check.sh
scratch=$(mktemp -d)
cd "$scratch" || exit 1
mount -t cgroup2 none /sys/fs/cgroup
ip link set lo up
# Each message is a segment.
echo 0 >/proc/sys/net/ipv4/tcp_autocorking

# TAI differs from CLOCK_REALTIME by a number of seconds, so that time stamps can be compared exactly.
/job/tracewire record -C tai -e sockts:ingress_ts,sched:sched_waking,sched:sched_switch -w received.pcapng -- \
	python3 /job/received-load.py flows >out 2>&1 || fail "record: $(cat out)"
says out 'cannot record|refuses' && fail "$(cat out)"
/job/tracewire report -q --json received.pcapng >received.json 2>err || fail "report: $(cat err)"
/job/tracewire doctor >stages 2>/dev/null
python3 /job/received.py received.json flows stages || fail "see above; $(grep 'sockts:ingress' stages)"

# The verifier accepts the programs with conditions, too.
for options in "--sample 4" "--cgroup /" "--netdev lo" "-F" "-f cookie==1&&sport==1&&family==2||saddrv6==::1&&any.comm==x"; do
	# shellcheck disable=SC2086 # words
	/job/tracewire record -e sockts:ingress_ts,sched:sched_waking,sched:sched_switch $options -w conditions.pcapng -- true >out 2>&1 ||
		fail "$options: $(cat out)"
	says out 'cannot record|refuses' && fail "$options: $(cat out)"
done
exit $failed
