/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs/names.h"

#include "base/hash_table.h"

#define CACHED_MAX (4 * TW_PAIR_NAMES_MAX) /* values; those that are not in the cache are formatted each time */

struct text {
	char bytes[TW_PAIR_NAME_MAX]; /* zeroed after the NUL, as a key must be */
};

struct cached {
	uint64_t type, value;
};

struct tw_pair_names {
	struct tw_hash_table texts; /* struct text -> uint32_t: the number of the text, which is its index + 2 */
	struct tw_hash_table cache; /* struct cached -> uint32_t: the number of the name */
};

struct tw_pair_names *tw_pair_names__new(void)
{
	struct tw_pair_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->texts.key_size = sizeof(struct text);
	names->texts.max = TW_PAIR_NAMES_MAX;
	names->texts.value_size = sizeof(uint32_t);
	names->cache.key_size = sizeof(struct cached);
	names->cache.value_size = sizeof(uint32_t);
	names->cache.max = CACHED_MAX;
	return names;
}

void tw_pair_names__free(struct tw_pair_names *names)
{
	if (!names)
		return;
	tw_hash_table__fini(&names->texts);
	tw_hash_table__fini(&names->cache);
	free(names);
}

uint32_t tw_pair_names__add(struct tw_pair_names *names, const char *text, size_t len)
{
	struct text key = { "" };
	void *number;
	int added;

	memcpy(key.bytes, text, strnlen(text, len < sizeof(key.bytes) - 1 ? len : sizeof(key.bytes) - 1));
	added = tw_hash_table__put(&names->texts, &key, &number);
	if (added < 0)
		return names->texts.n == TW_PAIR_NAMES_MAX ? TW_PAIR_OTHER : TW_PAIR_NO_NAME;
	if (added)
		*(uint32_t *)number = names->texts.n + TW_PAIR_OTHER;
	return *(uint32_t *)number;
}

const char *tw_pair_names__text(const struct tw_pair_names *names, uint64_t number)
{
	const uint64_t i = number - TW_PAIR_OTHER - 1;

	if (number <= TW_PAIR_OTHER || i >= names->texts.n)
		return "(others)";
	return ((const struct text *)tw_hash_table__key(&names->texts, (uint32_t)i))->bytes;
}

uint32_t tw_pair_names__cached(const struct tw_pair_names *names, const void *type, uint64_t value)
{
	const struct cached key = { (uintptr_t)type, value };
	const uint32_t *number = tw_hash_table__find(&names->cache, &key);

	return number ? *number : TW_PAIR_NO_NAME;
}

void tw_pair_names__cache(struct tw_pair_names *names, const void *type, uint64_t value, uint32_t number)
{
	const struct cached key = { (uintptr_t)type, value };
	void *cached;

	if (tw_hash_table__put(&names->cache, &key, &cached) >= 0)
		*(uint32_t *)cached = number;
}
