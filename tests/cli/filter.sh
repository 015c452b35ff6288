#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `filter compile` and `filter explain` on a recording: their output and their errors. With their output, tshark and tcpdump find the same
# events as `report --filter`.
# Usage: filter.sh TRACEWIRE DATA [PLUGINS]
tracewire=$1
sample=$2/sample.pcapng
plugins=${3-}
. "$(dirname "$0")/common.sh"
export LC_ALL=C TZ=UTC
chmod 755 "$scratch"
cp "$sample" "$scratch/sample.pcapng"
chmod 644 "$scratch/sample.pcapng"

need python3 script

# same WHAT OUTPUT: OUTPUT equals standard input
same() {
	cat >"$scratch/wanted"
	printf '%s\n' "$2" | cmp -s - "$scratch/wanted" && return
	fail "$1:"
	printf '%s\n' "$2" | diff "$scratch/wanted" - | head -20
}

compile() { # TARGET EXPRESSION [OPTION...]
	local target=$1 expression=$2
	shift 2
	"$tracewire" filter compile --from "$sample" --to "$target" "$@" "$expression" 2>&1
}

explain() {
	"$tracewire" filter explain --from "$sample" "$@" 2>&1 | sed "s|$sample|sample|"
}

# refused STATUS TEXT WORD...: `filter` refuses the words
refused() {
	refuses "$1" "tracewire filter $2" filter "${@:3}"
}

# The trees of expressions

same "tree of two alternatives" "$(compile tree 'prev_comm == "tracewire-read" or comm ~ "rcu*" and target_cpu in {0, 2..3}')" <<'END'
sched:sched_switch
  prev_comm == "tracewire-read"   (char[16] at 8)
sched:sched_wakeup_new sched:sched_wakeup
  all of
    comm ~ "rcu*"
    one of
      target_cpu == 0   (int at 32)
      target_cpu in {2..3}   (int at 32)
ftrace:print sched:sched_process_exec sched:sched_process_fork sched:sched_process_exit and 1 more
  none can match
events of other formats
  none can match
END
same "tree of what is certain" "$(compile tree 'system == sched or not cpu == 1')" <<'END'
ftrace:print
  not cpu == 1
sched:*
  every one matches
events of other formats
  not cpu == 1
END

# Filters of the kernel

same "filters for tracefs" "$(compile tracefs 'prev_comm == "tracewire-read" or comm ~ "rcu*" and target_cpu == 0')" <<'END'
sched:sched_switch prev_comm == "tracewire-read"
sched:sched_wakeup_new COMM ~ "rcu*" && target_cpu == 0
sched:sched_wakeup COMM ~ "rcu*" && target_cpu == 0
# disabled, because they cannot match: sched:sched_process_exec sched:sched_process_fork sched:sched_process_exit sched:sched_migrate_task
END
same "events without a filter" "$(compile tracefs 'event == sched_switch or event == sched_wakeup and cpu == 1')" <<'END'
sched:sched_switch
sched:sched_wakeup CPU == 1
# disabled, because they cannot match: sched:sched_process_exec sched:sched_process_fork sched:sched_process_exit sched:sched_migrate_task sched:sched_wakeup_new
END

same "a filter for captures" "$(compile pcap 'prev_pid == 0 && cpu == 1')" <<'END'
ether proto 0x88b5 and (len < 78 or ether[14:4] != 0x54575231 or ether[18] != 1 or ether[60:2] != 1 or ether[62:2] != 1 or ether[19] & 1 != 0 or ether[30:4] != 0x4805abc0 or ether[34:4] != 0xad62b145 or ether[20:2] + 14 > len or ether[64:2] < 16 or ether[64:2] + 48 > ether[20:2] or (ether[70:2] = 319 and ((ether[64:2] >= 36 and ether[94:4] = 0x0) and ether[56:2] = 0x1)))
END

same "a display filter" "$(compile display 'prev_comm == "tracewire-read" or comm ~ "rcu*" and target_cpu == 0')" <<'END'
trace.sched.sched_switch.prev_comm == "tracewire-read" || (trace.comm matches r"(?s-i)^rcu" && trace.sched.sched_wakeup_new.target_cpu == 0) || (trace.comm matches r"(?s-i)^rcu" && trace.sched.sched_wakeup.target_cpu == 0)
END

