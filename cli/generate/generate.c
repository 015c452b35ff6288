/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program run by the build: writes manual pages and completion scripts to a directory. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "cli/generate/generate.h"

/* Lists events in each form that --event accepts: SYSTEM, SYSTEM:EVENT and EVENT. */
#define EVENTS                                                                                                \
	"tracewire list --systems 2>/dev/null; tracewire list 2>/dev/null; tracewire list 2>/dev/null | sed " \
	"\"s/.*://\""
/* Lists the names with which an expression can begin: the keys that every event has, and the names of fields. */
#define NAMES                                                                                                       \
	"printf \"%s\\n\" event system pid comm cpu flags host time; tracewire list --fields 2>/dev/null | sed -n " \
	"\"s/^\\t\\([^ ]*\\).*/\\1/p\" | sort -u"

const char *generate__lister(enum cli_arg_kind kind)
{
	static const char *const listers[CLI_ARG_KINDS] = {
		[CLI_ARG_INTERFACE] = "command ls /sys/class/net",
		[CLI_ARG_EVENT] = EVENTS,
		[CLI_ARG_PAIR] = "tracewire latency --list 2>/dev/null | sed \"s/ .*//\"",
		[CLI_ARG_CLOCK] = "tracewire list --clocks 2>/dev/null",
		[CLI_ARG_TRACER] = "tracewire list --tracers 2>/dev/null",
		[CLI_ARG_TRACE_OPTION] = "tracewire list --options 2>/dev/null",
		[CLI_ARG_FILTER] = NAMES,
		[CLI_ARG_ACTION] = "printf \"%s\\n\" pass drop mark: redirect:",
		[CLI_ARG_HOOK] = "printf \"%s\\n\" xdp tc u32",
		[CLI_ARG_BACK_END] = "printf \"%s\\n\" tracefs xdp tc u32 pcap display tree",
		[CLI_ARG_PIPELINE] = "printf \"%s\\n\" live record stream capture report attach dumpcap tshark",
		[CLI_ARG_ALIGN] = "printf \"%s\\n\" host none",
		[CLI_ARG_REFERENCE] = "printf \"%s\\n\" host realtime tai; command ls /sys/class/net | sed s/^/phc:/",
		[CLI_ARG_GROUP] = "printf \"%s\\n\" group",
		[CLI_ARG_NEXT_FILE] = "printf \"%s\\n\" filesize: duration: interval: packets: files:",
		[CLI_ARG_AUTOSTOP] = "printf \"%s\\n\" duration: filesize: files: events: packets:",
		[CLI_ARG_USER] = "getent passwd | cut -d: -f1",
	};

	return listers[kind];
}

static FILE *create(const char *dir, const char *name)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "we");
	if (!file)
		fprintf(stderr, "cannot create %s: %s\n", path, strerror(errno));
	return file;
}

static int finish(FILE *file)
{
	const int failed = ferror(file);

	return fclose(file) || failed ? -1 : 0;
}

static int write_page(const struct cli_command *command, const char *path, const char *dir)
{
	char name[64];
	FILE *file;

	snprintf(name, sizeof(name), "%s.1", path);
	for (char *blank = strchr(name, ' '); blank; blank = strchr(blank, ' '))
		*blank = '-';
	file = create(dir, name);
	if (!file)
		return -1;
	generate__man_page(command, path, file);
	return finish(file);
}

/* Writes a page for the program and one for each command. Subcommands are in the page of their command. */
static int write_pages(const struct cli_command *root, const char *dir)
{
	char path[64];

	if (write_page(root, root->name, dir))
		return -1;
	for (const struct cli_command *const *command = root->commands; *command; command++) {
		snprintf(path, sizeof(path), "%s %s", root->name, (*command)->name);
		if (write_page(*command, path, dir))
			return -1;
	}
	return 0;
}

/* Writes the page of the filter language, from docs/filter.md. */
static int write_filter_page(const char *document, const char *dir)
{
	static const char also[] = ".BR tracewire (1),\n.BR tracewire\\-filter (1),\n.BR wireshark\\-filter (4),\n"
				   ".BR pcap\\-filter (7)\n";
	FILE *in = fopen(document, "re"), *out;

	if (!in) {
		fprintf(stderr, "cannot open %s: %s\n", document, strerror(errno));
		return -1;
	}
	out = create(dir, "tracewire-filter.7");
	if (out)
		generate__document("tracewire-filter", in, also, out);
	fclose(in);
	return out ? finish(out) : -1;
}

static int write_completion(void (*generate)(const struct cli_command *, FILE *), const char *dir, const char *name)
{
	FILE *file = create(dir, name);

	if (!file)
		return -1;
	generate(&cli_root_command, file);
	return finish(file);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: %s DIRECTORY FILTER_DOCUMENT\n", argv[0]);
		return CLI_EXIT_USAGE;
	}
	if (write_pages(&cli_root_command, argv[1]) || write_filter_page(argv[2], argv[1]) ||
	    write_completion(generate__bash, argv[1], "tracewire.bash") ||
	    write_completion(generate__zsh, argv[1], "_tracewire") ||
	    write_completion(generate__fish, argv[1], "tracewire.fish"))
		return CLI_EXIT_FAILURE;
	return CLI_EXIT_OK;
}
