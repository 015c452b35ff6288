#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `capture --status` prints one line per stream in each interval; on a terminal, a table that is updated in place; with -j, JSON; with -q,
# nothing.
# Usage: status.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
need script python3
ip link set lo up

# Four captures receive one stream each
receive() { # NAME PORT OPTION...
	echo "exec '$tracewire' capture -u $2 -w '$scratch/$1.pcapng' -v --status 0.1 ${*:3}"
}
start_capture() { # NAME PORT OPTION...
	in_background "$1" sh -c "$(receive "$@")"
	captures+=("$pid")
}
captures=() streams=()
start_capture lines 18101
start_capture json 18102 -j
start_capture quiet 18103 -q
in_background terminal env TERM=xterm script -qfc "stty rows 24 cols 80; $(receive terminal 18104)" "$scratch/typescript"
terminal=$pid
for port in 18101 18102 18103 18104; do
	wait_for eval "ss -Hlun 'sport = :$port' | grep -q ."
	in_background "stream$port" "$tracewire" stream -e sched:sched_switch -u "127.0.0.1:$port"
	streams+=("$pid")
done

has_statuses() { # FILE PATTERN: at least three different lines match
	[ "$(grep -aoE "$2" "$1" | sort -u | wc -l)" -ge 3 ]
}
name="$(uname -n):tracewire-[0-9.]+"
wait_for has_statuses "$scratch/lines.err" "^$name: [1-9][0-9]* recorded: .*; running"
wait_for has_statuses "$scratch/json.err" '^\{"status":\[\{"name":.*"recorded": ?[1-9][0-9]*'
wait_for has_statuses "$scratch/typescript" "$name +[1-9][0-9]* +[1-9][0-9]* +0 +running"
# The streams end first: a capture that ends before its stream has no END, and reports that.
kill -INT "${streams[@]}"
for pid in "${streams[@]}"; do
	wait "$pid" || fail "status of a stream: $?"
done
kill -INT "${captures[@]}" "$(pgrep -P "$terminal")"
for pid in "${captures[@]}" "$terminal"; do
	wait "$pid" || fail "status of a capture: $?"
done

expect "quiet: what it says" "" "$(cat "$scratch/quiet.err")"
grep -q $'\033' "$scratch/lines.err" && fail "control sequences without a terminal"
python3 - "$scratch/json.err" <<'END' || fail "what is said is no JSON"
import json, sys
objects = [json.loads(line) for line in open(sys.argv[1])]
said = [list(o)[0] for o in objects if "note" not in o] # notes are about objects of killed runs
limits = [o["limits"] for o in objects if "status" in o or "end" in o]
assert limits and all(set(l) == {"early", "metadata_bytes", "metadata_not_kept", "names_forgotten", "metadata_in_pieces", "not_asked",
	"classifiers_unread"} for l in limits), limits
assert max(l["metadata_bytes"] for l in limits) > 1000 # the last status may have 0, if the stream had ended
assert not any(v for k, v in limits[-1].items() if k != "metadata_bytes"), limits[-1]
assert said == ["begin"] + ["status"] * (len(said) - 2) + ["end"], objects
END

# At the end, a terminal of 24 lines shows the last table and no other.
python3 - "$scratch/typescript" >"$scratch/screen" <<'END'
import re, sys
lines, row = [""], 0
for word in re.findall(r"\033\[\d*[AJ]|\r|\n|[^\r\n\033]+", open(sys.argv[1], newline="").read()):
	if word.endswith("A") and word[0] == "\033":
		row -= int(word[2:-1])
		assert row >= 0
	elif word == "\033[J":
		lines[row:] = [""]
	elif word == "\n":
		row += 1
		lines += [""] * (row + 1 - len(lines))
	elif word != "\r":
		lines[row] += word
print("\n".join(lines))
END
expect "tables on the terminal" 1 "$(grep -c 'recorded  *delivered  *difference' "$scratch/screen")"
expect "tables that stood there" yes "$([ "$(grep -ac 'recorded  *delivered  *difference' "$scratch/typescript")" -gt 3 ] && echo yes)"
grep -qE "^$name .* closed$" "$scratch/screen" || fail "no ledger at the end: $(cat "$scratch/screen")"
exit $failed
