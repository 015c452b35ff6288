/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An expression as a classifier of one rule, disassembled. */
#include "cli/filter/compile/targets.h"
#include "filter/bpf/disassemble.h"
#include "filter/bpf/program.h"

#define INSN_MAX 256 /* bytes of one instruction as text */

static void print_program(const struct tw_bpf_program *program, FILE *out)
{
	char buf[INSN_MAX];

	for (uint32_t i = 0; i < program->n; i++) {
		struct tw_line line = tw_line__on(buf, sizeof(buf));

		if (i && i == program->record_function)
			fputs("\nfor each record of a packed frame:\n", out);
		tw_bpf__disassemble(program, i, &line);
		if (tw_line__len(&line))
			fprintf(out, "%5u: %.*s\n", i, (int)tw_line__len(&line), buf);
	}
}

static int print_bpf(const struct filter_expression *expression, const struct filter_classifier *classifier,
		     enum tw_hook hook, FILE *out, struct tw_error *err)
{
	const struct tw_rule rule = {
		.bound = expression->bound,
		.action = classifier->action.action,
		.arg = classifier->action.arg,
	};
	const struct tw_rules rules = {
		.rules = &rule,
		.n = 1,
		.default_action = classifier->otherwise.action,
		.default_arg = classifier->otherwise.arg,
		.schema_id = expression->formats.schema_id,
		.big_endian = expression->formats.big_endian,
	};
	const struct tw_bpf_options options = {
		.hook = (uint8_t)hook,
		.offload = classifier->offload,
		.udp_port = classifier->udp_port,
	};
	struct tw_bpf_program program;
	const int error = tw_bpf__generate(&rules, &options, &program, err);

	if (error)
		return error;
	print_program(&program, out);
	tw_bpf_program__fini(&program);
	return 0;
}

int filter_xdp__print(const struct filter_expression *expression, const struct filter_classifier *classifier, FILE *out,
		      struct tw_error *err)
{
	return print_bpf(expression, classifier, TW_HOOK_XDP, out, err);
}

int filter_tc__print(const struct filter_expression *expression, const struct filter_classifier *classifier, FILE *out,
		     struct tw_error *err)
{
	return print_bpf(expression, classifier, TW_HOOK_TC, out, err);
}
