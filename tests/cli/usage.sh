#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Commands that need no root: help, version, and errors for mistyped options.
# Usage: usage.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"

for command in '' live record stream capture latency hist top sockets diff time list filter 'filter compile' 'filter explain' 'filter attach' 'filter show' 'filter detach' vnet 'vnet up' 'vnet down' 'vnet show' doctor cleanup help; do
	# shellcheck disable=SC2086
	"$tracewire" $command --help | grep -q "^Usage: tracewire $command" || fail "no help of '$command'"
	# shellcheck disable=SC2086
	"$tracewire" help $command | grep -q "^Usage: tracewire $command" || fail "'help $command' fails"
	# shellcheck disable=SC2086
	"$tracewire" $command --help | grep -qE '.{81}' && fail "help of '$command' is wider than 80 columns"
done
for word in --version -V version "record -V"; do
	# shellcheck disable=SC2086
	"$tracewire" $word | grep -qxE 'tracewire [0-9]+\.[0-9]+\.[0-9]+' || fail "no version with $word"
done
"$tracewire" record --help | grep -q '^Records the events of this kernel' || fail "help without its description"
"$tracewire" >/dev/null 2>&1
[ $? = 2 ] || fail "no command is no usage error"
"$tracewire" record -e sched --help >/dev/null || fail "help behind other options fails"
"$tracewire" --help >/dev/full 2>/dev/null && fail "help that cannot be written is no failure"

refuses 2 "tracewire: unknown command 'recrod'; did you mean record?" recrod
refuses 2 "tracewire: unknown command 'qqqqqq'; see --help" qqqqqq
refuses 2 "tracewire vnet: unknown command 'upp'; did you mean up?" vnet upp
refuses 2 "tracewire record: unknown option '--evnet'; did you mean --event?" record --evnet sched
refuses 2 "tracewire record: unknown option '-x'; see --help" record -x
refuses 2 "tracewire record: unknown option '-o'; in this command, that option is -w, --write" record -e sched -o trace.dat
for word in duration seconds time timeout; do
	refuses 2 "tracewire record: unknown option '--$word'; to trace for SECONDS, write -- sleep SECONDS after the options" \
		record -e sched --$word 5 -w x
	refuses 2 "tracewire capture: unknown option '--$word'; in this command, that option is -a, --autostop duration:SECONDS" \
		capture -i tw0 --$word=5 -w x
done
refuses 2 "tracewire convert: unknown option '--duration'; see --help" convert --duration 5 x y
refuses 2 "tracewire report: unknown option '-r'; the file is given without an option" report -r trace.pcapng
refuses 2 "tracewire record: option '--write' needs an argument: FILE" record -e sched -w
refuses 2 "tracewire record: no file is given: name one with --write, or - for standard output" record -e sched
refuses 2 "tracewire stream: no destination is given: name an interface with --interface or a host with --udp, for example -i tw0 or -u 10.0.0.7" \
	stream -e sched
refuses 2 "tracewire stream: '': give a host, a port or both, as in 10.0.0.7, 18101 or 10.0.0.7:18101" stream -e sched -u ''
refuses 2 "tracewire capture: '': give a host, a port or both, as in 10.0.0.7, 18101 or 10.0.0.7:18101" capture -u '' -w x
refuses 2 "tracewire stream: --interface and --udp exclude each other: stream sends to one of them" stream -e sched -i tw0 -u host
refuses 2 "tracewire stream: --destination is for --interface; --udp names the host itself" stream -e sched -u host --destination group
refuses 2 "tracewire stream: --destination '1:2:3' is neither an Ethernet address, such as 52:54:00:12:34:56, nor the word 'group'" \
	stream -e sched -i tw0 --destination 1:2:3
for address in 1:2:3:4:5:0x6 1:2:3:4:5:+6 1:2:3:4:5:006 '1:2:3:4:5: 6' 1:2:3:4:5:6:; do
	refuses 2 "tracewire stream: --destination '$address' is neither an Ethernet address, such as 52:54:00:12:34:56, nor the word 'group'" \
		stream -e sched -i tw0 --destination "$address"
done
# The largest rate is permitted, so the next thing is refused.
refuses 2 "tracewire stream: unknown option '--nosuch'; see --help" stream -e sched -u host --rate 1000000G --nosuch
refuses 2 "tracewire stream: --rate '1000001G' is not a number of bits per second, such as 100M; k, M and G are powers of 1000, and the range is 1k to 1000000G" \
	stream -e sched -u host --rate 1000001G
refuses 2 "tracewire stream: --rate '5q' is not a number of bits per second, such as 100M; k, M and G are powers of 1000, and the range is 1k to 1000000G" \
	stream -e sched -u host --rate 5q
refuses 2 "tracewire stream: --latency '0' is not a number from 1 to 10000, in ms" stream -e sched -u host --latency 0
for size in 0 10 127 65533 100000 1k; do
	refuses 2 "tracewire stream: --frame-size '$size' is not a number from 128 to 65532, in bytes" stream -e sched -u host --frame-size $size
done
refuses 2 "tracewire capture: no source is given: name an interface with --interface, for example -i tw0, or a port with --udp, for example -u 18101" capture -w x
refuses 2 "tracewire capture: no file is given: name one with --write, or - for standard output" capture -i tw0
refuses 2 "tracewire live: --event-filter 'pid == 1' must follow the --event that it filters" live --event-filter 'pid == 1'
refuses 2 "tracewire record: column 18: a comparison is expected here, such as cpu == 1" record -e sched -f 'prev_pid == 1 and'
refuses 2 "tracewire stream: --filter is given twice; join the two expressions with \`and\`" stream -e sched -f 'cpu == 1' -f 'cpu == 2'
refuses 2 "tracewire capture: --interface is given twice; run one capture for each interface, and merge the files with mergecap" \
	capture -i lo -i tw0 -w x
