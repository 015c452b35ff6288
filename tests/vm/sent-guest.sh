#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the virtual machine, whose times mean nothing: clients that ask the kernel for time stamps (SO_TIMESTAMPING), and some that do not,
# send over loopback during one recording. Each has the same stages, keys, order and counts as its error queue. Connections and sockets from
# before the recording are followed, too.
for part in check processes; do
	# shellcheck source=/dev/null
	. "/job/shell/$part.sh"
done
scratch=$(mktemp -d)
cd "$scratch" || exit 1
mount -t cgroup2 none /sys/fs/cgroup
mount -t bpf bpf /sys/fs/bpf
ip link set lo up

cat >receive.py <<'PYTHON'
import socket
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("::", 7777))
print("ready", flush=True)
while True:
    s.recv(65536)
PYTHON
in_background sink /job/stamps sink 7777
wait_for says sink.out ready
in_background receiver python3 receive.py
wait_for says receiver.out ready

# Each line: address, mode of the client, number of messages, their size. Lost segments are sent again.
cat >clients <<'END'
127.0.0.1 plain 3 100
::1 id 4 100
127.0.0.1 tcp 4 100
127.0.0.1 more 6 100
::1 third 6 100
127.0.0.1 stats 4 100
127.0.0.1 lost 10 1000
127.0.0.1 udp 3 100
::1 udp 3 100
::1 udp-plain 3 100
::1 udp-gso 2 3500
END
cat >send <<'SH'
while read -r address mode n size; do
	i=$((i + 1))
	client=$mode
	if [ $mode = lost ]; then
		client=tcp
		tc qdisc add dev lo clsact && tc filter add dev lo ingress bpf da obj /job/drop.bpf.o sec tc || exit
	fi
	/job/stamps send $address 7777 $client $n $size 3000 >client.$i || exit
	[ $mode != lost ] || tc qdisc del dev lo clsact
done <clients
SH
/job/tracewire record -e sockts:egress_ts,sockts:egress_stats -w sent.pcapng -- sh send >out 2>&1 || fail "record: $(cat out)"
says out 'cannot record' && fail "$(cat out)"
/job/tracewire report -q --json sent.pcapng >sent.json 2>err || fail "report: $(cat err)"
/job/tracewire doctor >stages 2>/dev/null
python3 /job/sent.py sent.json clients stages || fail "see above; $(grep 'sockts:egress' stages)"
exit $failed
