#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The names of a process, a host and a file, the text of a mark and the data of an event contain control characters, bidirectional overrides
# and invalid UTF-8. They are traced, and appear on a terminal, in JSON and in XML only as \xNN.
# Usage: strangers.sh TRACEWIRE
namespaces="--net --mount --uts"
tracewire=$1
. "$(dirname "$0")/common.sh"
need python3 script
# At the end, the task names that the kernel has saved are removed, because they would appear in the traces of other tests.
at_end 'end_started 2>/dev/null; forget_task_names'
ip link set lo up
checker=$(cd "$(dirname "$0")/../dissector" && pwd)/strangers.py

# printable KIND WHAT: standard input, which is the output of WHAT, has printable characters only
printable() {
	python3 "$checker" "$@" >"$scratch/checked" || fail "$(cat "$scratch/checked")"
}

# The name has ESC, a line break, a surrogate, an 8-bit C1 character and U+202E; the name of a task has at most 15 bytes.
python3 -c 'import socket; socket.sethostname(b"h\x1b[1m\n\xed\xa0\x80\x9b\xe2\x80\xae")' || fail "no such name of a host"
cat >"$scratch/stranger" <<'END'
import ctypes, os, subprocess, sys, time
evil = b"\x1b[1m\n\xed\xa0\x80\x9b\xe2\x80\xae"
instance, program = sys.argv[1].encode(), sys.argv[2].encode() + evil
ctypes.CDLL(None).prctl(15, ctypes.c_char_p(evil), 0, 0, 0) # PR_SET_NAME
with open(instance + b"/trace_marker", "wb", buffering=0) as marker:
	marker.write(b"plain\n")
	marker.write(b"mark " + evil + b"\tmark\n")
os.symlink("/bin/true", program) if not os.path.lexists(program) else None
subprocess.run([program])
if len(sys.argv) > 3: # user_event writes its event when .go exists
	open(sys.argv[3] + ".go", "w").close()
	while not os.path.exists(sys.argv[3] + ".gone"):
		time.sleep(0.01)
END
cat >"$scratch/user_event" <<'END'
import ctypes, fcntl, os, struct, sys, time
evil = b"\x1b[1m\n\xed\xa0\x80\x9b\xe2\x80\xae"
with open(sys.argv[1], "r+b", buffering=0) as events:
	text = ctypes.create_string_buffer(b"tw_stranger char text[32]")
	enabled = ctypes.c_uint32(0)
	reg = bytearray(struct.pack("<IBBHQQI", 28, 31, 4, 0, ctypes.addressof(enabled), ctypes.addressof(text), 0))
	fcntl.ioctl(events, 0xc0082a00, reg) # DIAG_IOCSREG
	print("registered", file=sys.stderr, flush=True)
	while not os.path.exists(sys.argv[2] + ".go"):
		time.sleep(0.01)
	events.write(reg[24:28] + evil.ljust(32, b"\0"))
	open(sys.argv[2] + ".gone", "w").close()
END
cat >"$scratch/command" <<END
#!/bin/bash
tracing=$tracing
. "$(cd "$(dirname "$0")" && pwd)/../shell/tracing.sh"
exec python3 "$scratch/stranger" "\$(instances \$PPID | grep -v -- -tasks | head -n 1)" "$scratch/program" \$STRANGERS_EVENT
END
chmod +x "$scratch/command"
user_event=
if [ -e "$tracing/user_events_data" ]; then
	in_background user_event python3 "$scratch/user_event" "$tracing/user_events_data" "$scratch/event"
	registered=$pid
	wait_for eval '[ -s "$scratch/user_event.err" ]'
	says "$scratch/user_event.err" '^registered$' && user_event=,user_events:tw_stranger
fi
[ "$user_event" ] || echo "left out: this kernel takes no user events: $(tail -n 1 "$scratch/user_event.err" 2>&1)"

file=$scratch/x.pcapng
STRANGERS_EVENT=${user_event:+$scratch/event} "$tracewire" record -q -e "task:task_rename,sched:sched_process_exec,sched:sched_process_exit$user_event" -w "$file" -- "$scratch/command" 2>"$scratch/err" ||
	fail "record: $(cat "$scratch/err")"
chmod a+r "$file"

