#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Clock synchronisation by ptp4l: a master and a slave, with software time stamps, on a veth pair. Then by chronyd: a server and a client.
# None of them sets a clock, because both hosts are this machine.
# Usage: sync.sh SHOW_SYNC TRACEWIRE
show=$(readlink -f "$1")
tracewire=$(readlink -f "$2")
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/../shell/check.sh"
. "$(dirname "$0")/../shell/processes.sh"
need ptp4l pmc ip python3

mount -t tmpfs tmpfs /run || skip "cannot mount"

# ptp CONFIG-LINES: prints a configuration of ptp4l with these lines
ptp() {
	printf '%s\n' '[global]' 'time_stamping software' 'network_transport L2' 'logSyncInterval -3' \
		'logMinDelayReqInterval -3' 'logAnnounceInterval -2' 'free_running 1' "$@"
}

by_ptp() { # FILE: its last line names ptp4l
	tail -n 1 "$1" | grep -q ptp4l
}

# Without ptp4l, the source is never ptp4l, and forged answers of ptp4l are ignored. The script that forges them starts before show_sync,
# and sends until show_sync's last request.
cat >"$scratch/stranger.py" <<'END'
import socket, struct, sys, time
def reply(ident, data, seq):
    head = struct.pack('>BBHBBH8s4s10sHBb', 0x0d, 2, 54 + len(data), 0, 0, 0, bytes(8), bytes(4), bytes(10), seq, 4, 0x7f)
    return head + b'\xff' * 10 + bytes([0, 0, 2, 0]) + struct.pack('>HHH', 1, 2 + len(data), ident) + data
lies = [(0x2001, struct.pack('>Hqq', 1, 65536, 65536)), (0x2003, bytes(4)), (0xc000, bytes(38) + b'\0\0\0\1' + bytes(8)),
        (0xc004, bytes(10) + b'\x09\0\x02va')]
stranger = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
stranger.bind('\0stranger')
print('here', flush=True)
spoke = asked = 0
until = time.time() + 60
while asked < 20 and time.time() < until:
    sockets = [line.split() for line in open('/proc/net/unix')]
    asked = len(open(sys.argv[1]).readlines())
    seq = asked + 1  # the sequence number of the current request: the forged answers have the right one
    for name in [f[7] for f in sockets if len(f) == 8 and f[7].startswith('@') and f[7] != '@stranger']:
        for ident, data in lies:
            try:
                stranger.sendto(reply(ident, data, seq), socket.MSG_DONTWAIT, '\0' + name[1:])
                spoke += 1
            except OSError:
                pass
    time.sleep(0.01)
sys.exit(spoke < 40)
END
: >"$scratch/alone.out"
in_background stranger python3 "$scratch/stranger.py" "$scratch/alone.out"
stranger=$pid
wait_for says "$scratch/stranger.out" here
in_background alone "$show" 20 50
wait "$pid"
wait "$stranger" || fail "the stranger cannot speak: $(cat "$scratch/stranger.err")"
says "$scratch/alone.out" ptp4l && fail "said without a ptp4l: $(cat "$scratch/alone.out")"
expect "lines" 20 "$(wc -l <"$scratch/alone.out")"

# The master, in a separate network namespace.
ip link add name va type veth peer name vb || skip "no veth"
in_background host unshare --net --mount sleep 600
host=$pid
is_apart() {
	[ "$(readlink "/proc/$host/ns/net")" != "$(readlink /proc/self/ns/net)" ] &&
		[ "$(cat "/proc/$host/comm")" = sleep ] # unshare has started sleep, so both namespaces exist
}
wait_for is_apart
ip link set vb netns "$host" && ip link set va up && nsenter -t "$host" -n ip link set vb up || fail "no link"
ptp 'priority1 1' 'domainNumber 24' >"$scratch/master.cfg"
ptp 'slaveOnly 1' 'domainNumber 24' >"$scratch/slave.cfg"
nsenter -t "$host" -n -m mount -t tmpfs tmpfs /run
in_background master nsenter -t "$host" -n -m ptp4l -f "$scratch/master.cfg" -i vb -m
in_background slave ptp4l -f "$scratch/slave.cfg" -i va -m
slave=$pid
wait_for grep -q 'to UNCALIBRATED\|to SLAVE' "$scratch/slave.out" || { cat "$scratch/slave.out"; skip "ptp4l cannot run here"; }

in_background asked "$show" 400 100
asked=$pid
wait_for by_ptp "$scratch/asked.out"
grep -qE '^[1-9][0-9]{1,7} ptp4l, software time stamps, within [0-9]+ (ns|us|ms) of its master$' "$scratch/asked.out" ||
	fail "the slave says: $(tail -n 1 "$scratch/asked.out")"
nsenter -t "$host" -n -m "$show" 30 100 >"$scratch/master-says"
expect "the master" "1 ptp4l as the master, software time stamps" "$(tail -n 1 "$scratch/master-says")"

# show_sync reads the same data from ptp4l as pmc, the tool of linuxptp.
"$show" ptp4l >"$scratch/data" || fail "ptp4l does not answer"
pmc -u -b 0 -d 24 'GET TIME_STATUS_NP' 'GET TIME_PROPERTIES_DATA_SET' 2>&1 |
	awk '/gmIdentity|currentUtcOffset |ptpTimescale/ { print $1, $2 }' >"$scratch/pmc"
