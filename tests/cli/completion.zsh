#!/usr/bin/env zsh
# SPDX-License-Identifier: GPL-2.0-or-later
# zsh completes a word at its prompt, in a pseudo-terminal.
# Usage: completion.zsh TRACEWIRE MANUAL_DIR
zmodload zsh/zpty || exit 1
failed=0
dump=$(mktemp -d)
trap 'rm -rf $dump' EXIT

zpty shell zsh -f -i
zpty -w shell "PS1= PROMPT= RPROMPT= PATH=${1:h}:\$PATH fpath=(${2} \$fpath)"
zpty -w shell "autoload -Uz compinit; compinit -u -d $dump/dump; stty -echo; unsetopt zle_bracketed_paste"
zpty -w shell "bindkey '^I' complete-word; compdef _tracewire tracewire; print ready"
zpty -r shell output '*ready*ready*' || exit 1

# expect LINE WORD: the last word of the line is completed to WORD
expect() {
	local output
	zpty -w -n shell "$1"$'\t'$'\x01''print -r -- RESULT '$'\n'
	zpty -r -m shell output "*RESULT tracewire*[^ ]*"$'\n'
	if [[ $output != *"RESULT ${1% *} $2"[[:space:]]* ]]; then
		print -r -- "FAIL: '$1' becomes '${output##*RESULT }', not '$2'"
		failed=1
	fi
}

expect 'tracewire rec' record
expect 'tracewire record --buffer-si' --buffer-size
expect 'tracewire capture -b filesi' filesize:
expect 'tracewire filter attach --action re' redirect:
expect 'tracewire filter attach --hook u' u32
expect 'tracewire filter compile --to disp' display
expect "tracewire report $dump/du" $dump/dump
expect 'tracewire latency runq' runqlat
expect "tracewire latency runqlat $dump/du" $dump/dump
if [[ -r /sys/kernel/tracing/available_events ]]; then
	expect 'tracewire live -e sched_process_exi' sched_process_exit
	expect 'tracewire live -e irq,sched_process_exi' irq,sched_process_exit
	expect 'tracewire live -e sched:sched_process_exi' sched:sched_process_exit
	expect 'tracewire live -f prev_com' prev_comm
else
	print "not checked: event names, as tracefs cannot be read"
fi
exit $failed
