/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/bpf/gen.h"

static void call(struct tw_gen *g, int helper, int size, tw_label fails)
{
	struct tw_asm *a = &g->a;

	if (size != TW_SIZE_IN_R4)
		tw_asm__imm(a, BPF_REG_4, (uint64_t)size);
	tw_asm__call(a, helper);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_0, 0, fails);
}

void tw_gen__load_bytes(struct tw_gen *g, int size, tw_label fails)
{
	call(g, tw_gen__is_xdp(g) ? BPF_FUNC_xdp_load_bytes : BPF_FUNC_skb_load_bytes, size, fails);
}

void tw_gen__store_bytes(struct tw_gen *g, int size, tw_label fails)
{
	call(g, tw_gen__is_xdp(g) ? BPF_FUNC_xdp_store_bytes : BPF_FUNC_skb_store_bytes, size, fails);
}
