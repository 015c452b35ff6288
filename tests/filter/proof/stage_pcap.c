/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libpcap compiles the filter string and runs it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <pcap/pcap.h>

#include "filter/pcap.h"
#include "stages.h"

#define FILTER_MAX (256 * 1024)

static struct bpf_program program;

/*
 * Whether each word of scratch memory that is read was written on every path to the read. libpcap's optimizer makes programs for which
 * that is false, and the kernel refuses them. All jumps are forward.
 */
static bool is_sound(const struct bpf_program *p)
{
	uint16_t *written = malloc((p->bf_len + 1) * sizeof(*written));
	bool ok = written != NULL;

	for (u_int i = 1; ok && i <= p->bf_len; i++)
		written[i] = UINT16_MAX; /* until a path to it is known */
	if (ok)
		written[0] = 0;
	for (u_int i = 0; ok && i < p->bf_len; i++) {
		const struct bpf_insn *insn = &p->bf_insns[i];
		uint16_t now = written[i];

		if (insn->code == (BPF_LD | BPF_MEM) || insn->code == (BPF_LDX | BPF_MEM))
			ok = now >> insn->k & 1;
		else if (insn->code == BPF_ST || insn->code == BPF_STX)
			now = (uint16_t)(now | 1u << insn->k);
		if (BPF_CLASS(insn->code) == BPF_JMP && BPF_OP(insn->code) != BPF_JA) {
			written[i + 1 + insn->jt] &= now;
			written[i + 1 + insn->jf] &= now;
		} else if (BPF_CLASS(insn->code) == BPF_JMP) {
			written[i + 1 + insn->k] &= now;
		} else if (BPF_CLASS(insn->code) != BPF_RET) {
			written[i + 1] &= now;
		}
	}
	free(written);
	return ok;
}

static bool begin(struct stage *stage, const struct question *question)
{
	static char text[FILTER_MAX + 1];
	struct tw_line line = tw_line__on(text, FILTER_MAX);
	struct tw_error err;
	const int error = tw_pcap__emit(question->bound, question->e->pool->schema_id, &line, &err);
	pcap_t *dead;

	if (error)
		return stage__refused(stage, question, error, err.text);
	*line.at = '\0';
	dead = pcap_open_dead(DLT_EN10MB, 65535);
	if (!dead || pcap_compile(dead, &program, text, 1, PCAP_NETMASK_UNKNOWN)) {
		fprintf(stderr, "proof: '%s' is no capture filter: %s\n", text, dead ? pcap_geterr(dead) : "no memory");
		exit(1);
	}
	pcap_close(dead);
	if (!is_sound(&program)) {
		fprintf(stderr, "proof: libpcap makes nonsense of '%s'\n", text);
		exit(1);
	}
	return true;
}

/* The filter also passes every frame that does not have exactly one event of the schema. */
static enum stage_answer ask(struct stage *stage, const struct made_frame *frame, bool matches)
{
	const struct pcap_pkthdr header = { .caplen = (bpf_u_int32)frame->len, .len = (bpf_u_int32)frame->len };
	const bool got = pcap_offline_filter(&program, &header, frame->data) != 0;

	stage->counts.matched += got && frame->is_single;
	return got == (matches || !frame->is_single) ? STAGE_AGREES : STAGE_DIFFERS;
}

static bool end(struct stage *stage)
{
	(void)stage;
	pcap_freecode(&program);
	return true;
}

struct stage stage_pcap = { .counts.name = "libpcap", .begin = begin, .ask = ask, .end = end };
