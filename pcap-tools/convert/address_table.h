/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of addresses that only grows, made for asking about the same ones over and over. */
#ifndef TW_ADDRESS_TABLE_H
#define TW_ADDRESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_ADDRESS_TABLE_MAX (4u << 20) /* entries; a table that has as many begins anew */

/* All zero is an empty one. */
struct tw_address_table {
	uint64_t *slots; /* 0 = free */
	size_t n, room;  /* room is a power of two */
	bool has_zero;
};

/** tw_address_table__add() - Return: 1 if it is new, 0 if it was there, -ENOMEM */
int tw_address_table__add(struct tw_address_table *table, uint64_t address);

void tw_address_table__fini(struct tw_address_table *table);

#endif