"$tracewire" report -q "$file" >"$scratch/report"
printable text report <"$scratch/report"
for pattern in ': task_rename: .* newcomm=\\x1b\[1m\\x0a\\xed\\xa0\\x80\\x9b\\xe2\\x80\\xae ' ': sched_process_exec: .*program\\x1b\[1m\\x0a' \
	': print: .*: plain$' ': print: .*: mark \\x1b\[1m\\x0a\\xed\\xa0\\x80\\x9b\\xe2\\x80\\xae\\x09mark$' '^ *\\x1b\[1m[^ ]*-[0-9]+ .*: sched_process_exit: '; do
	grep -qE -- "$pattern" "$scratch/report" || fail "report has no '$pattern': $(tail -n 20 "$scratch/report")"
done
if [ "$user_event" ]; then
	wait "$registered" || fail "the user event: $(cat "$scratch/user_event.err")"
	grep -qE ': tw_stranger: .*\\x1b\[1m' "$scratch/report" || fail "no user event: $(tail -n 20 "$scratch/report")"
fi
on_terminal() { # VARIABLE=VALUE...: prints what report writes to a wide terminal
	env TERM=xterm "$@" script -qec "stty cols 200; '$tracewire' report -q '$file'" /dev/null </dev/null | tr -d '\r'
}
on_terminal NO_COLOR=1 >"$scratch/terminal"
cmp "$scratch/report" "$scratch/terminal" || fail "on a terminal report writes something else"
on_terminal >"$scratch/coloured"
grep -q $'\x1b' "$scratch/coloured" || fail "report has no colours on a terminal"
sed -E $'s/\x1b\\[[0-9;]*m//g' "$scratch/coloured" | cmp "$scratch/report" - || fail "on a terminal report writes more than colours"
"$tracewire" report -q --raw "$file" >"$scratch/raw"
grep -qa $'newcomm=\033\\[1m$' "$scratch/raw" || fail "--raw has not the name's bytes"
"$tracewire" report -jq "$file" | printable jsonl "report --json"
"$tracewire" info "$file" | printable text info
"$tracewire" info -j "$file" | printable json "info --json"
tshark -r "$file" 2>"$scratch/err" | printable text tshark
tshark -r "$file" -V 2>"$scratch/err" | printable text "tshark -V"
tshark -r "$file" -T json 2>"$scratch/err" | printable json "tshark -T json"
tshark -r "$file" -T ek 2>"$scratch/err" | printable jsonl "tshark -T ek"
tshark -r "$file" -T pdml 2>"$scratch/err" | printable xml "tshark -T pdml"
expect "events of the task: a filter on bytes, and one on what is shown" "$("$tracewire" report -q -f 'comm == "\x1b[1m\n\xed\xa0\x80\x9b\xe2\x80\xae"' "$file" |
	grep -c ': ')" "$(tshark -r "$file" -Y 'trace.comm == r"\x1b[1m\x0a\xed\xa0\x80\x9b\xe2\x80\xae"' 2>"$scratch/err" | wc -l)"

# live
"$tracewire" live -e 'task:task_rename,sched:sched_process_exec' -- "$scratch/command" >"$scratch/live" 2>"$scratch/live.err" ||
	fail "live: $(cat "$scratch/live.err")"
printable text live <"$scratch/live"

# The messages of capture about a stream with such a name, and about a file with such a name
name=$scratch/$'y\033[1m\n\xed\xa0\x80.pcapng'
in_background capture "$tracewire" capture -u 18111 -w "$name" --status 0.1 -j
capture=$pid
wait_for eval "ss -Hlun 'sport = :18111' | grep -q ."
"$tracewire" stream -q -e 'task:task_rename' -u 127.0.0.1:18111 -- "$scratch/command" || fail "stream: $?"
wait_for says "$scratch/capture.err" '"status":\[\{'
interrupt "$capture"
printable jsonl "what capture says" <"$scratch/capture.err"
in_background people "$tracewire" capture -u 18111 -w "$name" --status 0.1
capture=$pid
wait_for eval "ss -Hlun 'sport = :18111' | grep -q ."
"$tracewire" stream -q -e 'task:task_rename' -u 127.0.0.1:18111 -- "$scratch/command" || fail "stream: $?"
wait_for says "$scratch/people.err" ' recorded: '
interrupt "$capture"
printable text "what capture says to people" <"$scratch/people.err"
"$tracewire" capture -w "$scratch"/$'no\033\xed\xa0\x80/x.pcapng' -u 18111 2>&1 | printable text "an error"

exit $failed
