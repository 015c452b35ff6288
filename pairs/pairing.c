/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs/pairing.h"

#include <errno.h>

#include "base/hash_table.h"

#define COMPARED 8 /* beginnings among which the oldest is evicted */

struct tw_pairing {
	/* The used part of struct tw_pairing_key -> struct tw_pairing_moment, then @extra bytes. */
	struct tw_hash_table open;
	size_t extra;
	bool keeps_first;
	uint32_t next; /* index of the entry of @open with which the next eviction begins to compare */
	struct tw_pairing_stats stats;
};

struct tw_pairing *tw_pairing__new(size_t n_keys, size_t extra, bool keeps_first, const struct tw_alloc *alloc)
{
	struct tw_pairing *pairing = calloc(1, sizeof(*pairing));

	if (!pairing)
		return NULL;
	pairing->extra = extra;
	pairing->keeps_first = keeps_first;
	pairing->open.alloc = alloc;
	pairing->open.key_size = (uint32_t)(sizeof(uint64_t) * (1 + n_keys));
	pairing->open.value_size = (uint32_t)(sizeof(struct tw_pairing_moment) + extra);
	return pairing;
}

void tw_pairing__free(struct tw_pairing *pairing)
{
	if (!pairing)
		return;
	tw_hash_table__fini(&pairing->open);
	free(pairing);
}

/* Evicts the oldest of COMPARED beginnings. The next call compares the entries after them, so that old ones are found sooner or later. */
static void evict(struct tw_pairing *pairing)
{
	struct tw_hash_table *open = &pairing->open;
	uint32_t oldest = 0;
	uint64_t time = UINT64_MAX;

	for (uint32_t i = 0; i < COMPARED && i < open->n; i++) {
		const uint32_t at = pairing->next++ % open->n;
		const struct tw_pairing_moment *begin = tw_hash_table__value(open, at);

		if (begin->time < time) {
			time = begin->time;
			oldest = at;
		}
	}
	tw_hash_table__remove(open, tw_hash_table__key(open, oldest));
	pairing->stats.evicted++;
}

bool tw_pairing__begin(struct tw_pairing *pairing, const struct tw_pairing_key *key,
		       const struct tw_pairing_moment *begin, const void *extra)
{
	void *value;
	int added;

	pairing->stats.begun++;
	added = tw_hash_table__put(&pairing->open, key, &value);
	if (added == -ENOMEM)
		pairing->open.max = pairing->open.n; /* further attempts to grow would allocate memory in vain */
	if (added < 0 && pairing->open.n) {
		evict(pairing);
		added = tw_hash_table__put(&pairing->open, key, &value);
	}
	if (added < 0) {
		pairing->stats.evicted++;
		return false;
	}
	pairing->stats.again += !added;
	if (!added && pairing->keeps_first && ((const struct tw_pairing_moment *)value)->losses == begin->losses)
		return false;
	memcpy(value, begin, sizeof(*begin));
	if (extra)
		memcpy((char *)value + sizeof(*begin), extra, pairing->extra);
	return true;
}

bool tw_pairing__end(struct tw_pairing *pairing, const struct tw_pairing_key *key, const struct tw_pairing_moment *end,
		     struct tw_pairing_moment *ret, void *ret_extra)
{
	const void *begin = tw_hash_table__find(&pairing->open, key);

	if (!begin) {
		pairing->stats.no_begin++;
		return false;
	}
	memcpy(ret, begin, sizeof(*ret));
	if (ret_extra)
		memcpy(ret_extra, (const char *)begin + sizeof(*ret), pairing->extra);
	tw_hash_table__remove(&pairing->open, key);
	if (ret->losses != end->losses) {
		pairing->stats.across_loss++;
		return false;
	}
	if (ret->time > end->time) {
		pairing->stats.backwards++;
		return false;
	}
	pairing->stats.paired++;
	return true;
}

void *tw_pairing__begun(struct tw_pairing *pairing, const struct tw_pairing_key *key)
{
	char *begin = tw_hash_table__find(&pairing->open, key);

	return begin ? begin + sizeof(struct tw_pairing_moment) : NULL;
}

void tw_pairing__cancel(struct tw_pairing *pairing, const struct tw_pairing_key *key)
{
	pairing->stats.cancelled += tw_hash_table__remove(&pairing->open, key);
}

void tw_pairing__pass(struct tw_pairing *pairing, uint64_t now,
		      void (*begun)(void *ctx, const void *extra, uint64_t ns), void *ctx)
{
	for (uint32_t i = 0; i < pairing->open.n; i++) {
		struct tw_pairing_moment *begin = tw_hash_table__value(&pairing->open, i);

		if (begin->time >= now)
			continue;
		begun(ctx, begin + 1, now - begin->time);
		begin->time = now;
	}
}

void tw_pairing__stats(const struct tw_pairing *pairing, struct tw_pairing_stats *ret)
{
	*ret = pairing->stats;
	ret->open = pairing->open.n;
}
