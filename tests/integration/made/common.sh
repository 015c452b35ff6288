# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# Sourced by the tests of this directory, whose arguments are TRACEWIRE and STREAMS, a program that sends made streams. Requires root.
# Enters a network namespace, and a mount namespace in which the built plugin replaces an installed one.
for part in namespace check processes network; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../../shell/$part.sh"
done
tracewire=$1
streams=$2
here=$(cd -- "$(dirname -- "$0")" && pwd)
need tshark python3
export HOME=$scratch TZ=UTC LC_ALL=C WIRESHARK_ABORT_ON_DISSECTOR_BUG=1 PYTHONDONTWRITEBYTECODE=1
unset XDG_CACHE_HOME XDG_CONFIG_HOME WIRESHARK_PLUGIN_DIR SUDO_UID SUDO_GID
mkdir "$scratch/epan"
cp "$PLUGIN" "$scratch/epan"
mount --bind "$scratch/epan" "$PLUGINDIR/epan" || { echo "FAIL: no plugin folder $PLUGINDIR/epan"; exit 1; }
ip link set lo up
ulimit -f $((2 << 20)) # limit of each file in KiB, so that a failure does not fill the disk

# start_capture NAME OPTION...: starts a capture in the background, and returns when it receives. The capture writes its messages to
# NAME.err, as JSON; its options name its file.
start_capture() {
	local name=$1
	shift
	in_background "$name" "$tracewire" capture -j -Z root "$@"
	wait_for says "$scratch/$name.err" '^\{"begin"'
}

# end_capture NAME PROCESS: ends the capture and expects status 0
end_capture() {
	interrupt "$2"
	expect "$1: status of capture" 0 $?
}

send() { # WORD...: sends the streams that these options of the program describe
	timeout 100 "$streams" "$@" || { fail "streams $* end with $?"; return 1; }
}

# taken PORT: no socket at that UDP port has unread data
taken() {
	! awk -v port="$(printf ':%04X' "$1")" '$2 ~ port "$" && $5 !~ /:00000000$/ { print "waiting" }' /proc/net/udp /proc/net/udp6 | grep -q .
}

# An ordinary tshark can load a plugin that is built with sanitizers only if these libraries are loaded before it.
SANITIZERS=$(ldd "$PLUGIN" | awk '/lib(a|ub)san/ { print $3 }' | paste -sd:)
export SANITIZERS

# check PROGRAM ARGUMENT...: runs a check program of this directory, which must find no error
check() {
	python3 "$here/$1" "${@:2}" || failed=1
}
