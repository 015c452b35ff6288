#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The texts of a capture have harmful bytes. These reach a terminal only as \xNN, and JSON and XML are valid.
. "$(dirname "$0")/common.sh"

here=$(cd "$(dirname "$0")" && pwd)
evil=$SAMPLES/strangers.pcap

# printable KIND WHAT < OUTPUT
printable() {
	python3 "$here/strangers.py" "$@" || failed=1
}

# tshark prints one line for each packet: no text adds a line.
expect "a line for each packet" "$(shark -r "$evil" -T fields -e frame.number | wc -l)" "$(shark -r "$evil" | wc -l)"
for two in "" -2; do
	# shellcheck disable=SC2086
	{
		shark $two -r "$evil" | printable text "tshark $two"
		shark $two -r "$evil" -V | printable text "tshark $two -V"
		shark $two -r "$evil" -T json | printable json "tshark $two -T json"
		shark $two -r "$evil" -T ek | printable jsonl "tshark $two -T ek"
		shark $two -r "$evil" -T pdml | printable xml "tshark $two -T pdml"
		shark $two -r "$evil" -T psml | printable xml "tshark $two -T psml"
	}
done
for field in trace.host trace.comm trace.event trace.system trace.text trace.symbol trace.symbol.name trace.comm.name trace.host.name \
	trace.host.instance trace.schema.text trace.schema.system _ws.col.Source _ws.col.Info; do
	shark -r "$evil" -T fields -e $field | printable text "-T fields -e $field"
done
shark -r "$evil" -q -z io,phs -z endpoints,eth -z expert 2>&1 | printable tabs "statistics"

# Filters use the text as shown.
expect "a filter on what is shown" "6 6 6" \
	"$(count strangers.pcap 'trace.comm matches r"^coa\\x0ab"') $(count strangers.pcap 'trace.host contains r"\x1b[31m"') $(
		count strangers.pcap 'trace.comm contains "\\x1b[31m"')"

# Tracewire's own commands print the same on a terminal as to a pipe.
report() {
	"$TRACEWIRE" report "$@" 2>&1
}
for args in "" -R -l -t --delta; do
	# shellcheck disable=SC2086
	report $args "$evil" | printable tabs "report $args"
done
report -q "$evil" | grep -v '	=> ' | printable text "report, but for a stack"
report -jq "$evil" | printable jsonl "report --json"
report -jqR "$evil" | printable jsonl "report --json -R"
expect "lines of report: an event each, a stack has one more" 7 "$(report -q "$evil" | wc -l)"
report -q "$evil" >"$home/pipe"
if command -v script >"$home/out"; then
	TERM=dumb script -qec "'$TRACEWIRE' report -q '$evil'" /dev/null </dev/null | tr -d '\r' >"$home/terminal"
	cmp "$home/pipe" "$home/terminal" && echo "ok: a terminal is given what a pipe is" || failed=1
fi
report -q "$evil" | sed -n '/: print: /s/.*: print: .*: //p' >"$home/out"
expect "a line break at the end ends the line" "marker" "$(sed -n 1p "$home/out")"
expect "--raw has the bytes" "1 $(printf 'coa\nb\rc\td\033[31m\a\177\233' | od -An -tx1 | tr -d ' \n')" \
	"$(report -q --raw "$evil" | grep -ac 'marker$') $(report -q --raw "$evil" | grep -a -A1 -m1 '^coa$' | head -c 17 | od -An -tx1 | tr -d ' \n')"
"$TRACEWIRE" report --json --raw "$evil" >"$home/out" 2>&1
expect "--raw is not for JSON" 2 $?
expect "a filter compares bytes" "6 0" \
	"$("$TRACEWIRE" report -q -f 'comm contains "\x1b[31m" && host matches "^hoa"' "$evil" | grep -c '^coa') $(
		"$TRACEWIRE" report -q -f 'comm contains "\\x1b"' "$evil" 2>"$home/err" | grep -c '^coa')"

"$TRACEWIRE" info "$evil" 2>&1 | printable text "info"
"$TRACEWIRE" info --json "$evil" | printable json "info --json"
name=$home/$'file\x1b[31m\n\xed\xa0\x80.pcapng'
"$TRACEWIRE" convert "$evil" "$name" 2>&1 | printable text "convert"
{ "$TRACEWIRE" info "$name"; "$TRACEWIRE" report "$name"; "$TRACEWIRE" report "$name.no"; } 2>&1 | printable tabs "a file's name"
"$TRACEWIRE" info --json "$name" | printable json "a file's name in JSON"
"$TRACEWIRE" filter explain --from "$evil" 'flags == 3' 2>&1 | printable text "filter explain"
"$TRACEWIRE" filter explain --json --from "$evil" 'flags == 3' | printable json "filter explain --json"
for target in tree tracefs display; do
	"$TRACEWIRE" filter compile --to $target --from "$evil" 'flags == 3 && text contains "\x1b"' 2>&1 | printable text "filter compile --to $target"
done
cp "$name" "$home/plain.pcapng" && chmod a+r "$home/plain.pcapng"
shark -r "$home/plain.pcapng" -V | printable text "what convert wrote, interfaces too"
shark -r "$home/plain.pcapng" -T json | printable json "the same as JSON"

# trace.dat files in both versions of the format: texts of options, names of tasks and of symbols have harmful bytes.
mkdir "$home/dat"
"$TRACEDAT_SEEDS" "$home/dat"
for version in v6 v7; do
	python3 - "$home/dat/$version-le64-none-more" "$home/dat/$version" <<'END' || failed=1
import sys
evil = b"\x1b\xed\xa0\x80\x9b\xe2\x80\xae\x07\x7f\xc2\x9b\xff\x1b\xed\xa0\x80]0;"
data = open(sys.argv[1], "rb").read()
for text in b"Linux box 5.0 mips", b"eight of them", b"seven", b"unknown", b"guest", b"first", b"second":
    assert text in data, text
    # The words of uname are the system, the host, the release and the machine.
    strange = b"Linux " + evil[:8] + b" " + evil[-3:] if b"box" in text else evil[:len(text)]
    data = data.replace(text, strange)
open(sys.argv[2], "wb").write(data)
END
	name=$home/$version$'\x1b[31m\n\xed\xa0\x80.pcapng'
	"$TRACEWIRE" convert "$home/dat/$version" "$name" 2>&1 | printable text "$version: convert"
	"$TRACEWIRE" info "$name" 2>&1 | printable text "$version: info"
	"$TRACEWIRE" info --json "$name" | printable json "$version: info --json"
	for args in "" -R -l; do
		# shellcheck disable=SC2086
		report $args "$name" | printable tabs "$version: report $args"
	done
	report -jq "$name" | printable jsonl "$version: report --json"
	cp "$name" "$home/$version.pcapng" && chmod a+r "$home/$version.pcapng"
	shark -r "$home/$version.pcapng" -V | printable text "$version: tshark -V"
	shark -r "$home/$version.pcapng" -T json | printable json "$version: tshark -T json"
	shark -r "$home/$version.pcapng" -T pdml | printable xml "$version: tshark -T pdml"
	capinfos "$home/$version.pcapng" 2>&1 | printable tabs "$version: capinfos, which shows the comments"
done
finish
