/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libFuzzer target: an untrusted expression and an untrusted record. The input: flags in one byte, the text up to a NUL, the record. The
 * error of an invalid expression is one sentence with the column. A valid expression is evaluated for every event of a small schema. Flags
 * select whether it is also passed to the back ends, and split between a stage and a later one, which must not change its meaning.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter/bpf/disassemble.h"
#include "filter/bpf/program.h"
#include "filter/display.h"
#include "filter/pcap.h"
#include "filter/tracefs.h"
#include "filter/u32.h"
#include "tests/filter/formats.h"
#include "tests/filter/pushdown.h"

/* Flags, the first byte of the input. */
#define BIG_ENDIAN_HOST   0x01
#define UNKNOWN_IS_ABSENT 0x02
#define CUT_UP            0x04 /* split the filter for each back end, and emit it for tracefs */
#define WITH_NAMES        0x08
#define GENERATE          0x10 /* generate eBPF, a display filter, a filter for libpcap, and u32 */

#define WHICH_EVENT 0x20 /* this bit and those above select the event for CUT_UP */

#define LINE_MAX   65536
#define UNKNOWN_ID 65535

struct input {
	uint8_t flags;
	char *text;
	uint8_t *record; /* in separate memory, so that a read beyond its end is found */
	uint32_t len;
};

static struct tw_schema *schema;
static char line_buf[LINE_MAX];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static bool is_known_error(int error)
{
	return error == -EINVAL || error == -E2BIG || error == -ENOMEM;
}

/* Checks an error: one line, "column N: what is wrong". The column is inside the text or directly after it. */
static void check_error(int error, const struct tw_error *err, const char *text)
{
	unsigned int column = 0;
	int used = 0;

	check(is_known_error(error));
	check(sscanf(err->text, "column %u: %n", &column, &used) == 1 && used);
	check(column >= 1 && column <= strlen(text) + 1);
	check(strlen(err->text + used) > 3);
	for (const char *c = err->text; *c; c++)
		check((unsigned char)*c >= ' ' && *c != 0x7f);
}

static struct tw_bound *bind_input(const struct input *in)
{
	const struct tw_bind_options options = {
		.schema = schema,
		.big_endian = in->flags & BIG_ENDIAN_HOST,
		.unknown_is_absent = in->flags & UNKNOWN_IS_ABSENT,
	};
	struct tw_filter *filter;
	struct tw_bound *bound;
	struct tw_error err = { "" };
	int error = tw_filter__parse(in->text, &filter, &err);

	if (error) {
		check_error(error, &err, in->text);
		return NULL;
	}
	check(!strcmp(tw_filter__text(filter), in->text));
	error = tw_filter__bind(filter, &options, &bound, &err);
	tw_filter__free(filter);
	if (!error)
		return bound;
	check_error(error, &err, in->text);
	return NULL;
}

static struct tw_filter_event event_of(const struct input *in, uint16_t id)
{
	const bool names = in->flags & WITH_NAMES;

	return (struct tw_filter_event){
		.record = in->record,
		.len = in->len,
		.id = id,
		.flags = in->len > 2 ? in->record[2] : 0,
		.pid = in->len > 4 ? in->record[4] : -1,
		.cpu = in->len > 3 ? in->record[3] : 0,
		.time = (uint64_t)in->len * 1000000000,
		.comm = names ? "bash" : NULL,
		.comm_len = names ? 4 : 0,
		.host = names ? "box" : NULL,
		.host_len = names ? 3 : 0,
	};
}

static void check_refusal(int error, const struct tw_error *err)
{
	check(!error || ((error == -EOPNOTSUPP || error == -E2BIG || error == -ENOMEM) && *err->text));
}

static void cut_up(const struct input *in, const struct tw_bound *bound, uint16_t id)
{
	const struct tw_filter_event event = event_of(in, id);
	struct pushdown p;

	for (enum tw_back_end back_end = 0; back_end < TW_BACK_END_TOOLS; back_end++) {
		if (pushdown__init(&p, bound, id, back_end))
			continue;
		check(pushdown__holds(&p, &event));
		pushdown__fini(&p);
	}
}

static void emit(const struct tw_bound *bound, uint16_t id)
{
	struct tw_line line = tw_line__on(line_buf, sizeof(line_buf));
	const struct tw_node *root = tw_bound__root(bound, id);
	struct tw_error err = { "" };
	int error;

	if (root->kind == TW_NODE_TRUE || root->kind == TW_NODE_FALSE)
		return;
	error = tw_tracefs__emit(bound, root, &line, &err);
	check_refusal(error, &err);
}

