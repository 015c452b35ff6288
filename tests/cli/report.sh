#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `tracewire report`: options compared with those of trace-cmd report, JSON, damaged captures and other files, outputs that close.
# Usage: report.sh TRACEWIRE DAT [PLUGINS]
tracewire=$1
dat=$2
plugins=${3-}
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/../shell/trace-cmd.sh"
export LC_ALL=C TZ=UTC

need trace-cmd python3 editcap mergecap script
"$tracewire" convert -q "$dat" "$scratch/x.pcapng" || { fail "$dat cannot be converted"; exit 1; }
cd "$scratch" || exit 1

without_progress() { # removes the lines of a run that takes long, as on a busy machine, from the file err
	sed -i '/^reading .*: *[0-9]* %, /d' err
}

# same_as_trace_cmd OURS THEIRS [EVENT]: with these options, all lines are equal except those of EVENT, a regular expression. libtraceevent
# misreads the flags of timer_start: tests/schema/oracle/print-differences.txt.
same_as_trace_cmd() {
	local but=" (${3-timer_start}): "

	# shellcheck disable=SC2086
	"$tracewire" report -q $1 x.pcapng >all.ours || fail "report $1 ended with status $?"
	# shellcheck disable=SC2086
	trace_cmd_report -N $2 "$dat" >all.theirs
	grep -vE "$but" all.ours | as_trace_cmd >ours
	grep -vE "$but" all.theirs >theirs
	[ "$(wc -l <theirs)" -gt 30000 ] || fail "trace-cmd report $2 prints $(wc -l <theirs) lines"
	cmp -s ours theirs && [ "$(wc -l <all.ours)" = "$(wc -l <all.theirs)" ] && return
	fail "report $1 is not trace-cmd report $2:"
	diff ours theirs | head -n 6
}

same_as_trace_cmd "" ""
same_as_trace_cmd "-t" "-t"
same_as_trace_cmd "-l" "-l"
same_as_trace_cmd "--delta" "--ts-diff"
same_as_trace_cmd "--relative" "--align-ts"
same_as_trace_cmd "--cpu 1" "--cpu 1"
# Relative times and the times of --since begin at the first event of the capture, even if this event is not shown
"$tracewire" report -q -t --relative --since 0.5 -e sched_switch x.pcapng | awk 'NR == 2 { print substr($3, 1, 3) }' >first
expect "time of the first event since 0.5 s" 0.5 "$(cat first)"
"$tracewire" report -q -j --relative --since 0.5 --until 0.6 x.pcapng | python3 -c 'import json, sys
times = [json.loads(line)["time_ns"] for line in sys.stdin]
assert times and 500000000 <= min(times) and max(times) <= 600000000, (min(times), max(times))' || fail "--relative and --since differ"
same_as_trace_cmd "-l --delta -t" "-l --ts-diff -t"
same_as_trace_cmd "--relative --delta --cpu 0-1" "--align-ts --ts-diff --cpu 0,1"
# If an argument is a single field, -R of trace-cmd uses the print fmt. -R of tracewire never does.
same_as_trace_cmd "-R" "-R" \
	"kmem_cache_alloc|hrtimer_start|sched_wak(ing|eup|eup_new)|timer_(start|expire_entry)|signal_deliver|workqueue_(queue_work|execute_start|execute_end)"

# The function graph has the layout of trace-cmd with its plugins
"$tracewire" convert -q "$(dirname "$dat")/debian-6.1-graph.dat" graph.pcapng || fail "debian-6.1-graph.dat cannot be converted"
"$tracewire" report -q graph.pcapng | grep ' funcgraph_' >ours
trace_cmd_report "$(dirname "$dat")/debian-6.1-graph.dat" | grep ' funcgraph_' >theirs
expect "lines of the function graph" 457 "$(wc -l <theirs)"
diff ours theirs >differ || fail "the function graph differs: $(head -n 4 differ)"

