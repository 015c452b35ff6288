# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests: tshark with the built plugin, an empty home, and functions to compare results. SAMPLES, PLUGINS and FORMATS are set
# by CTest.
set -u

command -v tshark > /dev/null || { echo "skipped: tshark is not installed"; exit 77; }

home=$(mktemp -d "${TMPDIR:-/tmp}/tracewire-dissector.XXXXXX")
trap 'rm -rf "$home"' EXIT
chmod 777 "$home"
failed=0

# If root runs the tests, tshark runs as nobody (see as_user), and may not be able to read the build directory.
if [ "$(id -u)" = 0 ]; then
	cp -r "$PLUGINS" "$home/plugins" && PLUGINS=$home/plugins
	cp -r "$SAMPLES" "$home/samples" && SAMPLES=$home/samples
	cp -r "$FORMATS" "$home/formats" && FORMATS=$home/formats
	chmod -R a+rX "$home"
fi

# Wireshark ignores WIRESHARK_PLUGIN_DIR with raised privileges, so root becomes nobody.
as_user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# If the plugin was built with sanitizers, their libraries must be loaded before it. Leaks are ignored: they would be Wireshark's.
sanitizers=$(ldd "$PLUGINS"/*/epan/tracewire.so 2> /dev/null | awk '/lib[au][bs]*san/ { print $3 }' | paste -sd:)

# Runs tshark with the plugin. A dissector bug aborts tshark; without this setting, tshark would only print a line.
shark() {
	as_user env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME HOME="$home" TZ=UTC LC_ALL=C \
		WIRESHARK_PLUGIN_DIR="$PLUGINS" WIRESHARK_ABORT_ON_DISSECTOR_BUG=1 \
		ASAN_OPTIONS=detect_leaks=0 ${sanitizers:+LD_PRELOAD="$sanitizers"} tshark "$@"
}

forget() {
	rm -rf "$home/.cache"
}

# expect WHAT WANTED GOT
expect() {
	if [ "$2" = "$3" ]; then
		echo "ok: $1"
	else
		printf 'FAILED: %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3"
		failed=1
	fi
}

# fields FILE FILTER FIELD...: the fields of matching frames, separated by '|', frames separated by a blank
fields() {
	local file=$1 filter=$2 args=() f
	shift 2
	for f in "$@"; do
		args+=(-e "$f")
	done
	shark -r "$SAMPLES/$file" -Y "$filter" -T fields -E separator='|' "${args[@]}" 2>&1 | as_in_4_0 | paste -sd' '
}

# Wireshark 4.0 prints booleans as 1 and 0, 4.4 as words; 4.4 puts a backslash before a separator or a backslash inside a value.
as_in_4_0() {
	sed 's/\bTrue\b/1/g; s/\bFalse\b/0/g; s/\\\([\\|]\)/\1/g'
}

# Displayed packets must be exported with the packets that they depend on. tshark 4.4 does not do so even for IP fragments. With such a
# tshark, the plugin's dependencies cannot be tested.
can_export() {
	shark -2 -r "$SAMPLES/fragments.pcap" -Y udp -w "$home/probe.pcapng" 2> /dev/null
	[ "$(shark -r "$home/probe.pcapng" 2> /dev/null | wc -l)" = 2 ] && return
	echo "skipped: exporting, as this tshark drops IP fragments too: $(tshark --version 2> /dev/null | head -1)"
	return 1
}

# count FILE FILTER [OPTION...]: number of matching frames
count() {
	local file=$1 filter=$2
	shift 2
	shark -r "$SAMPLES/$file" -Y "$filter" "$@" 2>&1 | wc -l
}

# Fills the cache from zoo.pcap, as if its 64-bit kernel had been seen a day before its 32-bit kernel. The 64-bit kernel then determines the
# fields' types.
learn_zoo() {
	shark -r "$SAMPLES/zoo.pcap" > "$home/out" 2>&1
	touch -d yesterday "$(grep -l 's8 minus' "$home"/.cache/tracewire/*.formats)"
}

finish() {
	exit $failed
}

[ -n "$(shark -o trace.cache:FALSE -r "$SAMPLES/basic.pcap" -Y trace.stream 2> /dev/null)" ] || {
	echo "FAILED: tshark does not load the plugin from $PLUGINS"
	exit 1
}