refuses 2 "tracewire capture: --udp is given twice; run one capture for each port, and merge the files with mergecap" \
	capture -u 1 --udp 2 -w x
refuses 2 "tracewire record: --write is given twice; record writes one file" record -e sched -w x -w y
refuses 2 "tracewire stream: --udp is given twice; run one stream for each host" stream -e sched -u a -u b
refuses 2 "tracewire live: --tracer is given twice; a run has one tracer" live -p function -p function_graph
refuses 2 "tracewire filter detach: --interface is given twice; run the command once for each interface" filter detach -i tw0 -i tw1
refuses 2 "tracewire filter compile: --to is given twice; run the command once for each target" filter compile --to xdp --to tc cpu==1
refuses 2 "tracewire live: no event is selected: give --event or --tracer; \`tracewire list\` shows all events" live
refuses 2 "tracewire live: no event is selected, because --filter only restricts the events of --event: give --event or --tracer; \`tracewire list\` shows all events" \
	live -f 'sched_waking.comm == "bash"'
refuses 2 "tracewire live: option '--threads': 'many' is not a number: write digits only, such as 100" live -e sched --threads many
refuses 2 "tracewire stream: option '--events-per-frame': '-1' is not a number: write digits only, such as 100" stream -e sched -i tw0 --events-per-frame -1
refuses 2 "tracewire capture: option '--count': '-5' is not a number: write digits only, such as 100" capture -u 18101 -w x -c -5
refuses 2 "tracewire capture: --autostop 'events:x': 'x' is not a number: write digits only, such as 100" capture -u 18101 -w x -a events:x
refuses 2 "tracewire capture: --snapshot-length 4294967296 is more than the size of any packet: omit it to write complete packets" \
	capture -u 18101 -w x -s 4294967296
refuses 2 "tracewire record: option '--buffer-size': the number 18446744073709551615 is too large; 1073741824 is the largest" \
	record -e sched -w x --buffer-size 18446744073709551615
refuses 2 "tracewire record: option '--buffer-size': '1T' is not a number because of character 2: write digits, optionally followed by K, M or G (1024, 1024^2 or 1024^3 bytes), such as 64M" \
	record -e sched -w x --buffer-size 1T
refuses 2 "tracewire record: option '--threads': the number 65537 is too large; 65536 is the largest" record -e sched -w x --threads 65537
refuses 2 "tracewire capture: --autostop 'duration:0x10': '0x10': give a number of seconds above 0, such as 60 or 0.5" \
	capture -u 18101 -w x -a duration:0x10
refuses 2 "tracewire capture: --autostop 'duration:1e3': '1e3': give a number of seconds above 0, such as 60 or 0.5" capture -u 18101 -w x -a duration:1e3
refuses 2 "tracewire capture: --ring-buffer 'packets:0x10': '0x10' is not a number because of character 2: write digits only, such as 100" \
	capture -u 18101 -w x -b packets:0x10
refuses 2 "tracewire stream: --rate '0x1p40' is not a number of bits per second, such as 100M; k, M and G are powers of 1000, and the range is 1k to 1000000G" \
	stream -e sched -u host --rate 0x1p40
refuses 2 "tracewire stream: --rate '18446744073.9G' is not a number of bits per second, such as 100M; k, M and G are powers of 1000, and the range is 1k to 1000000G" \
	stream -e sched -u host --rate 18446744073.9G
refuses 2 "tracewire report: --cpu '18446744073709551616' is not a list of CPUs: numbers below 4096 and ranges, for example 0,2,4-7" \
	report --cpu 18446744073709551616 x
refuses 2 "tracewire filter compile: --schema '-1' is not a schema id: an id is a hexadecimal number" filter compile --schema -1 cpu==1
for option in --action --default; do
	refuses 2 "tracewire filter attach: 'dorp' is not an action; choose pass, drop, mark:N or redirect:INTERFACE" \
		filter attach -i tw0 'cpu == 1' --action drop $option dorp
done
refuses 2 "tracewire doctor: unexpected argument 'now'; see --help" doctor now
refuses 2 "tracewire sockets: --sort 'qdisk' is no column; did you mean qdisc?" sockets --sort qdisk
refuses 2 "tracewire sockets: --sort 'x' is no column: give messages, bytes, limited, retransmits, resets, drops, held, program or a stage" sockets --sort x
refuses 2 "tracewire sockets: --interval is for a live run, but x.pcapng is a capture" sockets -i 2 x.pcapng
refuses 2 "tracewire sockets: --interval '0.01' is less than 0.1 s" sockets -i 0.01
refuses 2 "tracewire sockets: --flow prints a text, not JSON: leave out --flow or --json" sockets -j --flow 1.2.3.4:80 x.pcapng
refuses 2 "tracewire sockets: x.pcapng is a capture, so no command is run: leave out the capture to trace true" sockets x.pcapng -- true
refuses 2 "tracewire sockets: unexpected argument 'y'; a command follows after --" sockets x y
refuses 2 "tracewire top: --show-self is for --by event: --by cpu always includes Tracewire's own threads" top --by cpu --show-self
for reference in "" me Host phc phc: phc:interface-of-17-b phc:a/b phc:/dev/rtc tai:1; do
	case $reference in
	phc:*) why=": give an interface or a clock after phc:, such as phc:eth0 or phc:ptp0" ;;
	*) why=" is unknown: choose host, realtime, tai or phc:NAME" ;;
	esac
	refuses 2 "tracewire capture: --reference '$reference'$why" capture -u 18101 -w x --reference "$reference"
done
exit $failed
