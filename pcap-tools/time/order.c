/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/time/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/time.h"

#define COMPARED 8 /* entries among which the oldest is evicted */

/* An event that waits for the other one. */
struct side {
	struct tw_stream *stream; /* NULL = no event */
	uint64_t time, error_ns, losses;
	char comm[TW_COMM_MAX]; /* printable; "" = unknown */
	struct tw_kept_event event;
};

struct open {
	struct side cause, effect;
};

void tw_order__init(struct tw_order *order, const struct tw_latency_pair *roles, size_t memory)
{
	const size_t per_entry =
		2 * (sizeof(struct open) + sizeof(struct tw_pairing_key)); /* the array grows by doubling */

	*order = (struct tw_order){
		.roles = roles,
		.open = { .key_size = sizeof(struct tw_pairing_key),
			  .value_size = sizeof(struct open),
			  .max = memory < per_entry ? 1 : (uint32_t)(memory / per_entry) },
	};
}

static void free_moment(struct tw_order_moment *moment)
{
	free(moment->comm);
	free(moment->text);
}

static void free_contradiction(struct tw_order_contradiction *c)
{
	free_moment(&c->cause);
	free_moment(&c->effect);
}

void tw_order__fini(struct tw_order *order)
{
	for (uint32_t i = 0; i < order->n_shown; i++)
		free_contradiction(&order->shown[i]);
	tw_hash_table__fini(&order->open);
}

static void fill_side(struct side *side, const struct tw_read_event *event, const struct tw_pair_input *input,
		      uint64_t losses)
{
	*side = (struct side){
		.stream = event->stream, .time = event->time, .error_ns = event->error_ns, .losses = losses
	};
	if (input->comm)
		tw_printable__copy(side->comm, sizeof(side->comm), input->comm, input->comm_len);
	tw_kept_event__keep(&side->event, event);
}

/* Return: false without memory; the caller frees the texts in any case */
static bool describe(const struct side *side, struct tw_order_moment *ret)
{
	*ret = (struct tw_order_moment){
		.stream = side->stream,
		.time = side->time,
		.error_ns = side->error_ns,
		.pid = side->event.pid,
		.cpu = side->event.cpu,
		.comm = strdup(side->comm),
		.text = tw_kept_event__text(&side->event, side->stream),
	};
	return ret->comm && ret->text;
}

/* Keeps a contradiction if its excess is among the largest. */
static int show(struct tw_order *order, const struct side *cause, const struct side *effect, uint64_t early,
		uint64_t excess)
{
	struct tw_order_contradiction new = { .early_ns = early, .excess_ns = excess };
	uint32_t at = order->n_shown;

	while (at && order->shown[at - 1].excess_ns < excess)
		at--;
	if (at == TW_ORDER_SHOWN_MAX)
		return 0;
	if (!describe(cause, &new.cause) || !describe(effect, &new.effect)) {
		free_contradiction(&new);
		return -ENOMEM;
	}
	if (order->n_shown == TW_ORDER_SHOWN_MAX)
		free_contradiction(&order->shown[--order->n_shown]);
	memmove(&order->shown[at + 1], &order->shown[at], (order->n_shown - at) * sizeof(order->shown[0]));
	order->shown[at] = new;
	order->n_shown++;
	return 0;
}

static bool is_bounded(const struct side *side)
{
	return side->time && side->error_ns != TW_ERROR_UNKNOWN;
}

/* Return: the time by which the effect follows its cause; negative if it precedes the cause */
static __int128 lead_of(const struct side *cause, const struct side *effect)
{
	return (__int128)effect->time - cause->time;
}

static bool contradicts(const struct side *cause, const struct side *effect)
{
	return is_bounded(cause) && is_bounded(effect) &&
	       -lead_of(cause, effect) > (__int128)cause->error_ns + effect->error_ns;
}

