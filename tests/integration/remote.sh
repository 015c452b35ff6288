#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/remote.md is right: the test runs its commands in the order of the page, on two hosts, which are network namespaces here. Commands on
# lines that begin with collector$ or web1$ run on that host, as an ordinary user unless they begin with sudo. ^C ends the command that was
# started last; ^C HOST ends the one that runs on HOST. tshark replaces Wireshark, which needs a screen. Of services, only the names are
# checked.
# Usage: remote.sh TRACEWIRE PAGE UNITS
tracewire=$1
page=$2
export UNITS=$3
. "$(dirname "$0")/common.sh"

# This namespace is host web1, another one is host collector. Each host has a directory for its user.
in_background far unshare --net sleep infinity
declare -A host=([web1]=$$ [collector]=$pid) running=()
is_far() { [ "$(readlink "/proc/${host[collector]}/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
wait_for is_far
ip link add eth0 type veth peer name eth0 address 52:54:00:12:34:56 netns "${host[collector]}"
ip addr add 10.1.0.1/24 dev eth0
ip link set eth0 up
nsenter --net="/proc/${host[collector]}/ns/net" sh -c 'ip addr add 10.1.0.2/24 dev eth0; ip link set eth0 up; ip link set lo up'
wait_for is_up eth0
wait_for is_up eth0 nsenter --net="/proc/${host[collector]}/ns/net"
printf '127.0.0.1 localhost\n10.1.0.2 collector\n' >"$scratch/hosts"
mount --bind "$scratch/hosts" /etc/hosts
install -d -o nobody -m 755 "$scratch/web1" "$scratch/collector"

# The directory with the commands of the page, which comes first in PATH
mkdir "$scratch/bin"
install -m 755 "$tracewire" "$scratch/bin/tracewire" # not a link: ordinary users may have no access to the build folder
cat >"$scratch/bin/wireshark" <<'END'
#!/bin/sh
[ "$*" = "-k -i -" ] && exec tshark -i - >live
END
cat >"$scratch/bin/systemctl" <<'END'
#!/bin/sh
test -e "$UNITS/$3.service"
END
cat >"$scratch/bin/systemd-sysusers" <<'END'
#!/bin/sh
END
cat >"$scratch/bin/sudo" <<'END'
#!/bin/sh
exec "$@"
END
chmod +x "$scratch"/bin/*

# on HOST COMMAND: runs a command in the directory of HOST: as root if it begins with sudo, otherwise as nobody
on() {
	local user=(setpriv --reuid nobody --regid nogroup --clear-groups)
	[[ $2 == sudo* ]] && user=(env SUDO_UID="$(id -u nobody)")
	cd "$scratch/$1" || exit
	PATH=$scratch/bin:$PATH exec nsenter --net="/proc/${host[$1]}/ns/net" "${user[@]}" sh -c "$2"
}

goes_on() { # COMMAND: it runs until ^C
	[[ $1 == *"tracewire "@(capture|stream)* && $1 != *" -- "* && $1 != *duration:* ]]
}

# its_process HOST: prints the process id of the tracewire that runs on HOST. Signals are sent to this process, because the shell of a
# pipeline does not forward them.
its_process() {
	local process
	for process in $(pgrep -f "^tracewire (capture|stream)"); do
		[ "$(readlink "/proc/$process/ns/net")" = "$(readlink "/proc/${host[$1]}/ns/net")" ] &&
			[ "$(readlink "/proc/$process/cwd")" = "$scratch/$1" ] && echo "$process" && return
	done
	return 1
}

is_up() { # HOST: the command that runs there says that it is ready, or has opened its port
	says "$scratch/$1.err" '^(capturing|streaming) ' || nsenter --net="/proc/${host[$1]}/ns/net" ss -Hlun | grep -q :18101
}

start() { # HOST COMMAND
	in_background "$1" on "$1" "$2"
	running[$1]=$pid
	wait_for its_process "$1" >/dev/null && wait_for is_up "$1" || fail "$1\$ $2: $(cat "$scratch/$1.err")"
}

stop() { # HOST
	sleep 1
	kill -INT "$(its_process "$1")"
	wait "${running[$1]}"
	expect "status of what ran on $1" 0 $?
}

last=web1
n=0
while IFS= read -r line; do
	case $line in
	'^C '*) stop "${line#^C }" ;;
	'^C') stop "$last" ;;
	'collector$ '* | 'web1$ '*)
		n=$((n + 1))
		machine=${line%%\$*}
		command=${line#*\$ }
		if goes_on "$command"; then
			last=$machine
			start "$machine" "$command"
		else
			(on "$machine" "$command") </dev/null >"$scratch/out" 2>"$scratch/err" || fail "$line: $(cat "$scratch/err")"
			printf '%s\n' "$line"
			head -n 30 "$scratch/out"
			[[ $command != *"tracewire report"* && $command != *tshark* ]] || [ -s "$scratch/out" ] || fail "$line: says nothing"
		fi
		;;
	esac
done <"$page"
[ $n -ge 15 ] || fail "only $n commands on the page"

# The statements of the page about its files are true.
cp "$scratch"/collector/*.pcapng "$scratch"
for name in x y z; do nothing_lost $name; done
[ "$(grep -c sleep "$scratch/collector/live")" -gt 2 ] || fail "live: $(head -n 3 "$scratch/collector/live")"
ls "$scratch"/collector/ring_*.pcapng.zst >"$scratch/out" || fail "no ring of files"
exit $failed
