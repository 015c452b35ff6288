/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/text_cursor.h"

#define RUNS_MAX    64 /* enough: when a run begins, each earlier run is at least twice as long as the run after it */
#define CACHE_BITS  9
#define CHUNK_BYTES 65536 /* size of a block of names; a name is shorter */

/* A block of names. Names never move, so that they can be borrowed. */
struct chunk {
	struct chunk *next;
	size_t used;
	char bytes[CHUNK_BYTES - sizeof(struct chunk *) - sizeof(size_t)];
};

struct cached_symbol {
	uint64_t generation; /* the table's generation when the symbol was found; 0 = the entry is empty */
	uint64_t address;
	struct tw_symbol symbol;
};

/*
 * The array of entries consists of runs, each sorted by address. If the address of a new entry is below the address of the last entry, the
 * new entry begins a run. If not, the new entry extends the last run. Before a run begins, the last two runs are merged until each run is
 * at least twice as long as the run after it. Therefore the number of runs is O(log n). A look-up searches all runs. An addition costs
 * O(log n) on average, even if additions and look-ups alternate.
 *
 * A run keeps at most two entries for an address: the oldest entry and, if another entry has a larger extent, the entry with the largest
 * extent.
 */
struct tw_symbols {
	struct tw_symbol *entries, *scratch; /* both have @room elements, so that a merge never fails */
	size_t n, room;
	size_t starts[RUNS_MAX];
	unsigned int n_runs;
	size_t finds; /* look-ups that the cache could not answer, since the last run began */
	size_t memory;
	struct chunk *names;
	const char *last_module;
	uint64_t generation;
	struct cached_symbol cache[1u << CACHE_BITS];
};

struct tw_symbols *tw_symbols__new(void)
{
	struct tw_symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols)
		symbols->generation = 1;
	return symbols;
}

void tw_symbols__free(struct tw_symbols *symbols)
{
	struct chunk *chunk;

	if (!symbols)
		return;
	while ((chunk = symbols->names)) {
		symbols->names = chunk->next;
		free(chunk);
	}
	free(symbols->entries);
	free(symbols->scratch);
	free(symbols);
}

/* Return: offset of the last byte of a symbol; UINT64_MAX if its size is unknown. */
static uint64_t reach(const struct tw_symbol *symbol)
{
	return symbol->size ? symbol->size - 1 : UINT64_MAX;
}

/* Appends an entry to a run, whose @n entries are sorted by address and age. Return: new number of entries. */
static size_t append(struct tw_symbol *run, size_t n, const struct tw_symbol *entry)
{
	if (n && run[n - 1].address == entry->address) {
		if (reach(entry) <= reach(&run[n - 1]))
			return n;
		if (n > 1 && run[n - 2].address == entry->address)
			n--;
	}
	run[n] = *entry;
	return n + 1;
}

/* Merges the last two runs. */
static void merge(struct tw_symbols *symbols)
{
	const size_t start = symbols->starts[symbols->n_runs - 2], middle = symbols->starts[symbols->n_runs - 1];
	const struct tw_symbol *a = symbols->entries + start, *b = symbols->entries + middle;
	const struct tw_symbol *a_end = b, *b_end = symbols->entries + symbols->n;
	size_t n = 0;

	while (a < a_end || b < b_end) {
		const bool older = b == b_end || (a < a_end && a->address <= b->address);

		n = append(symbols->scratch, n, older ? a++ : b++);
	}
	memcpy(symbols->entries + start, symbols->scratch, n * sizeof(*symbols->entries));
	symbols->n = start + n;
	symbols->n_runs--;
}

static size_t run_end(const struct tw_symbols *symbols, unsigned int run)
{
	return run + 1 < symbols->n_runs ? symbols->starts[run + 1] : symbols->n;
}

static void begin_run(struct tw_symbols *symbols)
{
	while (symbols->n_runs >= 2) {
		const size_t last = symbols->n - symbols->starts[symbols->n_runs - 1];
		const size_t before = symbols->starts[symbols->n_runs - 1] - symbols->starts[symbols->n_runs - 2];

		if (before >= 2 * last)
			break;
		merge(symbols);
	}
	symbols->starts[symbols->n_runs++] = symbols->n;
	symbols->finds = 0;
}

static void settle(struct tw_symbols *symbols)
{
	while (symbols->n_runs > 1)
		merge(symbols);
}

static bool take_memory(struct tw_symbols *symbols, size_t bytes)
{
	if (bytes > TW_SYMBOLS_MEMORY_MAX - symbols->memory)
		return false;
	symbols->memory += bytes;
	return true;
}

