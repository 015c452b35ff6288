/* SPDX-License-Identifier: GPL-2.0-or-later */
/* %p and its letters: parses the letters, and prints an address or the bytes at an address: MAC, IP, UUID, hexadecimal, bitmaps. */
#include "base/bytes.h"
#include "schema/print/put.h"

#define MAC_LEN  6
#define UUID_LEN 16
#define HEX_MAX  64 /* limit of %*ph in the kernel, bytes */

/* Linux's numbers of address families and sizes of socket addresses. The headers of another system may have other values. */
#define FAMILY_INET  2
#define FAMILY_INET6 10
#define SOCKADDR_IN  16 /* bytes */
#define SOCKADDR_IN6 28
#define IP4_LEN      4
#define IP6_LEN      16
#define IP6_WORDS    8

/* Cuts the letter for the byte order of %pI4: h (host), n (network), b (big-endian) or l (little-endian). */
static void cut_ip4_order(struct tw_text *letters, struct tw_pointer *ret)
{
	ret->by_host = tw_text__skip_char(letters, 'h');
	ret->reverse = !ret->by_host && tw_text__skip_char(letters, 'l');
	if (!ret->by_host && !ret->reverse && !tw_text__skip_char(letters, 'n'))
		tw_text__skip_char(letters, 'b');
}

static void cut_ip(struct tw_text *letters, struct tw_pointer *ret)
{
	if (tw_text__skip_char(letters, '4')) {
		ret->kind = TW_POINTER_IP4;
		cut_ip4_order(letters, ret);
	} else if (tw_text__skip_char(letters, '6')) {
		ret->kind = TW_POINTER_IP6;
		ret->compress = ret->capital && tw_text__skip_char(letters, 'c');
	} else if (tw_text__skip_char(letters, 'S')) {
		ret->kind = TW_POINTER_SOCKADDR;
		for (; letters->len && memchr("pfsc", *letters->at, 4); tw_text__cut(letters, 1)) {
			ret->port |= *letters->at == 'p';
			ret->compress |= *letters->at == 'c';
		}
		cut_ip4_order(letters, ret);
	}
}

static void cut_mac(struct tw_text *letters, bool capital, struct tw_pointer *ret)
{
	ret->kind = TW_POINTER_MAC;
	ret->reverse = tw_text__skip_char(letters, 'R');
	if (capital)
		ret->separator = !ret->reverse && tw_text__skip_char(letters, 'F') ? '-' : ':';
}

static void cut_uuid(struct tw_text *letters, struct tw_pointer *ret)
{
	const char order = letters->len ? *letters->at : '\0';

	ret->kind = TW_POINTER_UUID;
	ret->capital = order == 'L' || order == 'B';
	ret->reverse = order == 'L' || order == 'l';
	tw_text__cut(letters, ret->capital || ret->reverse || order == 'b');
}

static void cut_hex(struct tw_text *letters, struct tw_pointer *ret)
{
	ret->kind = TW_POINTER_HEX;
	if (tw_text__skip_char(letters, 'C'))
		ret->separator = ':';
	else if (tw_text__skip_char(letters, 'D'))
		ret->separator = '-';
	else if (!tw_text__skip_char(letters, 'N'))
		ret->separator = ' ';
}

void tw_pointer__cut(struct tw_text *letters, struct tw_pointer *ret)
{
	struct tw_text rest = *letters;

	*ret = (struct tw_pointer){ .kind = TW_POINTER_PLAIN };
	if (!rest.len)
		return;
	tw_text__cut(&rest, 1);
	switch (*letters->at) {
	case 's':
	case 'f':
		ret->kind = TW_POINTER_SYMBOL;
		break;
	case 'S':
		ret->kind = TW_POINTER_SYMBOL_OFFSET;
		tw_text__skip_char(&rest, 'R');
		break;
	case 'F':
	case 'B':
		ret->kind = TW_POINTER_SYMBOL_OFFSET;
		break;
	case 'x':
	case 'K':
		break;
	case 'e':
		ret->kind = TW_POINTER_ERROR;
		break;
	case 'M':
	case 'm':
		cut_mac(&rest, *letters->at == 'M', ret);
		break;
	case 'I':
	case 'i':
		ret->capital = *letters->at == 'I';
		cut_ip(&rest, ret);
		break;
	case 'U':
		cut_uuid(&rest, ret);
		break;
	case 'h':
		cut_hex(&rest, ret);
		break;
	case 'b':
		ret->kind = tw_text__skip_char(&rest, 'l') ? TW_POINTER_BITMAP_LIST : TW_POINTER_BITMAP;
		break;
	default:
		return;
	}
	*letters = rest;
}

