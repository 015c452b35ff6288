/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_bpf_golden [--write] FILE... -- compares generated code with golden files. The first lines of a file say what is generated:
 *	# tree EXPRESSION			the tree for sched_switch, or, if sched_switch cannot match, for the first event that can
 *	# xdp | tc | offload-xdp | offload-tc	whole programs, of the rules that follow
 *	# rule ACTION EXPRESSION
 * The rest of the file is the code, disassembled. --write writes the generated code to the files; review it before you commit it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter/bpf/disassemble.h"
#include "filter/bpf/test.h"
#include "tests/filter/bound.h"
#include "tests/filter/formats.h"

#define TEXT_MAX  (256 * 1024)
#define LINE_MAX  512
#define RULES_MAX 8

struct golden {
	char head[4096]; /* the lines with # */
	char kind[32];
	struct tw_rule rules[RULES_MAX];
	unsigned int n;
	char text[TEXT_MAX]; /* the code */
};

static void give_up(const char *what, const char *why)
{
	fprintf(stderr, "test_bpf_golden: %s: %s\n", what, why);
	exit(1);
}

static struct tw_bound *bind(const char *text)
{
	const struct tw_bind_options options = { .schema = formats };
	struct tw_bound *bound;
	struct tw_error err;

	if (bound__make(text, &options, &bound, &err))
		give_up(text, err.text);
	return bound;
}

static void read_rule(struct golden *g, const char *rest)
{
	static const char *const actions[] = { "pass ", "drop ", "mark ", "redirect " };

	for (uint8_t action = 0; action < sizeof(actions) / sizeof(actions[0]); action++)
		if (!strncmp(rest, actions[action], strlen(actions[action])) && g->n < RULES_MAX)
			g->rules[g->n++] = (struct tw_rule){ bind(rest + strlen(actions[action])), action, 7 };
}

static void read_head(struct golden *g, const char *line)
{
	if (strlen(g->head) + strlen(line) + 2 < sizeof(g->head))
		strcat(strcat(g->head, line), "\n");
	if (!strncmp(line, "# rule ", 7)) {
		read_rule(g, line + 7);
	} else {
		sscanf(line, "# %31s", g->kind);
		if (!strncmp(line, "# tree ", 7))
			g->rules[g->n++] = (struct tw_rule){ bind(line + 7), TW_ACTION_DROP, 0 };
	}
}

static void read_file(struct golden *g, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[LINE_MAX];
	size_t len = 0;

	if (!file)
		give_up(path, "cannot be opened");
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#')
			read_head(g, line);
		else if (len + strlen(line) + 1 < TEXT_MAX)
			len += (size_t)sprintf(g->text + len, "%s\n", line);
	}
	fclose(file);
}

static const struct tw_node *tree_of(const struct tw_bound *bound)
{
	for (size_t i = 0; i < bound->n_events; i++)
		if (bound->events[i].root->kind != TW_NODE_FALSE)
			return bound->events[i].root;
	return bound->unknown;
}

/* Generates the jumps of a tree. Each outcome of the tree has its own return value. */
static int generate_tree(const struct tw_bound *bound, struct tw_bpf_program *ret)
{
	const struct tw_node *of_switch = tw_bound__root(bound, SWITCH);
	struct tw_bpf_access access;
	tw_label holds, fails;
	struct tw_asm a;
	int error;

	tw_asm__init(&a);
	holds = tw_asm__label(&a);
	fails = tw_asm__label(&a);
	access = (struct tw_bpf_access){ .too_short = tw_asm__label(&a) };
	tw_tree__emit(&a, of_switch->kind == TW_NODE_FALSE ? tree_of(bound) : of_switch, &access, holds, fails);
	tw_asm__place(&a, holds);
	tw_asm__imm(&a, BPF_REG_0, 1);
	tw_asm__exit(&a);
	tw_asm__place(&a, fails);
	tw_asm__imm(&a, BPF_REG_0, 0);
	tw_asm__exit(&a);
	tw_asm__place(&a, access.too_short);
	tw_asm__imm(&a, BPF_REG_0, 2);
	tw_asm__exit(&a);
	error = tw_asm__finish(&a, ret);
	tw_asm__fini(&a);
	return error;
}

static int generate(const struct golden *g, struct tw_bpf_program *ret)
{
	const struct tw_rules rules = { .rules = g->rules, .n = g->n, .schema_id = UINT64_C(0x0123456789abcdef) };
	struct tw_bpf_options options = { .offload = !strncmp(g->kind, "offload", 7), .udp_port = 18101 };
	struct tw_error err = { "" };
	int error;

	if (!strcmp(g->kind, "tree"))
		return generate_tree(g->rules[0].bound, ret);
	options.hook = strstr(g->kind, "xdp") ? TW_HOOK_XDP : TW_HOOK_TC;
	error = tw_bpf__generate(&rules, &options, ret, &err);
	if (error)
		give_up(g->head, err.text);
	return error;
}

static void disassemble(const struct tw_bpf_program *program, char *text)
{
	size_t len = 0;
	char buf[LINE_MAX];

	for (uint32_t i = 0; i < program->n; i++) {
		struct tw_line line = tw_line__on(buf, sizeof(buf));

		tw_bpf__disassemble(program, i, &line);
		if (tw_line__len(&line) && len + LINE_MAX < TEXT_MAX)
			len += (size_t)sprintf(text + len, "%u: %.*s\n", i, (int)tw_line__len(&line), buf);
	}
}

static void write_file(const struct golden *g, const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file)
		give_up(path, "cannot be written");
	fprintf(file, "%s%s", g->head, text);
	fclose(file);
}

static size_t same_lines(const char *a, const char *b)
{
	size_t line = 1;

	for (; *a && *a == *b; a++, b++)
		line += *a == '\n';
	return line;
}

/* Return: whether the code in the file equals the generated code, or was written. */
static bool check(const char *path, bool write)
{
	struct golden *g = calloc(1, sizeof(*g));
	char *text = calloc(1, TEXT_MAX);
	struct tw_bpf_program program;
	bool same;

	if (!g || !text)
		give_up(path, "no memory");
	read_file(g, path);
	if (!g->n || generate(g, &program))
		give_up(path, "nothing to generate");
	disassemble(&program, text);
	same = write || !strcmp(text, g->text);
	if (write)
		write_file(g, path, text);
	else if (!same)
		printf("%s: differs in its code's line %zu; generated is\n%s", path, same_lines(text, g->text), text);
	tw_bpf_program__fini(&program);
	for (unsigned int i = 0; i < g->n; i++)
		tw_bound__free(g->rules[i].bound);
	free(g);
	free(text);
	return same;
}

int main(int argc, char **argv)
{
	const bool write = argc > 1 && !strcmp(argv[1], "--write");
	bool same = true;

	formats = formats__schema();
	for (int i = write ? 2 : 1; i < argc; i++)
		same &= check(argv[i], write);
	tw_schema__free(formats);
	return same && argc > 1 ? 0 : 1;
}