# Events that were removed are reported as missing, whichever program wrote the file last. They may have been filtered, so they are not lost.
editcap x.pcapng cut.pcapng 30000-30009
"$tracewire" report -v cut.pcapng 2>err >/dev/null
without_progress
expect "the ledger" "ledger   79648 recorded: 79638 delivered, 10 wire; open" "$(grep ^ledger err)"
expect "the first lines of the summary" "79638 events, 0 lost, 10 missing: filtered or lost
10 missing on the way to the capture, filtered or lost: if no filter is on the way, send slower with the option --rate of \`stream\`" \
	"$(head -n 2 err)"
"$tracewire" report cut.pcapng 2>err >/dev/null
without_progress
expect "lines without -v" 3 "$(wc -l <err)"
expect "the last line without -v" "details: add -v, or see \`tracewire info cut.pcapng\`" "$(tail -n 1 err)"

# Events by name: report prints the lines of all events with that name
"$tracewire" report -q x.pcapng >plain
"$tracewire" report -q -e sched_switch,irq:irq_handler_e* x.pcapng >chosen
grep -E '^cpus=|: (sched_switch|irq_handler_e[a-z]*): ' plain | cmp -s - chosen || fail "-e prints other lines than those of its events"
"$tracewire" report -q --cpu 4 x.pcapng >none || fail "a CPU without events"
expect "events of CPU 4" 0 "$(grep -c . none)"

# Tasks by pid and by name: the lines of these tasks, in the same order
"$tracewire" report -q -P 0,132 x.pcapng | tail -n +2 >chosen
grep -E -- '^ +[^ ]+-(0|132) +\[' plain | cmp -s - chosen || fail "-P prints other lines than those of its tasks"
"$tracewire" report -q --comm 'b[a]s?,<idle>' --comm 'trace-*' x.pcapng | tail -n +2 >chosen
grep -E -- '^ +(bash|<idle>|trace-[^ ]*)-[0-9]+ +\[' plain | cmp -s - chosen || fail "--comm prints other lines than those of its tasks"

# Times since the first event, and times of day: the lines with these times, both included
"$tracewire" report -q -t x.pcapng | tail -n +2 >full
cat >between.py <<'END'
import re, sys

first, wanted = None, False
for line in open("full"):
	time = re.search(r"\] +(\d+)\.(\d{9}): ", line) # a line without a time continues the line before it
	if time:
		ns = int(time[1] + time[2])
		first = ns if first is None else first
		wanted = int(sys.argv[1]) <= ns - first <= int(sys.argv[2])
	if wanted:
		print(line, end="")
END
"$tracewire" report -q -t --since 0.5 --until 700000000ns x.pcapng | tail -n +2 >chosen
python3 between.py 500000000 700000000 | cmp -s - chosen || fail "--since and --until print $(wc -l <chosen) lines"
exact=$(awk -v first="$(awk 'NR == 1 { sub(":", "", $3); print $3 }' full)" 'NR == 5000 { sub(":", "", $3); printf "%.9f", $3 - first }' full)
"$tracewire" report -q -t --since "$exact" --until "$exact" x.pcapng | grep -qxF "$(sed -n 5000p full)" || fail "no event at $exact"
sample=$(dirname "$0")/../data/sample.pcapng
"$tracewire" report -q -t --wall "$sample" | tail -n +2 >wall
day_of() { # day_of LINE: the time of day in line LINE of `wall`
	sed -n "$1p" wall | sed -E 's/^.*(20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]{8}\.[0-9]{9}): .*/\1/'
}
for zone in "" Z; do
	"$tracewire" report -q -t --wall --since "$(day_of 20)$zone" --until "$(day_of 40)$zone" "$sample" | tail -n +2 >chosen
	sed -n 20,40p wall | cmp -s - chosen || fail "--since with the time of day '$zone' prints $(wc -l <chosen) lines"
done
TZ=UTC-2 "$tracewire" report -q -t --wall --since "@$(date -u -d "$(day_of 20)Z" +%s.%N)" "$sample" | tail -n +2 >chosen
expect "lines since seconds of 1970" $(($(wc -l <wall) - 19)) "$(wc -l <chosen)"
"$tracewire" report --since today "$sample" >out 2>err || fail "--since today: $(cat err)"
expect "lines since today" 0 "$(grep -c . out)"
says err "time     the last event is 0.197255440 s after the first; the events are from $(day_of 1 | cut -c 1-26) to $(day_of 330 | cut -c 1-26)" ||
	fail "no times of the capture: $(cat err)"
"$tracewire" report --since 15903.5 "$sample" >out 2>err || fail "--since after the end: $(cat err)"
says err "         a number in --since or --until is a time since the first event; --relative prints such times" ||
	fail "no word of --relative: $(cat err)"

# The time of day is printed if it is known: a trace.dat does not have it.
"$tracewire" report -q --wall -t "$sample" | head -n 2 | tail -n 1 |
	grep -qE '^ +[^ ]+-[0-9]+ +\[[0-9]{3}\] 2026-[0-9]{2}-[0-9]{2} [0-9:]{8}\.[0-9]{9}: [a-z_]+: ' ||
	fail "--wall prints $("$tracewire" report -q --wall -t "$sample" | head -n 2 | tail -n 1)"
"$tracewire" report -v --wall x.pcapng >wall.txt 2>err || fail "--wall without a time of day: $(cat err)"
"$tracewire" report -q x.pcapng | cmp - wall.txt || fail "--wall changes what has no time of day"
grep -qE "^$(($(wc -l <wall.txt) - 1)) events without a time of day, shown with the time of the trace clock$" err || fail "no word of that: $(cat err)"

# JSON: each line is an object, and its text equals the line
cat >lines.py <<'END'
import json, sys

for line in sys.stdin.buffer:
	e = json.loads(line.decode("utf-8"))
	for value in e["fields"].values():
		assert not isinstance(value, int) or abs(value) < 2 ** 53, line
	seconds, fraction = e["time"].split(".")
	assert e["time_ns"] == int(seconds) * 10 ** 9 + int(fraction), line
	us = (int(seconds) * 10 ** 9 + int(fraction) + 500) // 1000
	print("%16s-%-5d [%03d] %5d.%06d: %-21s %s" % (e["comm"], e["pid"], e["cpu"], us // 10 ** 6, us % 10 ** 6, e["event"] + ":", e["text"]))
END
"$tracewire" report -q --json x.pcapng | python3 lines.py >json || fail "--json is not read by python3"
tail -n +2 plain | cmp - json || fail "--json has other texts"

# Tables: the fields and the quotes of tshark, line by line
fields=(-e trace.cpu -e trace.pid -e trace.comm -e trace.event -e trace.sched.sched_switch.prev_comm -e trace.sched.sched_switch.prev_pid
	-e trace.sched.sched_switch.prev_state -e trace.irq.softirq_raise.vec -e trace.kmem.kmem_cache_alloc.ptr)
if [ -d "$plugins" ] && command -v tshark >/dev/null && [ "$(id -u)" = 0 ]; then
	sanitizers=$(ldd "$plugins"/*/epan/tracewire.so 2>/dev/null | awk '/lib[au][bs]*san/ { print $3 }' | paste -sd:)
	cp -r "$plugins" plugins && chmod -R a+rX "$scratch"
	editcap -r x.pcapng few.pcapng 1-5000 2>err || fail "editcap: $(cat err)"
	for way in 'n x 79649' 'd few 4000'; do
		read -r quote file least <<<"$way"
		setpriv --reuid 65534 --regid 65534 --clear-groups env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME HOME="$scratch" \
			WIRESHARK_PLUGIN_DIR="$scratch/plugins" ${sanitizers:+LD_PRELOAD=$sanitizers ASAN_OPTIONS=detect_leaks=0} \
			tshark -r - -Y trace.event -T fields -E separator=, -E header=y -E quote=$quote "${fields[@]}" <$file.pcapng >theirs 2>err
		"$tracewire" report -q -T fields -E separator=, -E header=y -E quote=$quote "${fields[@]}" $file.pcapng >ours
		[ "$(wc -l <theirs)" -ge "$least" ] || fail "tshark prints $(wc -l <theirs) lines: $(head -n 3 err)"
		cmp -s ours theirs || fail "-T fields with quote=$quote differs from tshark: $(diff ours theirs | head -n 4)"
	done
else
	echo "not checked: the tables of tshark, which needs root, tshark and the plugin"
fi

# CSV: python reads each value as in JSON; a field that an event does not have is empty
cat >rows.py <<'END'
import csv, json, sys

rows = csv.DictReader(open("csv", newline="", encoding="utf-8"), strict=True)
n = 0
for row, line in zip(rows, open("json"), strict=True):
	e = json.loads(line)
	n += 1
	for name in ("time", "cpu", "pid", "comm", "system", "event", "text", "flags"):
		assert row[name] == str(e[name]).replace("\n", " ").rstrip(" ") or name == "text" and row[name] == e[name].replace("\n", " ").replace("\t", " ").rstrip(), (row, e)
	assert row["time_ns"] == str(e["time_ns"]), row
	for name in ("next_comm", "prev_prio", "sched_switch.next_pid"):
		of = name.split(".")
		value = e["fields"].get(of[-1], "") if len(of) == 1 or of[0] == e["event"] else ""
		assert row[name] == str(value), (name, row, e)
assert n > 70000, n
END
"$tracewire" report -q -j x.pcapng >json
"$tracewire" report -q --csv -e time,time_ns,cpu,pid,comm,system,event,flags,next_comm,prev_prio,sched_switch.next_pid -e text x.pcapng >csv
python3 rows.py || fail "--csv is not what --json has"
expect "default columns" time,host,cpu,pid,comm,system,event,text "$("$tracewire" report -q --csv x.pcapng | head -n 1)"
expect "a table without events" "time prev_pid" "$("$tracewire" report -q --csv -E separator=/s --cpu 4 -e time,prev_pid x.pcapng)"
"$tracewire" report -q -e sched_switch --event sched_wakeup x.pcapng | cmp -s - <("$tracewire" report -q --event sched_switch,sched_wakeup x.pcapng) ||
	fail "-e without a table is not --event"

# time_ns has all digits of a time of day, which a double cannot hold
"$tracewire" report -q -j --wall "$sample" | grep -oE '"time":"[0-9.]*","time_ns":[0-9]+' | sed -E 's/.*"([0-9]+)\.([0-9]+)",.*:/\1\2 /' |
	awk '$1 != $2 || length($1) != 19 { wrong++ } END { exit wrong || NR < 300 }' || fail "time_ns is not time"

# Outputs that close
for _ in 1 2 3; do
	"$tracewire" report x.pcapng 2>err | head -n 1 >first
	expect "status of report | head -n 1" "0 0" "${PIPESTATUS[*]}"
	expect "what report | head says" "" "$(cat err)"
done
"$tracewire" report -q x.pcapng >/dev/full 2>err
expect "status on a full disk" 1 $?
grep -q "^tracewire report: printing x.pcapng failed: No space left on device" err || fail "a full disk: $(cat err)"
"$tracewire" report -q - <x.pcapng | cmp - plain || fail "standard input prints something else"

# Counts by event and by task: those of the events that the same options print
cat >counts.py <<'END'
import collections, json, sys

printed = [json.loads(line) for line in open("json")]
summary = json.load(open("summary"))
events = collections.Counter(e["system"] + ":" + e["event"] for e in printed)
tasks = collections.Counter((e["pid"], e["comm"]) for e in printed)
seconds = float(sys.argv[1]) if sys.argv[1:] else (printed[-1]["time_ns"] - printed[0]["time_ns"]) / 10 ** 9
assert summary["count"] == len(printed) > 1000 and summary["duration_ns"] == round(seconds * 10 ** 9)
assert {e["event"]: e["count"] for e in summary["event_counts"]} == events
assert {(t["pid"], t["comm"]): t["count"] for t in summary["task_counts"]} == tasks
for row in summary["event_counts"] + summary["task_counts"]:
	assert abs(row["share"] - row["count"] / len(printed)) < 1e-6 and abs(row["rate"] - row["count"] / seconds) < 1e-3, row
order = [row["count"] for row in summary["event_counts"]]
assert order == sorted(order, reverse=True)
END
for selection in "" "--since 0.5 --until 1.5 --comm ls -e sched,irq" "--cpu 1 -f prev_pid==0"; do
	# shellcheck disable=SC2086
	"$tracewire" report -q -j $selection x.pcapng >json
	# shellcheck disable=SC2086
	"$tracewire" report -q -j --summary $selection x.pcapng >summary
	# shellcheck disable=SC2046
	python3 counts.py $([[ $selection == *--since* ]] && echo 1) || fail "--summary $selection counts something else than it prints"
done
# The duration, for rates, is that of the selected range, as far as the capture has events of this range
duration() { "$tracewire" report -q -j --summary "$@" | python3 -c 'import json, sys; print(json.load(sys.stdin)["duration_ns"])'; }
expect "time from the first event to --until" 250000000 "$(duration --until 250ms x.pcapng)"
expect "time from --since to the last event" 292269333 "$(duration -e sched --since 2 --until 1h x.pcapng)"
expect "time from --since to --until, times of day" 100000000 "$(duration --since "$(day_of 20)" --until "@$(date -u -d "$(day_of 20)Z +0.1 seconds" +%s.%N)" "$sample")"
"$tracewire" report --summary -q -o summary x.pcapng || fail "--summary ended with status $?"
expect "frequent tasks" "32904 41.3% 0 <idle>" "$(awk '$5 == "<idle>" { print $1, $2, $4, $5 }' summary)"
expect "frequent events" "18251 22.9% kmem:kmem_cache_alloc" "$(awk '$4 == "kmem:kmem_cache_alloc" { print $1, $2, $4 }' summary)"
mergecap -w both.pcapng "$sample" x.pcapng
"$tracewire" report --csv -q -e irq_handler_entry.irq both.pcapng >out 2>err || fail "a column of the second stream: $(cat err)"
expect "values of the second stream" 5180 "$(tail -n +2 out | grep -c '[0-9]')"
"$tracewire" report --csv -q -e prev_pd - <x.pcapng >out 2>err
expect "status of an unknown column of standard input" "2 0" "$? $(wc -l <out)"
"$tracewire" report -q --csv -e prev_pd - < <(cat x.pcapng) >out 2>err
expect "status of an unknown column of a pipe" "2 79649" "$? $(wc -l <out)"
# If the input is a pipe, names of events are checked at its end. The name of an event that only the second stream has is no mistake, nor is
# the name of an event that did not occur.
"$tracewire" report -q -e sched_switch,nosuch - < <(cat x.pcapng) >out 2>err
expect "status of an unknown event of a pipe" 2 $?
says err "no event 'nosuch' in standard input; " && [ "$(wc -l <out)" -gt 1000 ] || fail "an unknown event of a pipe: $(cat err)"
"$tracewire" report -e irq -f 'irq_handler_entry.irq >= 0' both.pcapng >out 2>err || fail "an event of the second stream: $(cat err)"
"$tracewire" report -e signal_generate --until 0 x.pcapng >out 2>err || fail "an event that did not occur: $(cat err)"
without_progress
expect "events that did not occur" "0 of 79648 events, 0 lost" "$(head -n 1 err)"
"$tracewire" report --summary -q both.pcapng >summary
expect "idle tasks of two machines" "debian:tracewire-126 vm" "$(awk '$NF == "<idle>" { print $4 }' summary | sort | paste -sd' ')"
expect "distance of the idle tasks' names from the heading" "0 0" \
	"$(awk '/ comm$/ { at = index($0, "comm") } $NF == "<idle>" { print index($0, "<idle>") - at }' summary | paste -sd' ')"
expect "rate of two machines without a common clock" "unknown" "$(awk '$NF == "<idle>" { print $3 }' summary | sort -u)"
"$tracewire" report -v --since 0 --until 2000000 both.pcapng >out 2>err
without_progress
expect "events of the machine whose time is not that of the first" "79648 of 79978 events" "$(head -n 1 err | cut -d, -f 1)"
"$tracewire" report -q --csv -j -T fields -T text --until 0 x.pcapng | cmp -s - <("$tracewire" report -q --until 0 x.pcapng) ||
	fail "-T text does not replace an earlier format"
"$tracewire" report --summary x.pcapng >/dev/full 2>err
expect "status of --summary on a full disk, and lines" "1 1" "$? $(without_progress; wc -l <err)"
"$tracewire" report -q --csv -e text -R --until 0 x.pcapng >out
"$tracewire" report -q -R --until 0 x.pcapng | tail -n +2 | sed -E 's/^.*[0-9]: [a-z_]+: +//' >lines
expect "text of a table with -R" "$(cat lines)" "$(tail -n +2 out)"

# On a terminal, names of events are bold, and on a narrow terminal, lines have no blanks for the layout. Nothing else differs.
on_terminal() { # on_terminal COLUMNS [VARIABLE=VALUE]: prints what report writes to a terminal
	script -qec "stty cols $1; env TERM=xterm NO_COLOR= ${2-} '$tracewire' report -q --until 0.1 x.pcapng" /dev/null </dev/null | tr -d '\r'
}
"$tracewire" report -q --until 0.1 x.pcapng >chosen
esc=$(printf '\033')
on_terminal 200 >shown
grep -qE "^ +bash-132 +\[000\] +[0-9.]+: $esc\[1msched_switch$esc\[m: {9}prev_comm=" shown || fail "on a terminal: $(sed -n 2p shown | cat -v)"
sed "s/$esc\[1\?m//g" shown | cmp -s - chosen || fail "colour changes more than colour"
for variable in NO_COLOR=1 TERM=dumb TERM=; do
	on_terminal 200 $variable | cmp -s - chosen || fail "with $variable lines have colour"
done
on_terminal 99 NO_COLOR=1 >shown
grep -q '^bash-132 \[000\] *[0-9.]*: sched_switch: prev_comm=' shown || fail "on a narrow terminal: $(sed -n 2p shown)"
tr -s ' ' <shown | cmp -s - <(tr -s ' ' <chosen | sed 's/^ //') || fail "a narrow terminal shows something else"
on_terminal 100 NO_COLOR=1 | cmp -s - chosen || fail "100 columns are too narrow"

# The file of -o appears when it is complete, and replaces an older file of this name. After a failure, the older file stays
echo old >file.txt
"$tracewire" report -q -o file.txt x.pcapng >out || fail "-o ended with status $?"
cmp -s file.txt plain && [ ! -s out ] || fail "-o writes something else"
chmod 604 file.txt
"$tracewire" report -q -o file.txt x.pcapng && expect "permissions of a file that -o replaces" 604 "$(stat -c %a file.txt)"
ln -s nowhere link.txt
run 2 "$tracewire" report -o link.txt x.pcapng
says err "link.txt is a symbolic link to a file that does not exist" || fail "-o with a dangling link: $(cat err)"
run 2 "$tracewire" report --csv -e prev_pd -o file.txt x.pcapng
cmp -s file.txt plain || fail "a failed report replaced the file"
run 2 "$tracewire" report -o x.pcapng x.pcapng
says err "x.pcapng is the input file" || fail "-o with the input: $(cat err)"
run 1 "$tracewire" report -o missing/file.txt x.pcapng
says err "missing/file.txt cannot be created" || fail "-o in no directory: $(cat err)"
head -c 6000000 x.pcapng | "$tracewire" report -q -o file.txt - 2>err
expect "status of a damaged capture with -o" 1 "${PIPESTATUS[1]}"
[ "$(wc -l <file.txt)" -gt 30000 ] || fail "of a damaged capture -o has $(wc -l <file.txt) lines"
"$tracewire" report -q -o - x.pcapng | cmp -s - plain || fail "-o - is not standard output"
expect "temporary files of -o" "" "$(find . -name '.file.txt*')"

# refused STATUS SENTENCE ARGUMENT...: only the reason is printed
refused() {
	local status=$1 sentence=$2
	shift 2
	run "$status" "$tracewire" report "$@" </dev/null
	says err "$sentence" || fail "report $* says: $(cat err)"
	expect "lines of report $*" 0 "$(wc -l <out)"
}

refused 2 'report needs a capture'
refused 2 'cannot open missing: No such file' missing
refused 1 'Is a directory' .
: >empty
refused 2 'empty' empty
echo "this is some text, and no capture at all" >text
refused 2 'text is neither a pcapng nor a pcap file' text
refused 2 'tracewire convert' "$dat"
printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\1\0\0\0' >none.pcap
refused 2 'no Tracewire frames' none.pcap
# Packets of other protocols are ignored, and counted
packet='\1\0\0\0\0\0\0\0\74\0\0\0\74\0\0\0'
editcap -F nsecpcap "$sample" others.pcap
for n in "1 packet ignored, because it is" "2 packets ignored, because they are"; do
	{ printf '%b' "$packet"; head -c 60 /dev/zero; } >>others.pcap
	"$tracewire" report others.pcap 2>err | cmp -s - <("$tracewire" report -q "$sample") || fail "packets of others: $(cat err)"
	expect "what is said of $n" "330 events, 0 lost
$n not Tracewire's
details: add -v, or see \`tracewire info others.pcap\`" "$(cat err)"
done

refused 2 'exclude each other' --wall --relative x.pcapng
refused 2 '--cpu' --cpu 1- x.pcapng
refused 2 "no event 'sched_nosuch' in x.pcapng; did you mean sched_switch?" -e sched_nosuch x.pcapng
refused 2 "no event 'sched:nosuch\*' in x.pcapng; \`tracewire info --events\` shows the events of a capture" -e 'sched_switch,sched:nosuch*' x.pcapng
refused 2 "column 10: there is no event 'sched_swich'; did you mean 'sched_switch'?" -f 'event == sched_swich or prev_pid == 0' x.pcapng
refused 2 "column 15: no event has a field 'prev_pd'; did you mean 'prev_pid'?" --summary -f 'cpu == 1 and (prev_pd == 0)' x.pcapng
refused 2 "column 'prev_pd': no event of the capture has this field; did you mean prev_pid?" --csv -e prev_pd x.pcapng
refused 2 "column 'sched_swich.prev_pid': no event of the capture has this name; did you mean sched_switch?" --csv -e sched_swich.prev_pid x.pcapng
refused 2 "column 'sched_switch' is the name of events, but a column is a field" --csv -e sched_switch x.pcapng
refused 2 "-E 'quote=x' is none of" -T fields -E quote=x x.pcapng
refused 2 "-T 'pdml' is none of text, json and fields" -T pdml x.pcapng
refused 2 '-E is for tables' -E header=y x.pcapng
refused 2 '--csv and --delta exclude each other' --csv --delta x.pcapng
refused 2 '--summary and --csv exclude each other' --csv --summary x.pcapng
refused 2 "--pid '1,' is not a list of pids" -P 1, x.pcapng
refused 2 'x.pcapng has no time of day: give --since and --until as the time since the first event' --since today x.pcapng
refused 2 "--since '-1s': a number is the time since the first event" --since -1s x.pcapng
refused 2 "--until '25:00' is not a time" --until 25:00 x.pcapng
refused 2 '--since is later than --until' --since 2 --until 100ms x.pcapng

# Copies with changed frames. A frame header has its version at offset 4, the TLVs begin at 48.
cat >change.py <<'END'
import sys, struct

def packets(data):
	at = 0
	while at < len(data):
		kind, size = struct.unpack_from("<II", data, at)
		if kind == 6:
			yield at, at + 28
		at += size

data = bytearray(open("x.pcapng", "rb").read())
what = sys.argv[1]
n = 0
for block, packet in packets(data):
	frame = packet + 14
	n += 1
	if what == "version":
		data[frame + 4] = 99
	elif what == "formats":
		at, end = frame + 48, frame + struct.unpack_from(">H", data, frame + 6)[0]
		while at + 4 <= end:
			kind, size = struct.unpack_from(">HH", data, at)
			if kind == 6: # SCHEMA becomes an unknown TLV
				data[at:at + 2] = b"\x7f\0"
			at += (size + 3) & ~3
	elif what == "strings": # hostile names of tasks
		hostile = (b"\xe2\x80\xa8\"", b"\xff\x1b\\\n", b"\xc2\x9b\xed\xa0", b"\xf4\x90\x7f\x01")[n % 4]
		end = block + struct.unpack_from("<I", data, block + 4)[0]
		data[frame + 48:end] = data[frame + 48:end].replace(b"bash", hostile)
	elif what == "some" and n % 1000 == 0:
		data[frame + 4] = 99
open(what + ".pcapng", "wb").write(data)
END
python3 change.py version && refused 2 'an unknown version of the wire format' version.pcapng

# Events without a format are printed as bytes and counted. If some frames are unknown, all others are printed
python3 change.py formats
"$tracewire" report -v formats.pcapng >out 2>err || fail "without formats: status $?"
expect "events as bytes" 79648 "$(grep -c '\[unknown event [0-9]*\]:\( [0-9a-f][0-9a-f]\)*$' out)"
expect "lines of -v, which repeat nothing" 4 "$(without_progress; wc -l <err)"
grep -q '^79648 events without a format in the file, shown as bytes$' err || fail "without formats it says: $(cat err)"
refused 2 "no event 'sched_switch' in formats.pcapng, which has no formats of events" -e sched_switch formats.pcapng
"$tracewire" report --json -q formats.pcapng | python3 -c 'import json, sys; [json.loads(l)["bytes"] for l in sys.stdin]' || fail "JSON of bytes"
python3 change.py some
"$tracewire" report -v some.pcapng >out 2>err || fail "frames of another version among others: status $?"
grep -q '^[0-9]* frames of an unknown version of the wire format: use a newer Tracewire$' err || fail "frames of another version: $(cat err)"
grep -vxFf plain out && fail "lines that are not in the whole capture"

# Strings with any bytes become valid JSON, and have no effect on a terminal
python3 change.py strings
"$tracewire" report -q --json strings.pcapng >out || fail "hostile strings: status $?"
python3 -c 'import json, sys
seen = set()
for line in open("out", "rb"):
	assert not any(c < 32 and c != 10 or c == 127 for c in line) and b"\xc2\x9b" not in line, line
	event = json.loads(line.decode("utf-8"))
	seen |= {v for v in event.get("fields", {}).values() if isinstance(v, str)}
missing = {r"\xe2\x80\xa8" + chr(34), r"\xff\x1b\\x0a", r"\xc2\x9b\xed\xa0", r"\xf4\x90\x7f\x01"} - seen
assert not missing, missing' || fail "hostile strings in JSON"

"$tracewire" report -q --csv -e comm,prev_comm,next_comm,text strings.pcapng >out || fail "hostile strings in a table: status $?"
python3 -c 'import csv
rows = list(csv.reader(open("out", encoding="utf-8", newline=""), strict=True))
assert all(len(row) == 4 for row in rows) and len(rows) == 79649, len(rows)
assert not any(c < " " or c == "\x7f" or c == "\u2028" for row in rows for value in row for c in value)
assert any(chr(34) in row[1] for row in rows)' || fail "hostile strings in a table"

# A file is truncated at any position: everything before it is printed, and the position is reported
size=$(stat -c %s x.pcapng)
for at in 1 3 4 11 27 28 100 $((size / 3)) $((size / 2 + 1)) $((size / 2 + 7)) $((size - 100)) $((size - 3)) $((size - 1)); do
	head -c "$at" x.pcapng >cut.pcapng
	"$tracewire" report -q cut.pcapng >out 2>err
	got=$?
	if [ "$at" -lt 4 ]; then expect "status of $at bytes" 2 $got; else
		expect "status of $at bytes" 1 $got
		grep -qE '^tracewire report: cut.pcapng is damaged at byte [0-9]+: ' err || fail "$at bytes: $(cat err)"
	fi
	head -n "$(wc -l <out)" plain | cmp -s - out || fail "$at bytes: other lines than those of the whole"
	[ "$at" -lt $((size - 100)) ] || [ "$(wc -l <out)" -ge 79640 ] || fail "$at of $size bytes: only $(wc -l <out) lines"
done
dd if=/dev/zero of=x.pcapng bs=1 seek=$((size / 2)) count=4096 conv=notrunc 2>/dev/null
"$tracewire" report -q x.pcapng >out 2>err
expect "status of a damaged file" 1 $?
grep -qE 'x.pcapng is damaged at byte [0-9]+' err || fail "a damaged file: $(cat err)"
head -n "$(wc -l <out)" plain | cmp -s - out || fail "a damaged file: other lines than those of the whole"
[ "$(wc -l <out)" -gt 30000 ] || fail "a damaged file: only $(wc -l <out) lines"
exit $failed