static uint64_t limited(__int128 ns)
{
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

static int judge(struct tw_order *order, const struct side *cause, const struct side *effect)
{
	const __int128 lead = lead_of(cause, effect), bounds = (__int128)cause->error_ns + effect->error_ns;
	struct tw_order_counts *counts = &order->counts;

	if (cause->losses != effect->losses) {
		counts->across_loss++;
		return 0;
	}
	if (contradicts(cause, effect)) {
		counts->contradictions++;
		return show(order, cause, effect, limited(-lead), limited(-lead - bounds));
	}
	if (!is_bounded(cause) || !is_bounded(effect))
		counts->unbounded++;
	else if (lead > bounds)
		counts->ordered++;
	else
		counts->uncertain++;
	return 0;
}

/* Whether both events are of different streams: the effect was first in the capture, and waits for a further effect. */
static bool is_pair(const struct open *open)
{
	return open->cause.stream && open->effect.stream && open->cause.stream != open->effect.stream;
}

/* Judges or counts the events of an entry that is about to be removed. */
static int settle(struct tw_order *order, const struct open *open)
{
	if (is_pair(open))
		return judge(order, &open->cause, &open->effect);
	order->counts.no_effect += open->cause.stream != NULL;
	order->counts.no_cause += open->effect.stream != NULL;
	return 0;
}

static uint64_t time_of(const struct open *open)
{
	return tw_time__later(open->cause.time, open->effect.time);
}

/* Evicts the oldest of COMPARED entries. */
static int evict(struct tw_order *order)
{
	struct tw_hash_table *table = &order->open;
	uint32_t oldest = order->next % table->n;
	const struct open *open;
	int err = 0;

	for (uint32_t i = 0; i < COMPARED && i < table->n; i++) {
		const uint32_t at = order->next++ % table->n;

		if (time_of(tw_hash_table__value(table, at)) < time_of(tw_hash_table__value(table, oldest)))
			oldest = at;
	}
	open = tw_hash_table__value(table, oldest);
	if (is_pair(open))
		err = settle(order, open);
	else
		order->counts.evicted++;
	tw_hash_table__remove(table, tw_hash_table__key(table, oldest));
	return err;
}

static int find(struct tw_order *order, const struct tw_pairing_key *key, struct open **ret)
{
	void *value;
	int err = tw_hash_table__put(&order->open, key, &value);

	if (err == -ENOMEM && order->open.n) {
		order->open.max = order->open.n; /* further attempts to grow would allocate memory in vain */
		err = -E2BIG;
	}
	if (err == -E2BIG) {
		err = evict(order);
		if (!err)
			err = tw_hash_table__put(&order->open, key, &value);
	}
	*ret = err < 0 ? NULL : value;
	return err < 0 ? err : 0;
}

static int take_cause(struct tw_order *order, struct open *open, const struct side *cause)
{
	int err = 0;

	if (is_pair(open) && !contradicts(&open->cause, &open->effect)) {
		err = settle(order, open);
		*open = (struct open){ .cause = *cause };
	} else if (!open->cause.stream) { /* otherwise, the first cause counts */
		open->cause = *cause;
	}
	return err;
}

static int take_effect(struct tw_order *order, const struct tw_pairing_key *key, struct open *open,
		       const struct side *effect)
{
	int err;

	/* If the earlier effect can be that of the cause, this one waits for another cause. */
	if (is_pair(open) && !contradicts(&open->cause, &open->effect)) {
		err = settle(order, open);
		*open = (struct open){ .effect = *effect };
		return err;
	}
	if (open->cause.stream && open->cause.stream != effect->stream) {
		order->counts.no_cause += is_pair(open);
		err = judge(order, &open->cause, effect);
		tw_hash_table__remove(&order->open, key);
		return err;
	}
	if (!open->effect.stream)
		open->effect = *effect;
	else if (
		!open->cause
			 .stream) { /* its cause is not in the capture: the next cause can only be that of the later effect */
		order->counts.no_cause++;
		open->effect = *effect;
	}
	return 0;
}

int tw_order__take(struct tw_order *order, enum tw_pair_role role, const struct tw_read_event *event,
		   const struct tw_pair_input *input, const struct tw_pairing_key *key, uint64_t losses)
{
	struct open *open;
	struct side side;
	const int err = find(order, key, &open);

	if (err)
		return err;
	fill_side(&side, event, input, losses);
	return role == TW_PAIR_BEGIN ? take_cause(order, open, &side) : take_effect(order, key, open, &side);
}

int tw_order__finish(struct tw_order *order)
{
	int err = 0;

	for (uint32_t i = 0; i < order->open.n && !err; i++)
		err = settle(order, tw_hash_table__value(&order->open, i));
	tw_hash_table__fini(&order->open);
	return err;
}
