#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The viewer and the traced command are forked while the program has threads. Before exec, these children call nothing that may wait for a
# lock. They run as the right user, with the right files.
# Usage: after-fork.sh TRACEWIRE PRELOADED
tracewire=$1 preloaded=$2
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

need_tracefs
mkdir "$scratch/bin"
chmod 755 "$scratch" "$scratch/bin"
cat >"$scratch/bin/tshark" <<'END'
#!/bin/sh
exec 3>&1
cat >/dev/null
echo "$(id -u) $(id -G) $HOME $USER $LOGNAME $EXTRA $*" >&3
END
printf 'echo "script $*"\n' >"$scratch/bin/no-interpreter"
chmod 755 "$scratch/bin/"*
export PATH=$scratch/bin:$PATH AFTER_FORK=$scratch/calls EXTRA=kept
unset SUDO_UID

# both_children USER: checks the calls of the child, and the user of the viewer
both_children() {
	rm -f "$AFTER_FORK"
	run 0 env LD_PRELOAD="$preloaded" "$tracewire" live -q -e sched:sched_switch -Y 'frame' -- no-interpreter a 'b c'
	expect "what was called after fork()" "" "$(sort -u "$AFTER_FORK")"
	grep -qx "script a b c" "$scratch/out" || fail "a script without interpreter is not run: $(cat "$scratch/out")"
	expect "the viewer" "$1 kept -l -r - -Y frame" "$(grep -v ^script "$scratch/out")"
}

both_children "$(id -u nobody) $(id -G nobody) $(getent passwd nobody | cut -d: -f6) nobody nobody"
user=$(getent passwd daemon | cut -d: -f1)
[ "$user" ] || skip "there is no user daemon"
SUDO_UID=$(id -u daemon)
export SUDO_UID
both_children "$SUDO_UID $(id -G daemon) $(getent passwd daemon | cut -d: -f6) daemon daemon"
exit $failed
