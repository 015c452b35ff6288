#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Pairs of events that a user defined: uprobes at the entry and at the return of a function, and lines that a program writes to trace_marker.
# The first pair is in the user's file, the second in that of the machine.
# Usage: user-pairs.sh TRACEWIRE
tracewire=$1
for part in namespace check processes tracing; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh" || exit 1
done
need_tracefs
cd "$scratch" || exit 1
export XDG_CONFIG_HOME=$scratch
mkdir tracewire

# figures FILE: prints count and minimum of the first pair
figures() {
	python3 -c 'import json, sys; pair = json.load(open(sys.argv[1]))["pairs"][0]; print(pair["count"], pair["min"])' "$1"
}

# delays NAME FILE N MS: the pair has N times. The shortest of them is at least MS, and at most the shortest of those that the traced program
# has measured around the events and written to the file `measured`. On a busy machine, all of them are longer than MS.
delays() {
	local count min measured
	read -r count min <<<"$(figures "$2")"
	expect "$1: number of pairs" "$3" "$count"
	measured=$(sort -n measured | head -n 1)
	[ "$min" -ge $(($4 * 1000000)) ] && [ "$min" -le "$measured" ] || fail "$1: the minimum is $min ns, not from $4 ms to $measured ns"
}

cat >tracewire/pairs <<END
pair usleep
    text  time in the function usleep
    begin twpairs$$:entry common_pid
    end   twpairs$$:return common_pid
END
cp -a /etc etc
mount --bind etc /etc || exit 1
mkdir -p /etc/tracewire
cat >/etc/tracewire/pairs <<END
pair step
    text  time of a step of a program
    begin ftrace:print common_pid if buf contains "step begins"
    end   ftrace:print common_pid if buf contains "step ends"
END

# usleep() of the C library, as "FILE:OFFSET"
function=$(python3 -c '
import ctypes
address = ctypes.cast(ctypes.CDLL(None).usleep, ctypes.c_void_p).value
for line in open("/proc/self/maps"):
    begin, end, offset = (int(word, 16) for word in line.replace("-", " ").split()[0:2] + line.split()[2:3])
    if begin <= address < end:
        print("%s:%#x" % (line.split()[-1], address - begin + offset))')
remove_probes() { printf '%s\n' "-:twpairs$$/entry" "-:twpairs$$/return" >>"$tracing/dynamic_events" 2>/dev/null; }
at_end remove_probes
printf '%s\n' "p:twpairs$$/entry $function" "r:twpairs$$/return $function" >>"$tracing/uprobe_events" || fail "no uprobes at $function"
sleeper=(python3 -c 'import ctypes, time
usleep = ctypes.CDLL(None).usleep
def measure():
    begin = time.monotonic_ns()
    usleep(5000)
    return time.monotonic_ns() - begin
open("measured", "w").writelines("%d\n" % measure() for _ in range(10))')
"$tracewire" latency -q -j -F usleep -- "${sleeper[@]}" >live || fail "latency usleep ends with $?"
delays "a function, live" live 10 5
run 2 "$tracewire" latency --in-kernel usleep -- true
says err "twpairs$$:[a-z]+ cannot be measured in the kernel, because it is the event of a probe: omit --in-kernel" || fail "in the kernel: $(cat err)"
"$tracewire" record -q -F -e "twpairs$$" -w probes.pcapng -- "${sleeper[@]}" || fail "record ends with $?"
remove_probes
"$tracewire" latency -q -j usleep probes.pcapng >file || fail "latency usleep FILE ends with $?"
delays "a function, from a file" file 10 5
run 2 "$tracewire" latency usleep -- true
says err "this kernel has no event twpairs$$:entry, which pair usleep needs" || fail "without the probes: $(cat err)"

# Before Linux 6.16, only the top level's own ring gets the lines.
cat >stepper <<END
for i in 1 2 3 4 5; do
	begin=\${EPOCHREALTIME/./}
	echo "step begins" >$tracing/trace_marker
	sleep 0.02
	echo "step ends" >$tracing/trace_marker
	echo \$(((\${EPOCHREALTIME/./} - begin + 1) * 1000)) # the clock has microseconds
done >measured
END
run 2 "$tracewire" latency --in-kernel step -- bash stepper
says err 'no BPF program can read the lines of trace_marker, which pair step needs: omit --in-kernel' || fail "--in-kernel: $(cat err)"
if [ -e "$tracing/options/copy_trace_marker" ]; then
	"$tracewire" latency -q -j step -- bash stepper >steps || fail "latency step ends with $?"
	delays "a step of a program" steps 5 20
	"$tracewire" hist -q ftrace:print.buf -- bash stepper >values || fail "hist ends with $?"
	expect "different lines" "5 50.0 % step begins
5 50.0 % step ends" "$(awk '/step/ { $1 = $1; print }' values | sort)"
else
	run 1 "$tracewire" latency step -- bash stepper
	says err 'this kernel cannot copy the lines of trace_marker to a run \(Linux 6.16 can\)' || fail "without copies: $(cat err)"
fi

exit $failed