/* Generates a program for XDP, for XDP in a NIC (offload) or for tc, and prints each of its instructions. */
static void generate(const struct input *in, struct tw_bound *bound)
{
	const struct tw_rule rule = { .bound = bound, .action = TW_ACTION_DROP };
	const struct tw_rules rules = { .rules = &rule, .n = 1, .big_endian = in->flags & BIG_ENDIAN_HOST };
	const struct tw_bpf_options options = {
		.hook = in->len % 2 ? TW_HOOK_XDP : TW_HOOK_TC,
		.offload = in->len % 4 == 1,
		.udp_port = in->len % 3 ? 0 : TW_UDP_PORT,
	};
	struct tw_bpf_program program;
	struct tw_error err = { "" };
	const int error = tw_bpf__generate(&rules, &options, &program, &err);

	check_refusal(error, &err);
	if (error)
		return;
	check(program.n && program.n <= TW_BPF_INSNS_MAX);
	for (uint32_t i = 0; i < program.n; i++) {
		struct tw_line line = tw_line__on(line_buf, sizeof(line_buf));

		tw_bpf__disassemble(&program, i, &line);
	}
	tw_bpf_program__fini(&program);
}

/* Emits a filter for Wireshark and one for libpcap, each for all events. */
static void emit_whole(const struct tw_bound *bound)
{
	struct tw_line line = tw_line__on(line_buf, sizeof(line_buf));
	struct tw_error err = { "" };

	check_refusal(tw_display__emit(bound, &line, &err), &err);
	line = tw_line__on(line_buf, sizeof(line_buf));
	check_refusal(tw_pcap__emit(bound, 1, &line, &err), &err);
}

static void evaluate(const struct input *in, const struct tw_bound *bound, uint16_t id)
{
	const struct tw_filter_event event = event_of(in, id);
	const int certain = tw_bound__is_certain(bound, id);
	const bool matches = tw_bound__matches(bound, &event);

	check(certain < 0 || certain == matches);
}

/* Compiles u32 matches: they are within their limits, and each can be printed. */
static void compile_u32(const struct tw_bound *bound)
{
	struct tw_error err = { "" };
	struct tw_u32 u32;
	const int error = tw_u32__compile(bound, 1, &u32, &err);

	check_refusal(error, &err);
	if (error)
		return;
	check(u32.n <= TW_U32_MATCHES_MAX);
	for (unsigned int i = 0; i < u32.n; i++) {
		struct tw_line line = tw_line__on(line_buf, sizeof(line_buf));

		check(u32.matches[i].n <= TW_U32_KEYS_MAX);
		tw_u32_match__emit(&u32.matches[i], &line);
	}
	tw_u32__fini(&u32);
}

static void use(const struct input *in, struct tw_bound *bound)
{
	const uint16_t id = tw_schema__at(schema, in->flags / WHICH_EVENT % tw_schema__count(schema))->id;

	for (size_t i = 0; i < tw_schema__count(schema); i++)
		evaluate(in, bound, tw_schema__at(schema, i)->id);
	evaluate(in, bound, UNKNOWN_ID);
	if (in->flags & CUT_UP) {
		cut_up(in, bound, id);
		emit(bound, id);
	}
	if (in->flags & GENERATE) {
		generate(in, bound);
		emit_whole(bound);
		compile_u32(bound);
	}
}

static void run(const struct input *in)
{
	struct tw_bound *bound = bind_input(in);
	struct tw_error err = { "" };

	if (!bound)
		return;
	if (!tw_bound__prepare(bound, &err))
		use(in, bound);
	tw_bound__free(bound);
}

/* The text and the record are copied to separate memory, so that a read beyond the end of either is found. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size > 1 ? memchr(data + 1, '\0', size - 1) : NULL;
	const size_t text_len = nul ? (size_t)(nul - data - 1) : size ? size - 1 : 0;
	struct input in = { .flags = size ? data[0] : 0 };

	if (!schema)
		schema = formats__schema();
	in.len = nul ? (uint32_t)(size - text_len - 2) : 0;
	in.text = malloc(text_len + 1);
	in.record = malloc(in.len ? in.len : 1);
	if (schema && in.text && in.record && size) {
		memcpy(in.text, data + 1, text_len);
		in.text[text_len] = '\0';
		memcpy(in.record, in.len ? nul + 1 : data, in.len);
		run(&in);
	}
	free(in.text);
	free(in.record);
	return 0;
}
