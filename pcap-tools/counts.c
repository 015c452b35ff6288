/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/counts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/printable.h"

/* The key is a struct tw_count_row whose count is 0; the value is the count. */
static const struct tw_hash_table empty = {
	.key_size = sizeof(struct tw_count_row),
	.value_size = sizeof(uint64_t),
	.max = TW_COUNTS_MAX,
};

int tw_counts__add(struct tw_counts *counts, const struct tw_count_row *key)
{
	const size_t len = strnlen(key->name, sizeof(key->name) - 1);
	struct tw_count_row padded;
	void *n;
	int err;

	memset(&padded, 0, sizeof(padded));
	padded.stream_id = key->stream_id;
	padded.pid = key->pid;
	memcpy(padded.name, key->name, len);
	if (!counts->names.key_size)
		counts->names = empty;
	err = tw_hash_table__put(&counts->names, &padded, &n);
	if (err == -ENOMEM)
		return err;
	counts->total++;
	if (err == -E2BIG)
		counts->others++;
	else
		++*(uint64_t *)n;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct tw_count_row *a = left, *b = right;
	const int names = strcmp(a->name, b->name);

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	if (names)
		return names;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->stream_id < b->stream_id ? -1 : a->stream_id > b->stream_id;
}

int tw_counts__sorted(const struct tw_counts *counts, struct tw_count_row **ret, size_t *ret_n)
{
	const uint32_t n = counts->names.n;
	struct tw_count_row *sorted = calloc(n + 1, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		memcpy(&sorted[i], tw_hash_table__key(&counts->names, i), sizeof(sorted[i]));
		memcpy(&sorted[i].n, tw_hash_table__value(&counts->names, i), sizeof(sorted[i].n));
	}
	qsort(sorted, n, sizeof(*sorted), compare);
	*ret = sorted;
	*ret_n = n;
	return 0;
}

void tw_counts__fini(struct tw_counts *counts)
{
	tw_hash_table__fini(&counts->names);
	*counts = (struct tw_counts){ 0 };
}

void tw_count_row__name_event(struct tw_count_row *key, const char *system, const char *event, uint16_t id)
{
	if (system)
		snprintf(key->name, sizeof(key->name), "%s:%s", system, event);
	else
		snprintf(key->name, sizeof(key->name), "[unknown event %u]", id);
	tw_printable__mend(key->name, sizeof(key->name));
}
