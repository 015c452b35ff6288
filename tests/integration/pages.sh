#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands in README and docs run as written, and print what the page shows (pages.py). Two programs are replaced: `sudo` runs its
# command, because the test is root already; `make` only checks that the target exists, because it would build everything or run all tests.
# remote.sh runs docs/remote.md, on two hosts.
# Usage: pages.sh TRACEWIRE SOURCE_DIR
tracewire=$1
source=$2
. "$(dirname "$0")/common.sh"

mkdir "$scratch/bin" "$scratch/pages"
ln -s "$tracewire" "$scratch/bin/tracewire"
cat >"$scratch/bin/sudo" <<'END'
#!/bin/sh
exec "$@"
END
cat >"$scratch/bin/make" <<END
#!/bin/sh
exec grep -q "^\${1:-all}:" "$source/Makefile"
END
chmod +x "$scratch"/bin/*
export PATH=$scratch/bin:$PATH

ip link set lo up
ip link add eth0 type veth peer name eth1
ip link set eth0 up
ip link set eth1 up
cp "$source/tests/data/debian-6.1.dat" "$scratch/pages/trace.dat"
cp -r "$source/samples" "$scratch/pages"
for page in "$source/README.md" "$source"/docs/*.md; do
	case $page in
	*/remote.md) continue ;;
	esac
	"$(dirname "$0")/pages.py" "$scratch/pages" "$page" || failed=1
done
exit $failed
