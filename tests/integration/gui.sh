#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `live --gui` on a virtual display: Wireshark shows events at once, also for a root user without sudo. It stays open after Ctrl-C, when no
# other process of the run is left. Whichever process ends first, nothing is left.
# Usage: gui.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
need wireshark Xvfb

# Xvfb chooses the number of a free display.
mkfifo "$scratch/number"
in_background display Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3<>"$scratch/number"
read -r -t 30 number <"$scratch/number" || skip "no virtual display: $(cat "$scratch/display.err")"
export DISPLAY=:$number

home_of() { # PROCESS of tracewire: prints the home of the Wireshark that it started
	tr '\0' '\n' <"/proc/$(pgrep -P "$1" -x wireshark)/environ" | sed -n 's/^HOME=//p'
}

shows_events() { # HOME: the file that Wireshark shows has events
	local file
	for file in "$1"/wireshark_*; do
		[ "$(tshark -r "$file" -Y trace.event 2>/dev/null | head -n 5 | wc -l)" = 5 ] && return
	done
	return 1
}

# start_window NAME WORD...: starts `live --gui` and waits until Wireshark shows events. Sets $run and $window to the processes of tracewire
# and Wireshark, and $home to Wireshark's home.
start_window() {
	start_tracewire "$1" live -v -e sched:sched_process_exec,sched:sched_process_exit --gui "${@:2}"
	run=$pid
	wait_for pgrep -P "$run" -x wireshark >/dev/null
	window=$(pgrep -P "$run" -x wireshark)
	home=$(home_of "$run")
	wait_for shows_events "$home"
}

# all_gone NAME STATUS: the run ended with STATUS, and nothing of it is left
all_gone() {
	wait_for has_ended "$run"
	wait "$run"
	expect "$1: exit status" "$2" $?
	kill -0 "$window" 2>/dev/null && fail "$1: Wireshark still runs"
	[ -e "$home" ] && fail "$1: left behind: $home"
	[ -e /run/tracewire/home-"$run" ] && fail "$1: its note is left"
	nothing_left "$run"
}

# The first Ctrl-C ends the run, the next one ends Wireshark.
start_window twice
[[ $home == /tmp/tracewire-home-* ]] || fail "home of Wireshark: $home"
expect "owner and mode of its home" "nobody 700" "$(stat -c '%U %a' "$home")"
kill -INT "$run"
wait_for says "$scratch/twice.err" '^Wireshark stays open'
says "$scratch/twice.err" '^shown +[0-9]+ events' || fail "no summary: $(cat "$scratch/twice.err")"
nothing_left "$run"
kill -0 "$window" || fail "Wireshark has ended with the run"
sleep 0.6 # signals within half a second count as one
kill -INT "$run"
all_gone twice 0

# SIGTERM ends the run and Wireshark.
start_window terminated
kill -TERM "$run"
all_gone terminated 0

# If the user closes the window, the run ends.
start_window closed
kill -TERM "$window"
wait_for has_ended "$run"
wait "$run"
says "$scratch/closed.err" '^shown +[0-9]+ events' || fail "no summary: $(cat "$scratch/closed.err")"
[ -e "$home" ] && fail "left behind by a closed window: $home"
nothing_left "$run"

# When the command ends, the window stays open. The run has the exit status of the command.
start_window command -- sh -c 'for _ in 1 2 3 4 5 6 7 8 9; do sleep 0.3; done; exit 7'
wait_for says "$scratch/command.err" '^Wireshark stays open'
nothing_left "$run"
kill -INT "$run"
all_gone command 7

# The run is killed: the window stays usable, and cleanup removes the home of Wireshark.
start_window killed
kill_at_once "$run"
kill -0 "$window" || fail "Wireshark has ended with a killed run"
"$tracewire" cleanup --dry-run >"$scratch/would" || fail "cleanup --dry-run fails"
says "$scratch/would" "^would remove home directory $home" || fail "it would not remove $home: $(cat "$scratch/would")"
kill -TERM "$window"
wait_for has_ended "$window"
"$tracewire" cleanup >"$scratch/removed" || fail "cleanup fails"
[ -e "$home" ] && fail "cleanup leaves $home"
nothing_left "$run"
exit $failed