static int copy_name(struct tw_symbols *symbols, const char *name, size_t len, const char **ret)
{
	struct chunk *chunk = symbols->names;
	char *copy;

	if (!chunk || sizeof(chunk->bytes) - chunk->used <= len) {
		if (!take_memory(symbols, CHUNK_BYTES))
			return -E2BIG;
		chunk = malloc(sizeof(*chunk));
		if (!chunk)
			return -ENOMEM;
		chunk->next = symbols->names;
		chunk->used = 0;
		symbols->names = chunk;
	}
	copy = chunk->bytes + chunk->used;
	memcpy(copy, name, len);
	copy[len] = '\0';
	chunk->used += len + 1;
	*ret = copy;
	return 0;
}

static int make_room(struct tw_symbols *symbols)
{
	const size_t room = symbols->room ? 2 * symbols->room : 256;
	struct tw_symbol *grown;

	if (symbols->n < symbols->room)
		return 0;
	if (!take_memory(symbols, 2 * (room - symbols->room) * sizeof(*grown)))
		return -E2BIG;
	grown = realloc(symbols->entries, room * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	symbols->entries = grown;
	grown = realloc(symbols->scratch, room * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	symbols->scratch = grown;
	symbols->room = room;
	return 0;
}

/* Stores a module's name once for consecutive symbols of the module; most symbols of a module are consecutive. */
static int copy_module(struct tw_symbols *symbols, const char *module, size_t len, const char **ret)
{
	int err = 0;

	*ret = NULL;
	if (!module || !len)
		return 0;
	if (!symbols->last_module || strncmp(symbols->last_module, module, len) || symbols->last_module[len])
		err = copy_name(symbols, module, len, &symbols->last_module);
	*ret = symbols->last_module;
	return err;
}

int tw_symbols__add(struct tw_symbols *symbols, uint64_t address, uint64_t size, const char *name, size_t len,
		    const char *module, size_t module_len)
{
	struct tw_symbol entry = { .address = address, .size = size };
	size_t start;
	int err;

	len = strnlen(name, len);
	module_len = module ? strnlen(module, module_len) : 0;
	if (!len)
		return -EINVAL;
	if (len > TW_SYMBOL_NAME_MAX || module_len > TW_SYMBOL_NAME_MAX || symbols->n >= TW_SYMBOLS_MAX)
		return -E2BIG;
	err = make_room(symbols);
	if (!err)
		err = copy_name(symbols, name, len, &entry.name);
	if (!err)
		err = copy_module(symbols, module, module_len, &entry.module);
	if (err)
		return err;
	if (!symbols->n || address < symbols->entries[symbols->n - 1].address)
		begin_run(symbols);
	start = symbols->starts[symbols->n_runs - 1];
	symbols->n = start + append(symbols->entries + start, symbols->n - start, &entry);
	symbols->generation++;
	return 0;
}

/* Return: index of the first entry of @run whose address is above @address; the end of the run if there is none. */
static size_t behind(const struct tw_symbols *symbols, unsigned int run, uint64_t address)
{
	size_t low = symbols->starts[run], high = run_end(symbols, run);

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (symbols->entries[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The entries nearest to a given address, among all runs. */
struct near {
	/* two entries with the nearest address at or below the given address: the oldest one, and the one with the largest extent */
	const struct tw_symbol *first, *furthest;
	const struct tw_symbol *next; /* the nearest entry above the given address */
};

static void look_into(const struct tw_symbols *symbols, unsigned int run, uint64_t address, struct near *near)
{
	const size_t start = symbols->starts[run], i = behind(symbols, run, address);
	const struct tw_symbol *last, *first;

	if (i < run_end(symbols, run) && (!near->next || symbols->entries[i].address < near->next->address))
		near->next = &symbols->entries[i];
	if (i == start)
		return;
	first = last = &symbols->entries[i - 1];
	if (i - 1 > start && first[-1].address == last->address)
		first--;
	if (!near->first || first->address > near->first->address) {
		near->first = first;
		near->furthest = last;
	} else if (first->address == near->first->address && reach(last) > reach(near->furthest)) {
		near->furthest = last;
	}
}

static bool covers(const struct tw_symbol *symbol, const struct near *near, uint64_t address)
{
	const uint64_t offset = address - symbol->address;

	/* A symbol without a size ends at the next symbol. If there is no next symbol, the end is unknown. */
	return !offset || (offset <= reach(symbol) && (symbol->size || near->next));
}

static const struct tw_symbol *look_up(struct tw_symbols *symbols, uint64_t address)
{
	struct near near = { 0 };

	if (symbols->n_runs > 1 && ++symbols->finds > symbols->n)
		settle(symbols);
	for (unsigned int run = 0; run < symbols->n_runs; run++)
		look_into(symbols, run, address, &near);
	if (!near.first)
		return NULL;
	if (covers(near.first, &near, address))
		return near.first;
	return covers(near.furthest, &near, address) ? near.furthest : NULL;
}

bool tw_symbols__find(struct tw_symbols *symbols, uint64_t address, struct tw_symbol *ret)
{
	struct cached_symbol *cached = &symbols->cache[address * 0x9e3779b97f4a7c15u >> (64 - CACHE_BITS)];
	const struct tw_symbol *found;

	if (cached->generation != symbols->generation || cached->address != address) {
		found = look_up(symbols, address);
		if (!found)
			return false;
		*cached = (struct cached_symbol){ symbols->generation, address, *found };
	}
	*ret = cached->symbol;
	return true;
}

size_t tw_symbols__count(struct tw_symbols *symbols)
{
	settle(symbols);
	return symbols->n;
}

bool tw_symbols__at(struct tw_symbols *symbols, size_t i, struct tw_symbol *ret)
{
	settle(symbols);
	if (i >= symbols->n)
		return false;
	*ret = symbols->entries[i];
	return true;
}

size_t tw_symbols__memory(const struct tw_symbols *symbols)
{
	return sizeof(*symbols) + symbols->memory;
}

/* Parsing of /proc/kallsyms. Each line is `ffffffff81000010 T name	[module]`. */
struct symbol_line {
	uint64_t address;
	struct tw_text name, module;
};

struct lines {
	struct symbol_line *lines;
	size_t n, room;
};

static struct tw_text cut_word(struct tw_text *text)
{
	struct tw_text word;
	size_t n = 0;

	*text = tw_text__ltrim(*text);
	while (n < text->len && !tw_text__is_space(text->at[n]))
		n++;
	word = (struct tw_text){ text->at, n };
	tw_text__cut(text, n);
	return word;
}

/* Skips mapping symbols of Arm and offsets of per-CPU variables, because these are not names of addresses. */
static bool parse_line(struct tw_text line, struct symbol_line *ret)
{
	struct tw_text type;

	if (!tw_text__hex(&line, &ret->address) || !line.len || !tw_text__is_space(*line.at))
		return false;
	type = cut_word(&line);
	ret->name = cut_word(&line);
	if (type.len != 1 || !ret->name.len || ret->name.len > TW_SYMBOL_NAME_MAX)
		return false;
	if (ret->name.at[0] == '$' || type.at[0] == 'A' || type.at[0] == 'a')
		return false;
	ret->module = (struct tw_text){ NULL, 0 };
	if (tw_text__skip(&line, "[")) {
		ret->module = cut_word(&line);
		if (ret->module.len && ret->module.at[ret->module.len - 1] == ']')
			ret->module.len--;
	}
	return ret->module.len <= TW_SYMBOL_NAME_MAX;
}

static int keep(struct lines *lines, const struct symbol_line *line)
{
	if (lines->n == TW_SYMBOLS_MAX)
		return -E2BIG;
	if (lines->n == lines->room) {
		const size_t room = lines->room ? 2 * lines->room : 1024;
		struct symbol_line *grown = realloc(lines->lines, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		lines->lines = grown;
		lines->room = room;
	}
	lines->lines[lines->n++] = *line;
	return 0;
}

/* Orders lines by address; lines with the same address are in the reverse order of the text. */
static int order(const void *a, const void *b)
{
	const struct symbol_line *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name.at > y->name.at ? -1 : x->name.at < y->name.at;
}

/*
 * If an address has several names, libtraceevent prints for this address the name that its binary search meets first. For other addresses
 * of the symbol, it prints the first name in the text. This table gives the same names.
 */
static const struct symbol_line *met_first(const struct lines *lines, uint64_t address)
{
	size_t low = 0, high = lines->n, middle = 0;

	while (low < high) {
		middle = (low + high) / 2;
		if (lines->lines[middle].address == address)
			break;
		if (lines->lines[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return &lines->lines[middle];
}

static int add_line(struct tw_symbols *symbols, const struct symbol_line *line, uint64_t size)
{
	return tw_symbols__add(symbols, line->address, size, line->name.at, line->name.len, line->module.at,
			       line->module.len);
}

static int add_all(struct tw_symbols *symbols, const struct lines *lines)
{
	int err = 0;

	for (size_t i = 0; !err && i < lines->n; i++) {
		const struct symbol_line *line = &lines->lines[i], *met = line;
		size_t same = 1;

		while (i + 1 < lines->n && line[same].address == line->address) {
			same++;
			i++;
		}
		if (same > 1)
			met = met_first(lines, line->address);
		if (met != line + same - 1)
			err = add_line(symbols, met, 1);
		if (!err)
			err = add_line(symbols, line + same - 1, 0);
	}
	return err;
}

int tw_symbols__parse(struct tw_symbols *symbols, const char *text, size_t len)
{
	struct tw_text rest = { text, len }, line;
	struct symbol_line parsed;
	struct lines lines = { 0 };
	int err = 0;

	while (!err && tw_text__line(&rest, &line))
		if (parse_line(line, &parsed))
			err = keep(&lines, &parsed);
	if (lines.n)
		qsort(lines.lines, lines.n, sizeof(*lines.lines), order);
	if (!err)
		err = add_all(symbols, &lines);
	free(lines.lines);
	return err;
}
