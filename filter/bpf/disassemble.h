/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints eBPF instructions as text, in the syntax of bpftool and llvm-objdump: `r1 = *(u32 *)(r6 +4)`. */
#ifndef TW_BPF_DISASSEMBLE_H
#define TW_BPF_DISASSEMBLE_H

#include "base/line.h"
#include "filter/bpf/program.h"

/**
 * tw_bpf__disassemble() - append one instruction
 * @i: its index; the second half of an LD_IMM64 appends nothing
 *
 * Jumps have the target's index, calls the name of the helper, loads of a map the name of the map.
 */
void tw_bpf__disassemble(const struct tw_bpf_program *program, uint32_t i, struct tw_line *line);

#endif