same "commands for u32" "$(compile u32 'prev_pid == 0 && cpu == 1' --action mark:7 --default drop -i eth1)" <<'END'
tc qdisc add dev eth1 clsact
tc filter add dev eth1 ingress pref 1 protocol 0x88b5 u32 match u32 0x54575231 0xffffffff at 0 match u32 0x1000000 0xff010000 at 4 match u32 0x4805abc0 0xffffffff at 16 match u32 0xad62b145 0xffffffff at 20 match u32 0x1 0xffff at 40 match u32 0x1 0xffff at 44 match u32 0x10000 0xffff0000 at 48 match u32 0x13f0000 0xffff0000 at 56 match u32 0x0 0xffffffff at 80 action skbedit mark 7
tc filter add dev eth1 ingress pref 1 protocol 0x88b5 u32 match u32 0x54575231 0xffffffff at 0 match u32 0x1000000 0xff010000 at 4 match u32 0x4805abc0 0xffffffff at 16 match u32 0xad62b145 0xffffffff at 20 match u32 0x1 0xffff at 44 match u32 0x10000 0xffff0000 at 48 action drop
END

# Programs: each jump leads to an instruction, and the last instruction ends the program

compile xdp 'prev_pid == 0 && cpu == 1' >"$scratch/xdp"
python3 - "$scratch/xdp" <<'END' || fail "the disassembled program is none"
import re
import sys

program = dict(re.match(r" *(\d+): (.*)", line).groups() for line in open(sys.argv[1]) if re.match(r" *\d+: ", line))
jumps = [target for text in program.values() for target in re.findall(r"\bgoto (\d+)", text)]
sys.exit(not (len(jumps) > 5 and all(target in program for target in jumps) and list(program.values())[-1] == "exit"))
END

# tshark finds the same events. tcpdump also finds them, and passes control frames too.

# shark FILTER: prints the number of packets of the sample that match
shark() {
	local as=()
	[ "$(id -u)" = 0 ] && as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	# If the plugin was built with sanitizers, their libraries must be loaded before it. Leaks of Wireshark are ignored.
	"${as[@]}" env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME HOME="$scratch" WIRESHARK_PLUGIN_DIR="$scratch/plugins" \
		ASAN_OPTIONS=detect_leaks=0 ${sanitizers:+LD_PRELOAD="$sanitizers"} \
		tshark -r "$scratch/sample.pcapng" -Y "$1" 2>&1 | grep -c TRACE
}

same_events() { # EXPRESSION
	local reported
	reported=$("$tracewire" report -q -f "$1" "$sample" | grep -vc ^cpus=)
	[ "$reported" -gt 0 ] || fail "no event of the sample matches '$1'"
	if [ -n "$with_tshark" ]; then
		shown=$(shark "$(compile display "$1")")
		[ "$shown" = "$reported" ] || fail "'$1' matches $reported events, tshark shows $shown"
	fi
	if [ -n "$with_tcpdump" ] && [ "${1#*time}" = "$1" ]; then # libpcap does not know event times
		passed=$(tcpdump --count -r "$sample" "$(compile pcap "$1")" 2>/dev/null | sed -n 's/ packets.*//p')
		[ "$passed" = $((reported + control)) ] || fail "'$1' matches $reported events, tcpdump lets $passed packets pass"
	fi
}

