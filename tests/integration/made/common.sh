# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# Sourced by the tests, with their arguments TRACEWIRE and STREAMS, a program that sends made streams: root, a network namespace, and a
# mount namespace in which the built plugin replaces an installed one.
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
ulimit -f $((2 << 20)) # KiB: a failure does not fill the disk

# start_capture NAME OPTION...: starts it in the background; it receives when this returns. It writes NAME.pcapng, and its final messages to
# NAME.err, as JSON
start_capture() {
	local name=$1
	shift
	in_background "$name" "$tracewire" capture -j -Z root "$@"
	wait_for says "$scratch/$name.err" '^\{"begin"'
}

# end_capture NAME PROCESS: ends it and expects success
end_capture() {
	interrupt "$2"
	expect "$1: status of capture" 0 $?
}

send() { # WORD...: sends the streams that these options of the program describe
	timeout 100 "$streams" "$@" || { fail "streams $* end with $?"; return 1; }
}

# taken PORT: the sockets of that UDP port have no unread data
taken() {
	! awk -v port="$(printf ':%04X' "$1")" '$2 ~ port "$" && $5 !~ /:00000000$/ { print "waiting" }' /proc/net/udp /proc/net/udp6 | grep -q .
}

# The libraries that a plugin with sanitizers needs in an ordinary tshark must be loaded first.
SANITIZERS=$(ldd "$PLUGIN" | awk '/lib(a|ub)san/ { print $3 }' | paste -sd:)
export SANITIZERS

# check PROGRAM ARGUMENT...: a check program of this directory finds no error
check() {
	python3 "$here/$1" "${@:2}" || failed=1
}
