/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/print/put_ip.h"

#include "base/bytes.h"

/* Linux's numbers and sizes; this room includes none of its headers. */
#define FAMILY_INET  2
#define FAMILY_INET6 10
#define SOCKADDR_IN  16 /* bytes */
#define SOCKADDR_IN6 28
#define IP4_LEN      4
#define IP6_LEN      16
#define IP6_WORDS    8

static void put_ip4(struct tw_line *line, const struct tw_pointer *pointer, const uint8_t *address, bool big_endian)
{
	const bool reverse = pointer->reverse || (pointer->by_host && !big_endian);

	for (unsigned int i = 0; i < IP4_LEN; i++) {
		if (i)
			tw_line__char(line, '.');
		tw_line__digits(line, address[reverse ? IP4_LEN - 1 - i : i], pointer->capital ? 0 : 3, '0');
	}
}

static void put_ip6_whole(struct tw_line *line, const struct tw_pointer *pointer, const uint8_t *address)
{
	for (unsigned int i = 0; i < IP6_LEN; i++) {
		if (pointer->capital && i && !(i & 1))
			tw_line__char(line, ':');
		tw_line__char(line, "0123456789abcdef"[address[i] >> 4]);
		tw_line__char(line, "0123456789abcdef"[address[i] & 0xf]);
	}
}

/* Mapped IPv4 addresses and ISATAP have their last four bytes written as IPv4. */
static bool ends_as_ip4(const uint8_t *address)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(address, mapped, sizeof(mapped)) || (tw_load_be32(address + 8) | 0x02000000) == 0x02005efe;
}

struct zeros {
	unsigned int at, n; /* words */
};

/* The longest run of zero words, the first of several; one alone is no run. */
static struct zeros find_zeros(const uint8_t *address, unsigned int words)
{
	struct zeros longest = { words, 1 };

	for (unsigned int i = 0, n = 0; i < words; i++) {
		n = tw_load_be16(address + 2 * (size_t)i) ? 0 : n + 1;
		if (n > longest.n)
			longest = (struct zeros){ i + 1 - n, n };
	}
	return longest;
}

static void put_ip6_short(struct tw_line *line, const uint8_t *address)
{
	static const struct tw_pointer dotted = { .capital = true };
	const bool ip4 = ends_as_ip4(address);
	const unsigned int words = ip4 ? IP6_WORDS - 2 : IP6_WORDS;
	const struct zeros zeros = find_zeros(address, words);
	bool colon = false;

	for (unsigned int i = 0; i < words; i++) {
		if (i == zeros.at) {
			tw_line__str(line, "::");
			colon = false;
			i += zeros.n - 1;
			continue;
		}
		if (colon)
			tw_line__char(line, ':');
		tw_line__hex(line, tw_load_be16(address + 2 * (size_t)i));
		colon = true;
	}
	if (!ip4)
		return;
	if (colon)
		tw_line__char(line, ':');
	put_ip4(line, &dotted, address + 12, true);
}

static void put_ip6(struct tw_line *line, const struct tw_pointer *pointer, const uint8_t *address)
{
	if (pointer->compress)
		put_ip6_short(line, address);
	else
		put_ip6_whole(line, pointer, address);
}

static void put_port(struct tw_line *line, const uint8_t *sockaddr)
{
	tw_line__char(line, ':');
	tw_line__u64(line, tw_load_be16(sockaddr + 2));
}

static void put_sockaddr_in6(struct tw_line *line, const struct tw_pointer *pointer, const uint8_t *sockaddr)
{
	if (pointer->port)
		tw_line__char(line, '[');
	put_ip6(line, pointer, sockaddr + 8);
	if (!pointer->port)
		return;
	tw_line__char(line, ']');
	put_port(line, sockaddr);
}

/* Of another family nothing is printed, as libtraceevent does. */
static void put_sockaddr(struct tw_line *line, const struct tw_pointer *pointer, const struct tw_put_bytes *bytes)
{
	const uint16_t family = bytes->len < 2 ? 0 : tw_load16(bytes->data, bytes->big_endian);

	if (family == FAMILY_INET && bytes->len >= SOCKADDR_IN) {
		put_ip4(line, pointer, bytes->data + 4, bytes->big_endian);
		if (pointer->port)
			put_port(line, bytes->data);
	} else if (family == FAMILY_INET) {
		tw_line__str(line, "INVALIDIPv4");
	} else if (family == FAMILY_INET6 && bytes->len >= SOCKADDR_IN6) {
		put_sockaddr_in6(line, pointer, bytes->data);
	} else if (family == FAMILY_INET6) {
		tw_line__str(line, "INVALIDIPv6");
	}
}

void tw_put__ip(struct tw_line *line, const struct tw_pointer *pointer, const struct tw_put_bytes *bytes)
{
	if (pointer->kind == TW_POINTER_SOCKADDR)
		put_sockaddr(line, pointer, bytes);
	else if (pointer->kind == TW_POINTER_IP4 && bytes->len >= IP4_LEN)
		put_ip4(line, pointer, bytes->data, bytes->big_endian);
	else if (pointer->kind == TW_POINTER_IP4)
		tw_line__str(line, "INVALIDIPv4");
	else if (bytes->len >= IP6_LEN)
		put_ip6(line, pointer, bytes->data);
	else
		tw_line__str(line, "INVALIDIPv6");
}