with_tshark=
if [ -d "$plugins" ] && command -v tshark >/dev/null; then
	with_tshark=yes
	sanitizers=$(ldd "$plugins"/*/epan/tracewire.so 2>/dev/null | awk '/lib[au][bs]*san/ { print $3 }' | paste -sd:)
	cp -r "$plugins" "$scratch/plugins" && chmod -R a+rX "$scratch/plugins"
else
	echo "not checked: what tshark shows, for it or the plugin is not there"
fi
with_tcpdump=
if command -v tcpdump >/dev/null; then
	with_tcpdump=yes
	control=$(($(tcpdump --count -r "$sample" 2>/dev/null | sed -n 's/ packets.*//p') - $("$tracewire" report -q "$sample" | grep -vc ^cpus=)))
	[ "$control" -gt 0 ] || fail "there are $control control frames in the sample"
else
	echo "not checked: what tcpdump lets pass, for it is not there"
fi
while read -r expression; do
	same_events "$expression"
done <<'END'
prev_pid == 0 && cpu == 1
prev_comm == "tracewire-read" or target_cpu == 0
not cpu == 1
sched_switch.prev_pid != 0 and time > 7.5
next_pid in {1..130} and not next_comm == "tracewire-read"
END

# The place of evaluation

same "explain" "$(explain --for stream --hook tc 'prev_pid == 0 && cpu == 1 and (comm ~ "k*" or time > 1) or pid == 1 and event == sched_switch')" \
	<<'END'
expression  prev_pid == 0 && cpu == 1 and (comm ~ "k*" or time > 1) or pid == 1 and event == sched_switch
formats     8 events of sample, schema 4805abc0ad62b145

     predicate              tracefs  producer  xdp  tc  u32  pcap  display  tools
  1  prev_pid == 0          yes      yes       yes  yes  yes  yes   yes      yes
  2  cpu == 1               yes      yes       yes  yes  yes  yes   yes      yes
  3  comm ~ "k*"            yes      no        no   no  no   no    yes      yes
  4  time > 1               no       yes       yes  yes  no   no    yes      yes
  5  pid == 1               yes      yes       yes  yes  yes  yes   yes      yes
  6  event == sched_switch  known    known     known  known  known  known  known    known

why not
  3  comm ~ "k*"
       producer: the task's name may become known only after the event
       xdp, tc: the task's name is not in the frames
       u32, pcap: the task's name is not in the frames of its events
  4  time > 1
       tracefs: the kernel's filters cannot compare the time
       u32: an event's time is a sum of two numbers, and u32 cannot add
       pcap: an event's time is a sum of two numbers, for which libpcap's optimizer makes wrong programs

stream: tracefs -> producer -> tc
  sched:sched_switch
    tracefs   1, 2, 5 in part   prev_pid == 0 && CPU == 1 || common_pid == 1
    producer  1, 2, 5
    tc        nothing: column 32: BPF cannot express 'comm ~ "k*"', because the task's name is not in the frames
    left      1, 2, 3, 4, 5, so `tracewire stream` refuses the filter
  ftrace:print sched:sched_process_exec sched:sched_process_fork sched:sched_process_exit and 3 more
    off       none of them can match
END
# A classifier that cannot evaluate all of an expression evaluates nothing of it.
explain --for attach 'prev_pid == 0 && comm matches "^k"' | grep -q '^    left  *1, 2, ' || fail "explain: attach evaluates a part"
explain --for stream 'comm ~ "k*"' >"$scratch/marks"
grep -A1 '^  ftrace:print' "$scratch/marks" | grep -q 'off  *not recorded' || fail "explain: marks: $(cat "$scratch/marks")"
grep -q refuses "$scratch/marks" && fail "explain: stream does not refuse this: $(cat "$scratch/marks")"
explain --json --for record 'prev_pid == 0 and time > 1' >"$scratch/json"
python3 - "$scratch/json" <<'END' || fail "explain --json: $(cat "$scratch/json")"
import json
import sys

o = json.load(open(sys.argv[1]))
ways = {way["events"][0]: way for way in o["ways"]}
switch = ways["sched:sched_switch"]
assert o["predicates"][1]["stages"]["tracefs"] == {"can": "no", "why": "the kernel's filters cannot compare the time"}
assert [step["does"] for step in switch["stages"]] == [[1], [2], []] and switch["left"] == []
assert switch["stages"][0]["filter"] == "prev_pid == 0"
assert ways["ftrace:print"]["match"] == "never"
END

# The table in docs/filter.md

"$tracewire" convert -q "$2/debian-6.1.dat" "$scratch/events.pcapng" || fail "debian-6.1.dat cannot be converted"
"$(dirname "$0")/filter-table.py" "$tracewire" "$scratch/events.pcapng" "$(dirname "$0")/../../docs/filter.md" || failed=1

# A capture with two schemas

if command -v mergecap >/dev/null; then
	mergecap -a -w "$scratch/both.pcapng" "$sample" "$scratch/events.pcapng"
	refused 2 "compile: $scratch/both.pcapng has several schemas: choose one with --schema 4805abc0ad62b145, 6b76c889e43f884c" \
		compile --to tracefs --from "$scratch/both.pcapng" 'cpu == 1'
	same "the schema that was chosen" "$("$tracewire" filter compile --to tracefs --from "$scratch/both.pcapng" \
		--schema 4805abc0ad62b145 'event == sched_switch and cpu == 1' | head -1)" <<'END'
sched:sched_switch CPU == 1
END
else
	echo "not checked: a capture with two schemas, for mergecap is not there"
fi

# Invalid input

refused 2 "compile: no target is given: name one with --to; the targets are tracefs, xdp, tc, u32, pcap, display and tree" \
	compile 'cpu == 1'
refused 2 "compile: there is no target 'tracfs'; did you mean tracefs?" compile --to tracfs 'cpu == 1'
refused 2 "compile: no expression is given; tracewire-filter(7) describes the language" compile --to tree --from "$sample"
refused 2 "compile: the filter of sched:sched_switch has control characters or invalid UTF-8, so it cannot be printed exactly; give the expression to \`tracewire live\`, \`record\` or \`stream\` with -f instead" \
	compile --to tracefs --from "$sample" $'prev_comm == "\xe9"'
# On a terminal, a caret marks the column, also in a long expression, of which a part is shown.
long='prev_pid == 1 or prev_pid == 2 or prev_pid == 3 or prev_pid == 4 or prev_pid == 5 or nix == 6 or prev_pid == 7'
script -qec "'$tracewire' filter compile --to tree --from '$sample' '$long'" /dev/null </dev/null | tr -d '\r' >"$scratch/caret"
same "a caret in a long expression" "$(head -2 "$scratch/caret")" <<'END'
  rev_pid == 3 or prev_pid == 4 or prev_pid == 5 or nix == 6 or prev_pid == 7
                                                    ^
END
refused 2 "compile: column 11: a value is expected here" compile --to tree --from "$sample" 'prev_pid=='
refused 2 "compile: column 13: no event has a field 'prev_pidd'; did you mean 'prev_pid'?" \
	compile --to tree --from "$sample" 'cpu == 1 && prev_pidd == 1'
refused 2 "compile: column 26: tracefs cannot express 'time>5', because the kernel's filters cannot compare the time" \
	compile --to tracefs --from "$sample" 'event=="sched_switch" or time>5'
refused 2 "compile: column 1: pcap cannot express 'comm == x', because the task's name is not in the frames of its events" \
	compile --to pcap --from "$sample" 'comm == x'
refused 2 "compile: $0 is neither a pcapng nor a pcap file, according to its first bytes" \
	compile --to tree --from "$0" 'cpu == 1'
refused 2 "compile: cannot open $scratch/none: No such file or directory" compile --to tree --from "$scratch/none" 'cpu == 1'
refused 2 "compile: $sample has no formats of schema 0000000000000012" \
	compile --to tree --from "$sample" --schema 12 'cpu == 1'
refused 2 "compile: --schema 'xy' is not a schema id: an id is a hexadecimal number" \
	compile --to tree --from "$sample" --schema xy 'cpu == 1'
refused 2 "compile: --schema chooses among the schemas of a capture: name the capture with --from" \
	compile --to tree --schema 12 'cpu == 1'
refused 2 "compile: --event takes the formats of this kernel, and --from those of a capture: omit one of the two" \
	compile --to tree --from "$sample" -e sched 'cpu == 1'
refused 2 "compile: 'dorp' is not an action; choose pass, drop, mark:N or redirect:INTERFACE" \
	compile --to tree --from "$sample" --action dorp 'cpu == 1'
refused 2 "compile: 'x' is not a mark: a mark is a number of 32 bits, as in mark:7 or mark:0x10" \
	compile --to tree --from "$sample" --action mark:x 'cpu == 1'
refused 2 "compile: '0xg1' is not a mark: a mark is a number of 32 bits, as in mark:7 or mark:0x10" \
	compile --to tree --from "$sample" --action mark:0xg1 'cpu == 1'

refused 2 "explain: there is no hook 'xpd'; the hooks are xdp, tc and u32" explain --from "$sample" --for attach --hook xpd 'cpu == 1'
refused 2 "explain: --hook does not apply to record; use it with live, stream, capture, attach or dumpcap" explain --from "$sample" --for record --hook xdp 'cpu == 1'

exit $failed
