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

# run_page PAGE: runs it in a network namespace and a folder of its own, which has the files that the pages read
run_page() {
	local folder
	folder=$scratch/pages/$(basename "$1" .md)
	mkdir "$folder"
	cp "$source/tests/data/debian-6.1.dat" "$folder/trace.dat"
	cp -r "$source/samples" "$folder"
	unshare --net sh -c 'ip link set lo up && ip link add eth0 type veth peer name eth1 && ip link set eth0 up && ip link set eth1 up &&
		exec "$@"' sh "$(dirname "$0")/pages.py" "$folder" "$1"
}

# Most commands wait, so all pages run at the same time.
pages=() runs=()
for page in "$source/README.md" "$source"/docs/*.md; do
	case $page in
	*/remote.md) continue ;;
	esac
	pages+=("$(basename "$page" .md)")
	in_background "${pages[-1]}" run_page "$page"
	runs+=("$pid")
done
for i in "${!runs[@]}"; do
	wait "${runs[$i]}" || failed=1
	cat "$scratch/${pages[$i]}.out" "$scratch/${pages[$i]}.err"
done
exit $failed
