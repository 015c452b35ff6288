#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tshark, with the plugin built with sanitizers, reads HOSTILE_FRAMES damaged frames (default 3000), and files with the same number of
# frames that are damaged anywhere or truncated. No crash, no sanitizer report, no dissector bug, no hang, and at most 100 KiB leaked. CTest
# sets MAKE_FRAMES, LEAK and RECORDING, in addition to the variables of tests/dissector/common.sh.
#
# First, 2 in 100 bytes are changed, which leaves little of the metadata; then 1 in 1000, which leaves most. A capture has at most 20,000
# frames: each changed stream id is a new stream, and the plugin keeps only some thousands of streams.
here=$(dirname "$0")
. "$here/../dissector/common.sh"

frames=${HOSTILE_FRAMES:-3000}
capture_max=20000
leak_max=$((100 * 1024))
frames_damaged='ruined damaged' # captures in which only frames are damaged
files_damaged='blocks anywhere cut'
file_error_max=3 # tshark's status for a file that it cannot read, or not to its end
limit=120 # seconds for one run; when this was written, the longest run took 7

# Copied like the files of common.sh, because the user of tshark may not be able to read the build directory.
cp "$LEAK" "$home/leak.so" && LEAK=$home/leak.so

[ -n "$sanitizers" ] || { echo "FAILED: the plugin in $PLUGINS was built without sanitizers"; exit 1; }

# make_capture SEED FRAMES: one half has generated streams with formats of a real kernel, the other half repeats a recording
make_capture() {
	local times=$(($2 / 2 / $(capinfos -Mcr -T "$RECORDING" | awk '{ print $2 }') + 1)) recordings=()

	ASAN_OPTIONS=detect_leaks=0 "$MAKE_FRAMES" "$FORMATS" "$home" made.pcap $(($2 / 2)) "$1" || return
	while [ $((times--)) -gt 0 ]; do
		recordings+=("$RECORDING")
	done
	mergecap -a -w "$home/whole.pcapng" "$home/made.pcap" "${recordings[@]}" &&
		editcap -E 0.02 --seed "$1" "$home/whole.pcapng" "$home/ruined.pcapng" &&
		editcap -E 0.001 --seed "$1" "$home/whole.pcapng" "$home/damaged.pcapng" &&
		"$here/damage.py" "$1" 0.001b "$home/whole.pcapng" "$home/blocks.pcapng" &&
		"$here/damage.py" "$1" 0.00001 "$home/whole.pcapng" "$home/anywhere.pcapng" &&
		"$here/damage.py" "$1" cut "$home/whole.pcapng" "$home/cut.pcapng" &&
		chmod a+r "$home"/*.pcapng
}

# leaked FILE: prints the number of leaked bytes, from the sanitizer's summary in FILE
leaked() {
	awk '/^SUMMARY:.* byte\(s\) leaked/ { n = $3 } END { print n + 0 }' "$1"
}

# watched OPTION...: runs tshark with all checks; its output is in $home/out, that of the sanitizers in $home/err
watched() {
	as_user env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME HOME="$home" TZ=UTC LC_ALL=C \
		WIRESHARK_PLUGIN_DIR="$PLUGINS" WIRESHARK_ABORT_ON_DISSECTOR_BUG=1 \
		ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=exitcode=0 UBSAN_OPTIONS=print_stacktrace=1 \
		${wmem:+WIRESHARK_DEBUG_WMEM_OVERRIDE=$wmem} \
		LD_PRELOAD="$sanitizers${preload:+:$preload}" timeout "$limit" tshark "$@" > "$home/out" 2> "$home/err"
}

declare -A seconds=() shown=() lost=()

# try FILES OPTION...: tshark reads these captures. Times are added up for each set of options. For an invalid file, tshark may only fail.
try() {
	local files=$1 file status bugs begin what

	shift
	what="$*${wmem:+, wmem $wmem}"
	for file in $files; do
		status=0 begin=$EPOCHREALTIME
		watched -r "$home/$file.pcapng" "$@" || status=$?
		[[ "$files" != "$files_damaged" || $status -gt $file_error_max ]] || status=0
		bugs=$(cat "$home/out" "$home/err" | grep -c 'Dissector bug\|runtime error\|ERROR: AddressSanitizer')
		if [ "$status $bugs $(($(leaked "$home/err") > leak_max))" != "0 0 0" ]; then
			echo "FAILED: $file.pcapng of seed $seed, tshark $what: status $status, $bugs bugs," \
				"$(leaked "$home/err") bytes leaked"
			tail -n 40 "$home/err"
			failed=1
		fi
		seconds[$what]=$(awk -v a="${seconds[$what]:-0}" -v b="$begin" -v e="$EPOCHREALTIME" 'BEGIN { print a + e - b }')
		shown[$what]=$((${shown[$what]:-0} + $(wc -l < "$home/out")))
		lost[$what]=$((${lost[$what]:-0} + $(leaked "$home/err")))
		forget
	done
}

preload=$LEAK watched -r "$SAMPLES/basic.pcap" -q
expect "the leak detector sees a leak" yes "$([ "$(leaked "$home/err")" -gt "$leak_max" ] && echo yes)"

for ((seed = 1, done = 0; done < frames; seed++, done += n)); do
	n=$((frames - done < capture_max ? frames - done : capture_max))
	make_capture $seed $n || { echo "FAILED: the damaged captures cannot be made"; exit 1; }
	wmem=
	try "$frames_damaged" -V
	try "$frames_damaged" -2
	try "$frames_damaged" -Y 'trace.pid > 20 && trace.event contains "s"'
	try "$frames_damaged" -2 -T json -Y 'trace.any.next_comm contains "e" || trace.expert.malformed'
	try "$files_damaged" -V
	try "$files_damaged" -2 -Y 'trace.event contains "s" || trace.any.prev_pid > 100'
	wmem=strict
	try "$frames_damaged" -V
	try "$frames_damaged" -2 -Y 'trace.any.prev_pid > 100 || trace.any.name contains "a"'
done

for what in "${!shown[@]}"; do
	expect "tshark $what shows something" yes "$([ "${shown[$what]}" -gt 0 ] && echo yes)"
	printf '    %.1f s for %d frames a file, %d lines, %d bytes leaked\n' "${seconds[$what]}" "$frames" "${shown[$what]}" "${lost[$what]}"
done
finish