expect "time properties" "$(cat "$scratch/pmc")" "$(cat "$scratch/data")"
grep -q '^currentUtcOffset [1-9]' "$scratch/data" || fail "no offset from UTC: $(cat "$scratch/data")"

# The grandmaster, and the time since which ptp4l is known to follow it, which stays the same.
before=$(date +%s)
"$show" since 8 300 >"$scratch/since"
after=$(date +%s)
grep ptp4l "$scratch/since" | cut -d '|' -f 2- | sort -u >"$scratch/sources"
expect "sources" 1 "$(wc -l <"$scratch/sources")"
IFS='|' read -r since grandmaster <"$scratch/sources"
expect "the grandmaster" "$(awk '/gmIdentity/ { print $2 }' "$scratch/pmc")" "$grandmaster"
[ "$since" -ge "$before" ] && [ "$since" -le "$after" ] || fail "since $since, which is not from $before to $after"

# A capture host asks before it gives up the privileges of root, and continues to ask without them.
"$show" nobody 20 100 >"$scratch/nobody"
by_ptp "$scratch/nobody" || fail "without privileges: $(tail -n 1 "$scratch/nobody")"

# A stream names ptp4l in its HOST after it has found ptp4l. The traced command waits until the recording has this HOST.
told() {
	grep -qsa 'ptp4l, software time stamps, within' "$scratch/told.pcapng"
}
export scratch
export -f told
if "$tracewire" record -q -e sched:sched_process_exec -w "$scratch/told.pcapng" -- \
	bash -c 'for _ in {1..200}; do told && exit 0; sleep 0.1; done; exit 0' 2>"$scratch/why"; then
	told || fail "HOST does not say what keeps the clocks"
else
	echo "not looked at, what a stream says: $(cat "$scratch/why")"
fi

# The slave is killed. After ten more requests, the source is no longer ptp4l.
has_lines() { # FILE N
	[ "$(wc -l <"$1")" -ge "$2" ]
}
kill_at_once "$slave"
wait_for has_lines "$scratch/asked.out" $(($(wc -l <"$scratch/asked.out") + 10))
by_ptp "$scratch/asked.out" && fail "still said: $(tail -n 1 "$scratch/asked.out")"
kill_at_once "$asked"

# The socket at its place in the versions after linuxptp 4.4, with the symbolic link that they make.
mkdir /run/ptp && ln -sfn ptp/ptp4l /run/ptp4l
ptp 'slaveOnly 1' 'domainNumber 24' 'uds_address /var/run/ptp/ptp4l' >"$scratch/slave.cfg"
in_background moved ptp4l -f "$scratch/slave.cfg" -i va -m
moved=$pid
in_background again "$show" 400 100
again=$pid
wait_for by_ptp "$scratch/again.out"
kill_at_once "$again"
kill_at_once "$moved"

# chronyd: -x forbids it to set the clock. Its client in this namespace asks the server at the other end.
command -v chronyd >/dev/null || { echo "not looked at, chronyd: it is not installed"; exit $failed; }
ip link set lo up && ip addr add 192.0.2.1/24 dev va && nsenter -t "$host" -n ip addr add 192.0.2.2/24 dev vb &&
	nsenter -t "$host" -n ip link set lo up || fail "no address"
printf '%s\n' 'local stratum 2' 'allow 192.0.2.0/24' 'bindcmdaddress /' "pidfile $scratch/server.pid" >"$scratch/server.conf"
printf '%s\n' 'server 192.0.2.2 iburst minpoll 0 maxpoll 0' 'bindcmdaddress /' "pidfile $scratch/client.pid" >"$scratch/client.conf"
in_background server nsenter -t "$host" -n chronyd -x -d -u root -f "$scratch/server.conf"
in_background client chronyd -x -d -u root -f "$scratch/client.conf"
client=$pid
in_background chrony "$show" 400 100
chrony=$pid
by_chrony() { # FILE
	tail -n 1 "$1" | grep -q chrony
}
wait_for by_chrony "$scratch/chrony.out"
grep -qE '^[1-9][0-9]{2,9} chrony, NTP stratum 3, within ([0-9]+ (ns|us|ms|s)|more than 1 s)$' "$scratch/chrony.out" ||
	fail "the client says: $(tail -n 1 "$scratch/chrony.out")"
# The bound of chronyc's tracking, from the same numbers a moment later, differs little unless the machine is busy, so only its form is
# compared: both sources say that the clock is synchronised.
chronyc -h 127.0.0.1 tracking | grep -q 'Leap status.*Normal' || fail "chronyc: $(chronyc -h 127.0.0.1 tracking)"
kill_at_once "$client"
wait_for has_lines "$scratch/chrony.out" $(($(wc -l <"$scratch/chrony.out") + 10))
by_chrony "$scratch/chrony.out" && fail "still said: $(tail -n 1 "$scratch/chrony.out")"
kill_at_once "$chrony"

# A server without a source serves its own clock, which rests on nothing.
nsenter -t "$host" -n chronyc -h 127.0.0.1 tracking | grep -q 'Stratum.*2' || fail "the server does not answer chronyc"
nsenter -t "$host" -n -m "$show" 5 100 >"$scratch/server-says"
grep chrony "$scratch/server-says" && fail "the server rests on itself"
exit $failed
