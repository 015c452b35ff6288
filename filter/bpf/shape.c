/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/bpf/shape.h"

#include <string.h>

static bool same_bytes(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	return a_len == b_len && (!a_len || !memcmp(a, b, a_len));
}

static bool same_field(const struct tw_field *a, const struct tw_field *b)
{
	if (!a || !b)
		return a == b;
	return a->offset == b->offset && a->size == b->size && a->count == b->count && a->elem_size == b->elem_size &&
	       a->kind == b->kind && a->elem_kind == b->elem_kind && a->place == b->place &&
	       a->is_signed == b->is_signed;
}

static bool same_test(const struct tw_test *a, const struct tw_test *b)
{
	return a->operand == b->operand && a->compared == b->compared && a->op == b->op &&
	       a->is_signed == b->is_signed && a->has_mask == b->has_mask && a->big_endian == b->big_endian &&
	       a->prefix == b->prefix && a->mask == b->mask && a->low == b->low && a->high == b->high &&
	       same_field(a->field, b->field) && same_bytes(a->bytes, a->len, b->bytes, b->len) &&
	       same_bytes(a->high_bytes, a->high_len, b->high_bytes, b->high_len) && a->pattern == b->pattern;
}

bool tw_shape__equal(const struct tw_node *a, const struct tw_node *b)
{
	struct tw_walk in_a = tw_walk__on(a), in_b = tw_walk__on(b);
	enum tw_walk_at at;

	if (a == b)
		return true;
	do {
		at = tw_walk__next(&in_a);
		if (at != tw_walk__next(&in_b))
			return false;
		if (at == TW_WALK_END)
			return true;
		if (in_a.node->kind != in_b.node->kind || in_a.node->negated != in_b.node->negated)
			return false;
	} while (in_a.node->kind != TW_NODE_TEST || same_test(in_a.node->test, in_b.node->test));
	return false;
}

/* FNV-1a, a word at a time. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	return (hash ^ word) * UINT64_C(0x100000001b3);
}

static uint64_t mix_test(uint64_t hash, const struct tw_test *test)
{
	hash = mix(hash, (uint64_t)test->operand << 16 | (uint64_t)test->op << 8 | test->prefix);
	hash = mix(mix(mix(hash, test->low), test->high), test->mask);
	hash = mix(hash, test->field ? (uint64_t)test->field->offset << 32 | test->field->size : 0);
	for (size_t i = 0; i < test->len; i++)
		hash = mix(hash, test->bytes[i]);
	return hash;
}

uint64_t tw_shape__hash(const struct tw_node *root)
{
	struct tw_walk walk = tw_walk__on(root);
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	enum tw_walk_at at;

	while ((at = tw_walk__next(&walk)) != TW_WALK_END) {
		hash = mix(hash, (uint64_t)at << 16 | (uint64_t)walk.node->kind << 1 | walk.node->negated);
		if (walk.node->kind == TW_NODE_TEST)
			hash = mix_test(hash, walk.node->test);
	}
	return hash ^ hash >> 32;
}
