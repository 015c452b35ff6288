#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that know nothing of Tracewire work as before while their sockets are followed: nginx, curl, iperf3, nc and ping have the same
# results with and without a recording, and the recording has each of them with all stages.
# Usage: socket-programs.sh TRACEWIRE
tracewire=$1
for part in namespace check processes network tracing; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh" || exit 1
done
need bpftool curl iperf3 nc nginx ping python3 ss
need_tracefs
need_socket_stamps
cd "$scratch" || exit 1
chmod 755 .
start_near_and_far

# nginx sends small.html by write() and large.bin by sendfile().
mkdir www
echo "<p>small</p>" >www/small.html
head -c 1000000 /dev/urandom >www/large.bin
cat >nginx.conf <<END
daemon off;
user root;
worker_processes 1;
pid nginx.pid;
error_log nginx.errors warn;
events {}
http {
	access_log off;
	client_body_temp_path temp1;
	proxy_temp_path temp2;
	fastcgi_temp_path temp3;
	uwsgi_temp_path temp4;
	scgi_temp_path temp5;
	keepalive_requests 100;
	sendfile on;
	server {
		listen 10.3.0.2:80;
		listen [fd00:3::2]:80;
		root www;
		location = /small.html { sendfile off; }
		location = /counters { return 200 "\$connection_requests"; }
	}
}
END
in_background nginx in_far nginx -p "$PWD" -c "$PWD/nginx.conf" -e "$PWD/nginx.errors"
in_background iperf3 in_far iperf3 -s -p 5201
listens() { # PORT
	[ -n "$(in_far ss -Hltn sport = "$1")" ]
}
wait_for listens 80
wait_for listens 5201

# exercise FOLDER: runs the programs; FOLDER gets what they tell, without times
cat >exercise.sh <<'END'
set -u
mkdir "$1"
. ./functions
for host in 10.3.0.2 '[fd00:3::2]'; do
	# One connection for many requests, with one that fails
	curl -sS -w '%{http_code} %{size_download} %{num_connects} %{errormsg}\n' -o "$1/curl.1" "http://$host/small.html" -o "$1/curl.2" \
		"http://$host/large.bin" -o "$1/curl.3" "http://$host/none" -o "$1/curl.4" "http://$host/counters" \
		-o "$1/curl.5" "http://$host/large.bin" >"$1/curl.$host" 2>&1
	echo "status $?" >>"$1/curl.$host"
	sha256sum "$1"/curl.[1-5] | sed 's/ .*//' >>"$1/curl.$host"
	rm "$1"/curl.[1-5]
done
iperf3 -c 10.3.0.2 -p 5201 -n 10M -J >iperf3.json
echo "status $?" >"$1/iperf3"
python3 -c 'import json
result = json.load(open("iperf3.json"))
print(result.get("error"), result["end"]["sum_sent"]["bytes"] >= 10 << 20)' >>"$1/iperf3" 2>&1
iperf3 -c fd00:3::2 -p 5201 -u -b 50M -l 1000 -n 1M -J >iperf3.json
echo "status $?" >"$1/iperf3-udp"
python3 -c 'import json
result = json.load(open("iperf3.json"))
print(result.get("error"), result["end"]["sum"]["bytes"] >= 1 << 20)' >>"$1/iperf3-udp" 2>&1
in_far nc -N -l 10.3.0.2 7000 <www/small.html >"$1/nc.server" 2>"$1/nc.errors" &
until listens 7000; do sleep 0.01; done
nc -N 10.3.0.2 7000 <www/large.bin >"$1/nc.client" 2>>"$1/nc.errors"
echo "status $?" >>"$1/nc.errors"
wait $!
echo "status $?" >>"$1/nc.errors"
for host in 10.3.0.2 fd00:3::2; do
	ping -c 5 -i 0.02 -W 10 "$host" | sed 's/time[= ].*//; /^rtt/d' >"$1/ping.$host"
	echo "status ${PIPESTATUS[0]}" >>"$1/ping.$host"
done
END
{
	echo "far=$far"
	declare -f in_far listens
} >functions
bash exercise.sh alone 2>err || fail "alone: $(cat err)"
"$tracewire" record -e sockts,sched:sched_waking,sched:sched_switch -w with.pcapng \
	-f "netns_cookie in {$(netns_cookie), $(netns_cookie in_far)}" -- bash exercise.sh with 2>err || fail "record: $(cat err)"
diff -r alone with >different || fail "with a recording, programs behave differently: $(cat different)"
expect "statuses of the programs" 8 "$(cat alone/* | grep -cx 'status 0')"
expect "what nginx complains about" "" "$(grep -v '/none" failed' nginx.errors)"
cmp -s alone/nc.server www/large.bin || fail "nc has not received what nc has sent"

# Each program has all stages: those in the first network namespace, of which Tracewire knows the IP layer, and those of the others.
"$tracewire" sockets -q --json with.pcapng >table || fail "sockets"
"$tracewire" report -q --json with.pcapng >report || fail "report"
cat >check.py <<'PYTHON'
import collections, json
table = json.load(open("table"))
near = {"10.3.0.1", "fd00:3::1"}
SENT, RECEIVED = {"send", "tcp", "qdisc", "ack", "srtt"}, {"ip", "l4", "socket", "wake", "run", "read"}
stages, families = collections.defaultdict(set), collections.defaultdict(set)
for r in table["flows"]:
    of = r["comm"], r["protocol"], r["local"] in near
    families[of].add(":" in r["local"])
    stages[of] |= {s for s, times in r["stages_ns"].items() if times}
busy = {"wake", "run"}  # of these, only the reads of nginx are sure to have to wait
wanted = {("curl", 6, True): SENT | RECEIVED - busy, ("nginx", 6, False): SENT | RECEIVED - {"ip", "l4"},
          ("nc", 6, True): SENT | RECEIVED - busy, ("nc", 6, False): SENT | RECEIVED - {"ip", "l4"} - busy,
          ("iperf3", 6, True): SENT | RECEIVED - busy, ("iperf3", 6, False): SENT | RECEIVED - {"ip", "l4"} - busy,
          ("iperf3", 17, True): {"tcp", "qdisc"}, ("iperf3", 17, False): {"socket", "read"}}
# A socket that is being closed keeps its port.
assert all(r["local_port"] and r["remote_port"] for r in table["flows"] if r["protocol"] == 6), table["flows"]
for of, least in wanted.items():
    assert stages[of] >= least, (of, "has not", least - stages[of])
assert families["curl", 6, True] == families["nginx", 6, False] == {False, True}, families
echoes = collections.Counter()
for line in open("report"):
    e = json.loads(line)
    if e["event"] == "icmp_echo":
        echoes[e["fields"]["family"], e["fields"]["type"]] += 1
assert echoes == {(f, t): 5 for f in (2, 10) for t in (1, 2)}, echoes
print("all")
PYTHON
expect "the recording" all "$(python3 check.py 2>&1)"
exit $failed
