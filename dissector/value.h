/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of event fields, in the tree and in the Info column. */
#ifndef TW_VALUE_H
#define TW_VALUE_H

#include "dissector/packet-tracewire.h"
#include "schema/field.h"

/** tw_value__put() - add a field's value to the tree under its names. Return: false if it lies outside the record */
bool tw_value__put(struct tw_dissect *d, proto_tree *tree, const struct tw_shown_field *shown,
		   const struct tw_record *record);

#endif
