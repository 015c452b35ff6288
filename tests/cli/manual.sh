#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The generated manual pages and completion scripts cause no warnings, and have each command and option.
# Usage: manual.sh TRACEWIRE MANUAL_DIR
set -eu
tracewire=$1
manual=$2
document=$(dirname "$0")/../../docs/filter.md
rendered=$(mktemp)
trap 'rm -f "$rendered"' EXIT

# render PAGE: prints the page as text without overstriking; warnings are on standard error
render() {
	if command -v groff >/dev/null; then
		groff -man -ww -Tascii -P-cbou "$1"
	else
		MANWIDTH=80 man --warnings=w -l "$1"
	fi
}

# words COMMAND: prints the options of COMMAND in --help
words() {
	"$tracewire" "$1" --help | sed -nE 's/^  (-., |    )(--[a-z-]+).*/\2/p'
}

check_option() { # COMMAND OPTION PAGE
	grep -q -e "$2" "$3" || echo "the page of $1 lacks $2"
	grep -q -e "$2\\\\n" "$manual/tracewire.bash" || echo "bash completion lacks $2"
	grep -q -e "$2[=[]" "$manual/_tracewire" || echo "zsh completion lacks $2"
	grep -q -e " -l ${2#--} " "$manual/tracewire.fish" || echo "fish completion lacks $2"
}

# The page of the filter language has each name and operator of the document, and the pages of commands with filters refer to it.
check_filter_page() {
	sed '/^<!-- not in/,/^<!-- end/d; /^## Values/q' "$document" | grep '^| *`' | cut -d '|' -f 2 | grep -o '`[^`]*`' | tr -d '`' |
		while read -r word; do
			grep -qF -e "$word" "$1" || echo "the page of the filter language lacks $word"
		done
	grep -qF -e '`' -e '](' -e '**' -e '<!--' -e 'evaluate.h' "$1" && echo "the page of the filter language has marks of the document"
	for command in live record stream capture report filter; do
		grep -q 'tracewire\\-filter (7)' "$manual/tracewire-$command.1" || echo "the page of $command does not refer to the filter language"
	done
	grep -q 'tracewire\\-filter (7)' "$manual/tracewire-list.1" && echo "the page of list refers to the filter language"
	return 0
}

check_examples() {
	render "$manual/tracewire-record.1" | grep -A 4 'dumpcap -i' | grep -q 'convert --join' ||
		echo "the page of record does not show how to record packets too"
}

check_pages() {
	for page in "$manual"/*.[17]; do
		render "$page" 2>&1 >/dev/null | sed "s|^|$page: |"
	done
	"$tracewire" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | while read -r command; do
		if [ ! -s "$manual/tracewire-$command.1" ]; then
			echo "no page for $command"
			continue
		fi
		render "$manual/tracewire-$command.1" >"$rendered"
		words "$command" | while read -r option; do
			check_option "$command" "$option" "$rendered"
		done
	done
	render "$manual/tracewire-filter.7" >"$rendered"
	check_filter_page "$rendered"
}

check_syntax() { # SHELL FILE
	if command -v "$1" >/dev/null; then
		"$1" -n "$manual/$2" 2>&1 || echo "$1 cannot read $2"
	else
		echo "not checked: $1 is not installed" >&2
	fi
}

# --help of report is short. The page has the details.
check_details() {
	lines=$("$tracewire" report --help | wc -l)
	[ "$lines" -le 75 ] || echo "the help of report has $lines lines"
	"$tracewire" report --help | grep -qx 'Details: man tracewire-report' || echo "the help of report does not name its page"
	render "$manual/tracewire-report.1" | grep -q 'time_epoch' || echo "the page of report lacks the columns of tables"
}

problems=$(check_pages; check_details; check_examples; check_syntax bash tracewire.bash; check_syntax zsh _tracewire; check_syntax fish tracewire.fish)
[ -z "$problems" ] || { echo "FAIL: $problems"; exit 1; }
echo "checked $(find "$manual" -name '*.[17]' | wc -l) pages"
