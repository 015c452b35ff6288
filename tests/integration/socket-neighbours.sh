#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Other tools at the root cgroup, and what a run cannot have. A sockops program of another tool gets the same calls while a run follows TCP,
# and keeps its flags of sockets. If a program permits no others, the run says so, and has its other events. The same without cgroup2,
# without type information, and without privileges: one sentence each. tests/integration/sockets.sh has more sentences of `record`.
# Usage: socket-neighbours.sh TRACEWIRE NEIGHBOUR.bpf.o SOLE.bpf.o
tracewire=$1
neighbour=$2
sole=$3
for part in namespace check processes network tracing; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh" || exit 1
done
need bpftool python3 setpriv
need_tracefs
need_socket_stamps
cd "$scratch" || exit 1
ip link set lo up

mkdir bpf
mount -t bpf bpf bpf
at_end 'umount "$scratch/bpf"'
bpftool prog load "$sole" "$scratch/bpf/sole" || fail "the program cannot be loaded"
bpftool prog load "$neighbour" "$scratch/bpf/neighbour" || fail "the program cannot be loaded"

# at_root PROGRAM FLAG COMMAND...: runs COMMAND where PROGRAM is at the root cgroup, attached with the flag `multi` or `override`. Other
# runs do not see this program, because the root is that of a cgroup namespace.
cgroup=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/tracewire-test-$$
mkdir "$cgroup" || fail "no cgroup can be made"
at_end 'rmdir "$cgroup"'
cat >at_root <<'SH'
#!/bin/sh
if [ "$1" != entered ]; then
	echo $$ >"$cgroup/cgroup.procs"
	exec unshare -C -m "$0" entered "$@"
fi
program=$2 flag=$3
shift 3
[ "$flag" = multi ] || flag=
awk '$3 == "cgroup2" { print $2 }' /proc/mounts | xargs -n 1 umount -l
mkdir -p root
mount -t cgroup2 none root
bpftool cgroup attach root sock_ops pinned "$PWD/bpf/$program" $flag || exit
"$@"
status=$?
bpftool cgroup detach root sock_ops pinned "$PWD/bpf/$program"
exit $status
SH
chmod +x at_root
export cgroup

# send.py [COMMAND...]: a connection with 20 messages; COMMAND runs after the first ten
cat >send.py <<'PYTHON'
import os, socket, sys
l = socket.create_server(("127.0.0.1", 0))
c = socket.create_connection(l.getsockname())
d, _ = l.accept()
def send():
    for _ in range(10):
        c.send(b"x" * 100)
        d.recv(100)
send()
if len(sys.argv) > 1: os.spawnvp(os.P_WAIT, sys.argv[1], sys.argv[1:])
send()
d.close()
c.recv(1)
c.close()
PYTHON
# calls: prints the calls of the neighbour since the last time: for new connections and sent data
cat >calls.py <<'PYTHON'
import json, os, subprocess
def bpftool(*words): return json.loads(subprocess.run(["bpftool", "-j", *words], capture_output=True, check=True).stdout)
values = bpftool("map", "dump", "id", str(bpftool("prog", "show", "pinned", "bpf/neighbour")["map_ids"][0]))
now = [int.from_bytes(bytes(int(b, 16) for b in v["value"]), "little") for v in values]
old = json.load(open("calls")) if os.path.exists("calls") else [0] * len(now)
json.dump(now, open("calls", "w"))
ACTIVE, SENDMSG = 4, 20
print(*(now[op] - old[op] for op in (ACTIVE, SENDMSG)))
PYTHON
wanted="1 20"
run 0 ./at_root neighbour multi python3 send.py
expect "calls without a run" "$wanted" "$(python3 calls.py)"
run 0 ./at_root neighbour multi "$tracewire" record -q -e sockts:egress_ts -w beside.pcapng -- python3 send.py
expect "calls during a run" "$wanted" "$(python3 calls.py)"
run 0 ./at_root neighbour multi python3 send.py "$tracewire" record -q -e sockts:egress_ts -w within.pcapng -- true
expect "calls before and after a run" "$wanted" "$(python3 calls.py)"
"$tracewire" report -q beside.pcapng >beside
[ "$(grep -c ' egress_ts: .* type=sendmsg ' beside)" -ge 20 ] || fail "beside another tool, the run has no events"

# A program that permits no others
sentence='cannot record sockts:egress_ts: another program at the root cgroup permits no others'
run 1 ./at_root sole override "$tracewire" record -e sockts:egress_ts -w sole.pcapng -- true
says err "^tracewire record: $sentence" || fail "a sole program: $(cat err)"
run 0 ./at_root sole override "$tracewire" record -e sockts:egress_ts,sched:sched_switch -w sole.pcapng -- true
says err "^$sentence" || fail "a sole program, and other events: $(cat err)"
"$tracewire" report -q sole.pcapng | grep -q sched_switch || fail "beside a sole program, the run has no events"
"$tracewire" info sole.pcapng | grep -qx ' *sockts:egress_ts, stage tcp: none: the kernel refuses its BPF program' ||
	fail "beside a sole program: $("$tracewire" info sole.pcapng)"
run 0 ./at_root sole override "$tracewire" sockets -- true
says err '^cannot record sockts:egress_ts and sockts:egress_stats: another program at the root cgroup permits no others' ||
	fail "a sole program, and \`sockets\`: $(cat err)"

# refused STATUS SENTENCE COMMAND...: COMMAND ends with STATUS, and says only SENTENCE. It may clean up after killed runs of others.
refused() {
	run "$1" "${@:3}"
	grep -qE "^tracewire [a-z]+: .*$2" err && [ "$(grep -vc ' of a killed run$' err)" = 1 ] || fail "'${*:3}' says: $(cat err)"
}
# Without privileges, or type information, nothing works; without cgroup2, only what needs it does not.
for command in "live -e sockts" sockets; do
	# shellcheck disable=SC2086 # words
	refused 1 'this requires root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN$' \
		setpriv --bounding-set=-bpf,-sys_admin --inh-caps=-bpf,-sys_admin "$tracewire" $command -- true
	# shellcheck disable=SC2086
	refused 1 'this kernel has no type information' \
		unshare -m sh -c 'mount --bind /dev/null /sys/kernel/btf/vmlinux; exec "$@"' sh "$tracewire" $command -- true
done
run 0 unshare -m sh -c 'awk "\$3 == \"cgroup2\" { print \$2 }" /proc/mounts | tac | xargs -n 1 umount -l; exec "$@"' sh \
	"$tracewire" record -e sockts -w x.pcapng -- true
expect "what is missing without cgroup2" "cannot record sockts:egress_ts and sockts:egress_stats of TCP: cgroup2 is not mounted: mount it
cannot record sockts:egress_ts of UDP: cgroup2 is not mounted: mount it
cannot record sockts:held: cgroup2 is not mounted: mount it" "$(grep '^cannot ' err)"
exit $failed
