/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eBPF instructions as text, in the syntax of bpftool and llvm-objdump: `r1 = *(u32 *)(r6 +4)`. */
#ifndef TW_BPF_DISASSEMBLE_H
#define TW_BPF_DISASSEMBLE_H

#include "base/line.h"
#include "filter/bpf/program.h"

/**
 * tw_bpf__disassemble() - append one instruction
 * @i: which; the second half of an LD_IMM64 gives nothing
 *
 * Jumps name the instruction they go to, calls the helper by name, map loads the map.
 */
void tw_bpf__disassemble(const struct tw_bpf_program *program, uint32_t i, struct tw_line *line);

#endif
