/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/kallsyms.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LAST_SYMBOL (64u << 10) /* assumed size of the last function of all modules; the file contains no sizes */
#define PAGE        4096u
#define MODULES_MAX (8ull << 30) /* limit of the modules' range: a larger range contains other memory too */
#define FIRST_BYTES (8u << 20)   /* initial size of the buffer; enough for most kernels */
#define BYTES_MAX   (512u << 20) /* a larger file is not kallsyms */

/*
 * Limit of a symbol's size. The file contains no sizes, so the size of a symbol is the distance to the next one. Without the limit, the
 * last symbol before a gap would include the gap.
 */
#define REACH (1u << 20)

static bool is_called(const char *name, size_t len, const char *expected)
{
	return len == strlen(expected) && !memcmp(name, expected, len);
}

static void note_module(struct tw_kernel_text *text, uint64_t address)
{
	if (!text->modules_end || address < text->modules_start)
		text->modules_start = address;
	if (address > text->modules_end)
		text->modules_end = address;
}

/* Looks at one line: `ffffffff81000010 T name	[module]` */
static void look_at(const char *line, size_t len, struct tw_kernel_text *text)
{
	char *type;
	const uint64_t address = strtoull(line, &type, 16);
	const char *end = line + len, *name = type + 3;
	size_t name_len;

	if (!address || type > end || end - type <= 3 || !strchr("tTwW", type[1]))
		return;
	name_len = strcspn(name, "\t\n");
	if (name + name_len < end)
		note_module(text, address);
	else if (is_called(name, name_len, "_stext"))
		text->core_start = address;
	else if (is_called(name, name_len, "_etext"))
		text->core_end = address;
}

static void round_modules(struct tw_kernel_text *text)
{
	if (!text->modules_end)
		return;
	text->modules_start &= ~(uint64_t)(PAGE - 1);
	text->modules_end = (text->modules_end + LAST_SYMBOL) & ~(uint64_t)(PAGE - 1);
	if (text->modules_end - text->modules_start > MODULES_MAX ||
	    (text->modules_start < text->core_end && text->core_start < text->modules_end))
		text->modules_start = text->modules_end = 0;
}

void tw_kernel_text__find(const char *kallsyms, struct tw_kernel_text *ret)
{
	struct tw_kernel_text text = { 0 };

	while (*kallsyms) {
		const size_t len = strcspn(kallsyms, "\n");

		look_at(kallsyms, len, &text);
		kallsyms += len + (kallsyms[len] == '\n');
	}
	if (text.core_end <= text.core_start)
		text.core_start = text.core_end = 0;
	round_modules(&text);
	*ret = text;
}

/* Reads a whole file of unknown size and appends a NUL. Return: NULL on failure; caller frees */
static char *read_whole(const char *path, size_t *ret_len)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t cap = FIRST_BYTES, len = 0;
	char *text = fd < 0 ? NULL : malloc(cap);
	ssize_t n;

	while (text && (n = read(fd, text + len, cap - len)) > 0) {
		char *larger = text;

		len += (size_t)n;
		if (len == cap) {
			cap *= 2;
			larger = cap <= BYTES_MAX ? realloc(text, cap) : NULL;
		}
		if (!larger)
			free(text);
		text = larger;
	}
	if (text)
		text[len] = 0; /* there is room for the NUL, because a full buffer has grown */
	if (fd >= 0)
		close(fd);
	*ret_len = len;
	return text;
}

/* Whether the table contains addresses. For a process without privileges, all addresses in the file are 0. */
static bool tells_addresses(struct tw_symbols *table)
{
	const size_t n = tw_symbols__count(table);
	struct tw_symbol last;

	return n && tw_symbols__at(table, n - 1, &last) && last.address;
}

static struct tw_symbols *read_table(const char *path, struct tw_kernel_text *ret_text)
{
	struct tw_symbols *table = tw_symbols__new();
	size_t len = 0;
	char *text = read_whole(path, &len);

	if (!text || !table || tw_symbols__parse(table, text, len) || !tells_addresses(table)) {
		tw_symbols__free(table);
		table = NULL;
	} else {
		tw_kernel_text__find(text, ret_text);
	}
	free(text);
	return table;
}

/*
 * Reads the file, with normal priority. The thread may have inherited the priority of a reader, with which it would take CPU time from the
 * readers.
 */
static void *read_thread(void *arg)
{
	struct tw_kallsyms *k = arg;

	pthread_setname_np(pthread_self(), "tracewire-syms");
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });
	if (getpriority(PRIO_PROCESS, (id_t)gettid()) < 0)
		setpriority(PRIO_PROCESS, (id_t)gettid(), 0);
	k->fresh = read_table(k->path, &k->fresh_text);
	atomic_store_explicit(&k->done, true, memory_order_release);
	return NULL;
}

void tw_kallsyms__read(struct tw_kallsyms *k)
{
	if (k->reading)
		return;
	k->fresh = NULL;
	k->fresh_text = (struct tw_kernel_text){ 0 };
	atomic_store(&k->done, false);
	k->reading = !pthread_create(&k->thread, NULL, read_thread, k);
}

bool tw_kallsyms__renew(struct tw_kallsyms *k, bool wait)
{
	if (!k->reading || (!wait && !atomic_load_explicit(&k->done, memory_order_acquire)))
		return false;
	pthread_join(k->thread, NULL);
	k->reading = false;
	if (!k->fresh)
		return false;
	tw_symbols__free(k->table);
	k->table = k->fresh;
	k->text = k->fresh_text;
	k->fresh = NULL;
	return true;
}

/* Return: the address of the first symbol after @address; UINT64_MAX if there is no such symbol */
static uint64_t next_symbol(struct tw_symbols *table, uint64_t address)
{
	size_t low = 0, high = tw_symbols__count(table);
	struct tw_symbol symbol = { 0 };

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (tw_symbols__at(table, middle, &symbol) && symbol.address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return tw_symbols__at(table, low, &symbol) ? symbol.address : UINT64_MAX;
}

bool tw_kallsyms__find(const struct tw_kallsyms *k, uint64_t address, struct tw_symbol *ret)
{
	if (!k->table || !tw_symbols__find(k->table, address, ret))
		return false;
	if (!ret->size)
		ret->size = next_symbol(k->table, ret->address) - ret->address;
	if (ret->size > REACH)
		ret->size = REACH;
	return address - ret->address < ret->size;
}

void tw_kallsyms__fini(struct tw_kallsyms *k)
{
	tw_kallsyms__renew(k, true);
	tw_symbols__free(k->table);
	k->table = NULL;
}
