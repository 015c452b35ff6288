/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/pointers/pointer_key.h"

#include <errno.h>
#include <sodium/crypto_shorthash.h>
#include <sys/random.h>

_Static_assert(crypto_shorthash_KEYBYTES == TW_POINTER_SECRET, "the secret is SipHash's key");
_Static_assert(crypto_shorthash_BYTES == sizeof(uint64_t), "a hash has the width of an address");

#define MARGIN \
	((uint64_t)1 << 16) /* at both ends of the address space nothing is moved to: there are what is no address */

int tw_pointer_key__init(struct tw_pointer_key *key, struct tw_error *err)
{
	*key = (struct tw_pointer_key){ 0 };
	if (getrandom(key->secret, sizeof(key->secret), 0) != sizeof(key->secret))
		return tw_error__set(err, -EIO, "the kernel gives no random number to hide addresses with");
	return 0;
}

static bool overlaps(const struct tw_pointer_key *key, uint64_t moved, uint64_t size)
{
	for (size_t i = 0; i < key->n_ranges; i++)
		if (moved < key->ranges[i].moved + key->ranges[i].size && key->ranges[i].moved < moved + size)
			return true;
	return false;
}

void tw_pointer_key__move(struct tw_pointer_key *key, uint64_t start, uint64_t end)
{
	const uint64_t space = sizeof(long) == 4 ? (uint64_t)UINT32_MAX : UINT64_MAX;
	const uint64_t size = end - start;
	uint64_t moved;

	if (end <= start || key->n_ranges == TW_POINTER_RANGES || size > space / 4)
		return;
	do {
		if (getrandom(&moved, sizeof(moved), 0) != sizeof(moved))
			return;
		moved = MARGIN + moved % (space - size - 2 * MARGIN);
	} while (overlaps(key, moved, size));
	key->ranges[key->n_ranges++] = (struct tw_pointer_range){ start, size, moved };
}

bool tw_pointer_key__keeps_distances(const struct tw_pointer_key *key, uint64_t start, uint64_t size)
{
	for (size_t i = 0; i < key->n_ranges; i++) {
		const struct tw_pointer_range *range = &key->ranges[i];

		if (start - range->start < range->size)
			return size <= range->size - (start - range->start);
	}
	return false;
}

uint64_t tw_pointer_key__hide(const struct tw_pointer_key *key, uint64_t address, uint8_t width)
{
	uint64_t hash;

	for (size_t i = 0; i < key->n_ranges; i++)
		if (address - key->ranges[i].start < key->ranges[i].size)
			return key->ranges[i].moved + (address - key->ranges[i].start);
	crypto_shorthash((unsigned char *)&hash, (const unsigned char *)&address, sizeof(address), key->secret);
	return width == sizeof(uint32_t) ? (uint32_t)hash : hash;
}
