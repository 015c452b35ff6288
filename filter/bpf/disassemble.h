/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes eBPF instructions as text, in a syntax similar to that of bpftool and llvm-objdump: `r1 = *(u32 *)(r6 +4)`. */
#ifndef TW_BPF_DISASSEMBLE_H
#define TW_BPF_DISASSEMBLE_H

#include "base/line.h"
#include "filter/bpf/program.h"

/**
 * tw_bpf__disassemble() - append the text of one instruction of a classifier
 * @i: index of the instruction. For the second half of an LD_IMM64, nothing is appended
 *
 * A jump is shown with the index of its target, a call with the name of the helper, a load of a map with the name of the map.
 */
void tw_bpf__disassemble(const struct tw_bpf_program *program, uint32_t i, struct tw_line *line);

#endif