void tw_put__symbol(struct tw_line *line, uint64_t address, bool with_offset, const struct tw_print_host *host)
{
	struct tw_symbol symbol;

	if (!host || !host->symbols || !tw_symbols__find(host->symbols, address, &symbol)) {
		tw_line__0x(line, address);
		return;
	}
	tw_line__str(line, symbol.name);
	if (!with_offset)
		return;
	tw_line__char(line, '+');
	tw_line__0x(line, address - symbol.address);
}

void tw_put__address(struct tw_line *line, const struct tw_pointer *pointer, uint64_t address,
		     const struct tw_print_host *host)
{
	if (tw_pointer__is_symbol(pointer))
		tw_put__symbol(line, address, pointer->kind == TW_POINTER_SYMBOL_OFFSET, host);
	else if (pointer->kind == TW_POINTER_ERROR && (int64_t)address < 0 && (int64_t)address >= -4095)
		tw_line__i64(line, (int64_t)address);
	else if (!address)
		tw_line__str(line, "(nil)");
	else
		tw_line__0x(line, address);
}

static void put_mac(struct tw_line *line, const struct tw_pointer *pointer, const uint8_t *mac)
{
	for (unsigned int i = 0; i < MAC_LEN; i++) {
		if (i && pointer->separator)
			tw_line__char(line, pointer->separator);
		tw_line__hex_byte(line, mac[pointer->reverse ? MAC_LEN - 1 - i : i]);
	}
}

static void put_uuid(struct tw_line *line, const struct tw_pointer *pointer, const uint8_t *uuid)
{
	static const uint8_t little[UUID_LEN] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	const char *digits = pointer->capital ? "0123456789ABCDEF" : "0123456789abcdef";

	for (unsigned int i = 0; i < UUID_LEN; i++) {
		const uint8_t byte = uuid[pointer->reverse ? little[i] : i];

		if (i == 4 || i == 6 || i == 8 || i == 10)
			tw_line__char(line, '-');
		tw_line__char(line, digits[byte >> 4]);
		tw_line__char(line, digits[byte & 0xf]);
	}
}

static void put_hex(struct tw_line *line, const struct tw_pointer *pointer, const struct tw_put_spec *spec,
		    const struct tw_put_bytes *bytes)
{
	struct tw_put_bytes shown = *bytes;
	uint32_t most = HEX_MAX;

	if (spec->width > 0 && spec->width < HEX_MAX)
		most = (uint32_t)spec->width;
	if (shown.len > most)
		shown.len = most;
	tw_put__hex(line, &shown, pointer->separator);
}

/* Return: number of bits of a bitmap: the width, or all bits of the field if there is no width or it exceeds them. */
static uint32_t bits_of(const struct tw_put_spec *spec, const struct tw_put_bytes *bytes)
{
	const uint64_t all = (uint64_t)bytes->len * 8;

	return (uint32_t)(spec->width > 0 && (uint64_t)spec->width < all ? (uint64_t)spec->width : all);
}

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
		tw_line__hex_byte(line, address[i]);
	}
}

/* The last four bytes of mapped IPv4 addresses and of ISATAP addresses are printed in IPv4 notation. */
static bool ends_as_ip4(const uint8_t *address)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(address, mapped, sizeof(mapped)) || (tw_load_be32(address + 8) | 0x02000000) == 0x02005efe;
}

struct zeros {
	unsigned int at, n; /* words */
};

/* Finds the longest run of at least two zero words; of several, the first. Return: at = @words if there is none */
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

/* For other address families nothing is printed, as in libtraceevent. */
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

static void put_ip(struct tw_line *line, const struct tw_pointer *pointer, const struct tw_put_bytes *bytes)
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

void tw_put__pointed(struct tw_line *line, const struct tw_pointer *pointer, const struct tw_put_spec *spec,
		     const struct tw_put_bytes *bytes, uint8_t long_size)
{
	switch (pointer->kind) {
	case TW_POINTER_MAC:
		if (bytes->len >= MAC_LEN)
			put_mac(line, pointer, bytes->data);
		else
			tw_line__str(line, "INVALIDMAC");
		break;
	case TW_POINTER_UUID:
		if (bytes->len >= UUID_LEN)
			put_uuid(line, pointer, bytes->data);
		else
			tw_line__str(line, "INVALIDUUID");
		break;
	case TW_POINTER_HEX:
		put_hex(line, pointer, spec, bytes);
		break;
	case TW_POINTER_BITMAP:
		tw_put__bits(line, bytes, bits_of(spec, bytes), long_size);
		break;
	case TW_POINTER_BITMAP_LIST:
		tw_put__bit_list(line, bytes, bits_of(spec, bytes), long_size);
		break;
	default:
		put_ip(line, pointer, bytes);
		break;
	}
}
