/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/sockets/follow.h"

#include <errno.h>

#define NS_PER_US 1000

/* A stage: it lasts from one step of a message to another one. */
struct stage {
	enum tw_socket_stage stage;
	uint8_t from, to;
};

static const struct stage out_stages[] = {
	{ TW_SOCKET_STAGE_SEND, TW_SOCKTS_EGRESS_SENDMSG_ENTRY, TW_SOCKTS_EGRESS_SENDMSG },
	{ TW_SOCKET_STAGE_TCP, TW_SOCKTS_EGRESS_SENDMSG, TW_SOCKTS_EGRESS_SCHED },
	{ TW_SOCKET_STAGE_QDISC, TW_SOCKTS_EGRESS_SCHED, TW_SOCKTS_EGRESS_SND_SW },
	{ TW_SOCKET_STAGE_ACK, TW_SOCKTS_EGRESS_SND_SW, TW_SOCKTS_EGRESS_ACK },
};

static const struct stage in_stages[] = {
	{ TW_SOCKET_STAGE_IP, TW_SOCKTS_INGRESS_RX, TW_SOCKTS_INGRESS_IP },
	{ TW_SOCKET_STAGE_L4, TW_SOCKTS_INGRESS_IP, TW_SOCKTS_INGRESS_L4 },
	{ TW_SOCKET_STAGE_SOCKET, TW_SOCKTS_INGRESS_L4, TW_SOCKTS_INGRESS_SOCKET },
	{ TW_SOCKET_STAGE_WAKE, TW_SOCKTS_INGRESS_SOCKET, TW_SOCKTS_INGRESS_WAKE },
	{ TW_SOCKET_STAGE_RUN, TW_SOCKTS_INGRESS_WAKE, TW_SOCKTS_INGRESS_RUN },
	{ TW_SOCKET_STAGE_READ, TW_SOCKTS_INGRESS_SOCKET, TW_SOCKTS_INGRESS_READ },
};

#define OUT_STAGES (sizeof(out_stages) / sizeof(out_stages[0]))
#define IN_STAGES  (sizeof(in_stages) / sizeof(in_stages[0]))

/* An event that is taken, and where its figures go. */
struct taking {
	struct tw_socket_follower *follower;
	const struct tw_socket_event *event;
	struct tw_socket_flow *flow;
	struct tw_socket_step step;
};

static struct tw_socket_figures *program_of(const struct taking *t, const char *comm)
{
	return tw_socket_flows__program(&t->follower->flows, t->event->stream, comm);
}

/* Adds the time of a stage to the flow or to a program, if both of its ends are known. */
static int sample(const struct taking *t, struct tw_socket_figures *figures, const struct stage *stage,
		  const struct tw_socket_message *message)
{
	const uint64_t from = message->times[stage->from], to = message->times[stage->to];

	if (!from || !to || !figures)
		return 0;
	if (to < from) {
		t->follower->backwards += figures == &t->flow->figures;
		return 0;
	}
	return tw_socket_figures__sample(figures, stage->stage, to - from);
}

/* The time of the latest known step before @step; 0 = none */
static uint64_t time_before(const struct tw_socket_message *message, unsigned int step)
{
	while (step--)
		if (message->times[step])
			return message->times[step];
	return 0;
}

/* Whether a step, or one after it, is known: what comes later is another transmission. */
static bool has_passed(const struct tw_socket_message *message, unsigned int step)
{
	for (; step < TW_SOCKET_STEPS_END; step++)
		if (message->times[step])
			return true;
	return false;
}

/* Sets the time of a step that a message makes, and adds the stage that ends with it to the flow. */
static int make_step(struct taking *t, struct tw_socket_message *message, unsigned int step, const struct stage *stages,
		     size_t n_stages)
{
	int err = 0;

	if (!t->step.messages++ || message->position == tw_socket_event__position(t->event))
		t->step.since = time_before(message, step);
	message->times[step] = t->event->software;
	for (size_t i = 0; i < n_stages && !err; i++)
		if (stages[i].to == step)
			err = sample(t, &t->flow->figures, &stages[i], message);
	return err;
}

/* A step of a sent message: the sender is known, so the stage also counts for its program. */
static int make_out_step(struct taking *t, struct tw_socket_message *message, unsigned int step)
{
	int err = make_step(t, message, step, out_stages, OUT_STAGES);

	for (size_t i = 0; i < OUT_STAGES && !err; i++)
		if (out_stages[i].to == step)
			err = sample(t, program_of(t, message->comm), &out_stages[i], message);
	return err;
}

/* A step of a received message. Its reader, and so the program, is known at the end. */
static int make_in_step(struct taking *t, struct tw_socket_message *message, unsigned int step)
{
	return make_step(t, message, step, in_stages, IN_STAGES);
}

static void begin_sendmsg(struct taking *t, uint32_t position)
{
	const bool is_tcp = t->event->protocol == TW_SOCKET_TCP;

	t->flow->entry_from = is_tcp ? position - (uint32_t)t->event->bytes + 1 : position;
	t->flow->entry_time = t->event->software;
	t->step.messages++;
}

static void count_sent(const struct taking *t, struct tw_socket_figures *figures)
{
	if (!figures)
		return;
	figures->sent++;
	figures->bytes_sent += t->event->bytes;
}

/*
 * The program has read before it begins to send: it took this time itself. With sampling, other messages may have been read and sent in
 * between.
 */
static int end_answer(struct taking *t, const struct tw_socket_message *message)
{
	const uint64_t entry = message->times[TW_SOCKTS_EGRESS_SENDMSG_ENTRY],
		       begin = entry ? entry : t->event->software, read = t->flow->read_time;
	struct tw_socket_figures *program = program_of(t, message->comm);
	int err;

	if (!read || begin < read || t->event->sample > 1)
		return 0;
	t->flow->read_time = 0;
	err = tw_socket_figures__sample(&t->flow->figures, TW_SOCKET_STAGE_PROGRAM, begin - read);
	return err || !program ? err : tw_socket_figures__sample(program, TW_SOCKET_STAGE_PROGRAM, begin - read);
}

static int end_sendmsg(struct taking *t, struct tw_socket_message *message)
{
	const bool is_tcp = t->event->protocol == TW_SOCKET_TCP;
	const uint32_t from = is_tcp ? message->position - (uint32_t)t->event->bytes + 1 : message->position;
	int err;

	memcpy(message->comm, t->event->comm, sizeof(message->comm));
	if (t->flow->entry_time && t->flow->entry_from == from)
		message->times[TW_SOCKTS_EGRESS_SENDMSG_ENTRY] = t->flow->entry_time;
	t->flow->entry_time = 0;
	count_sent(t, &t->flow->figures);
	count_sent(t, program_of(t, message->comm));
	err = end_answer(t, message);
	return err ? err : make_out_step(t, message, TW_SOCKTS_EGRESS_SENDMSG);
}

/* The packet of message @i is passed to a device. Earlier messages whose last byte is in it share it, unless they have one of their own. */
static int pass_packet(struct taking *t, uint32_t i)
{
	struct tw_socket_queue *out = &t->flow->out;
	const uint32_t position = tw_socket_queue__at(out, i)->position;
	int err = 0;

	for (uint32_t k = i + 1; k-- && !err;) {
		struct tw_socket_message *message = tw_socket_queue__at(out, k);

		/* a datagram shares its packet with none: those of a batch are one message */
		if (k < i && (t->event->protocol != TW_SOCKET_TCP || position - message->position >= t->event->bytes))
			break;
		if (has_passed(message, TW_SOCKTS_EGRESS_SCHED))
			continue;
		message->carrier = position;
		err = make_out_step(t, message, TW_SOCKTS_EGRESS_SCHED);
	}
	return err;
}

/* The packet of message @i, and of the messages that share it, is sent. */
static int send_packet(struct taking *t, uint32_t i)
{
	struct tw_socket_queue *out = &t->flow->out;
	const uint32_t position = tw_socket_queue__at(out, i)->position;
	int err = 0;

	for (uint32_t k = i + 1; k-- && !err;) {
		struct tw_socket_message *message = tw_socket_queue__at(out, k);

		if (message->carrier == position && !has_passed(message, TW_SOCKTS_EGRESS_SND_SW))
			err = make_out_step(t, message, TW_SOCKTS_EGRESS_SND_SW);
		else if (k < i && message->carrier != position)
			break;
	}
	return err;
}

static void count_resent(const struct taking *t, struct tw_socket_message *message)
{
	struct tw_socket_figures *program = program_of(t, message->comm);

	if (message->resent)
		return;
	message->resent = true;
	t->flow->figures.resent++;
	if (program)
		program->resent++;
}

/* All messages up to @position are acknowledged. */
static int acknowledge(struct taking *t, uint32_t position)
{
	struct tw_socket_queue *out = &t->flow->out;
	int err = 0;

	while (out->n && !err && !tw_socket_position__is_after(tw_socket_queue__at(out, 0)->position, position)) {
		err = make_out_step(t, tw_socket_queue__at(out, 0), TW_SOCKTS_EGRESS_ACK);
		tw_socket_queue__remove(out, 0);
	}
	tw_socket_queue__set_done(out, position);
	return err;
}

static int take_message_out(struct taking *t, uint32_t i)
{
	struct tw_socket_message *message = tw_socket_queue__at(&t->flow->out, i);
	const unsigned int type = (unsigned int)t->event->type;
	int err;

	if (!message->comm[0])
		memcpy(message->comm, t->event->comm, sizeof(message->comm));
	if (t->event->transmission) {
		count_resent(t, message);
		return 0;
	}
	if (type == TW_SOCKTS_EGRESS_SENDMSG)
		return has_passed(message, TW_SOCKTS_EGRESS_SENDMSG) ? 0 : end_sendmsg(t, message);
	if (type == TW_SOCKTS_EGRESS_SCHED)
		return pass_packet(t, i);
	err = send_packet(t, i);
	/* Datagrams are not acknowledged. */
	if (t->event->protocol != TW_SOCKET_TCP)
		tw_socket_queue__remove(&t->flow->out, i);
	return err;
}

static int take_egress(struct taking *t)
{
	const uint32_t position = tw_socket_event__position(t->event);
	uint32_t i;
	int err;

	t->flow->is_whole |= t->event->key_base == TW_SOCKTS_KEY_BASE_FIRST;
	if (t->event->comm[0])
		memcpy(t->flow->comm, t->event->comm, sizeof(t->flow->comm));
	switch (t->event->type) {
	case TW_SOCKTS_EGRESS_SENDMSG_ENTRY:
		begin_sendmsg(t, position);
		return 0;
	case TW_SOCKTS_EGRESS_SENDMSG:
		/* New data are after all that was acknowledged, unless events were lost for so long that the numbers have wrapped. */
		if (tw_socket_queue__is_done(&t->flow->out, position))
			t->flow->out.has_done = false;
		/* fallthrough */
	case TW_SOCKTS_EGRESS_SCHED:
	case TW_SOCKTS_EGRESS_SND_SW:
		err = tw_socket_queue__add(&t->flow->out, position, &i);
		return err || i == t->flow->out.n ? err : take_message_out(t, i);
	case TW_SOCKTS_EGRESS_ACK:
		return acknowledge(t, position);
	default:
		return 0;
	}
}

/* Message @i, and the earlier ones that have not made the step, make it. Datagrams make their steps one by one. */
static int make_steps_until(struct taking *t, uint32_t i, unsigned int step)
{
	const bool is_tcp = t->event->protocol == TW_SOCKET_TCP;
	struct tw_socket_queue *in = &t->flow->in;
	int err = 0;

	for (uint32_t k = i + 1; k-- && !err;) {
		if (has_passed(tw_socket_queue__at(in, k), step))
			break;
		err = make_in_step(t, tw_socket_queue__at(in, k), step);
		if (!is_tcp)
			break;
	}
	return err;
}

/* The index of the last message up to @position; of datagrams, of this one. Return: n = none */
static uint32_t last_until(const struct taking *t, uint32_t position)
{
	const struct tw_socket_queue *in = &t->flow->in;
	const uint32_t i = tw_socket_queue__find(in, position);

	if (i < in->n || t->event->protocol != TW_SOCKET_TCP)
		return i;
	return tw_socket_queue__search(in, position) ? tw_socket_queue__search(in, position) - 1 : in->n;
}

/* Adds all stages of a message that was read to the figures of the reader. */
static int credit_reader(const struct taking *t, const struct tw_socket_message *message)
{
	struct tw_socket_figures *program = program_of(t, t->event->comm);
	int err = 0;

	t->flow->figures.received++;
	if (program)
		program->received++;
	for (size_t i = 0; i < IN_STAGES && !err; i++)
		err = sample(t, program, &in_stages[i], message);
	return err;
}

static int read_message(struct taking *t, uint32_t i)
{
	struct tw_socket_message *message = tw_socket_queue__at(&t->flow->in, i);
	int err = make_in_step(t, message, TW_SOCKTS_INGRESS_READ);

	if (!err)
		err = credit_reader(t, message);
	tw_socket_queue__remove(&t->flow->in, i);
	return err;
}

/* All messages up to @position were read; of datagrams, this one. */
static int take_read(struct taking *t, uint32_t position)
{
	struct tw_socket_figures *program = program_of(t, t->event->comm);
	struct tw_socket_queue *in = &t->flow->in;
	uint32_t i;
	int err = 0;

	t->flow->read_time = t->event->sample > 1 ? 0 : t->event->software;
	t->flow->figures.bytes_received += t->event->bytes;
	if (program)
		program->bytes_received += t->event->bytes;
	if (t->event->protocol != TW_SOCKET_TCP) {
		i = tw_socket_queue__find(in, position);
		return i < in->n ? read_message(t, i) : 0;
	}
	while (in->n && !err && !tw_socket_position__is_after(tw_socket_queue__at(in, 0)->position, position))
		err = read_message(t, 0);
	tw_socket_queue__set_done(in, position);
	return err;
}

/* A message arrives, or its bytes are in the queue of the socket. */
static int take_arrival(struct taking *t, uint32_t position)
{
	const unsigned int type = (unsigned int)t->event->type;
	const bool is_tcp = t->event->protocol == TW_SOCKET_TCP;
	struct tw_socket_queue *in = &t->flow->in;
	uint32_t i;
	int err = tw_socket_queue__add(in, position, &i);

	if (err)
		return err;
	if (type == TW_SOCKTS_INGRESS_SOCKET) {
		if (i < in->n)
			err = make_steps_until(t, i, type);
		if (is_tcp)
			tw_socket_queue__set_done(in, position);
		return err;
	}
	return i == in->n || has_passed(tw_socket_queue__at(in, i), type)
		       ? 0
		       : make_in_step(t, tw_socket_queue__at(in, i), type);
}

static int take_ingress(struct taking *t)
{
	const uint32_t position = tw_socket_event__position(t->event);
	uint32_t i;

	if (t->event->comm[0])
		memcpy(t->flow->comm, t->event->comm, sizeof(t->flow->comm));
	switch (t->event->type) {
	case TW_SOCKTS_INGRESS_RX:
	case TW_SOCKTS_INGRESS_IP:
	case TW_SOCKTS_INGRESS_L4:
	case TW_SOCKTS_INGRESS_SOCKET:
		return take_arrival(t, position);
	case TW_SOCKTS_INGRESS_WAKE:
	case TW_SOCKTS_INGRESS_RUN:
		i = last_until(t, position);
		return i == t->flow->in.n ? 0 : make_steps_until(t, i, (unsigned int)t->event->type);
	case TW_SOCKTS_INGRESS_READ:
		return take_read(t, position);
	default:
		return 0;
	}
}

static uint64_t increase(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static void add_state(struct tw_socket_figures *figures, const struct tw_socket_state *from,
		      const struct tw_socket_state *to)
{
	figures->stats++;
	figures->retransmits += increase(from->retransmits, to->retransmits);
	figures->busy_us += increase(from->busy_us, to->busy_us);
	figures->rwnd_limited_us += increase(from->rwnd_limited_us, to->rwnd_limited_us);
	figures->sndbuf_limited_us += increase(from->sndbuf_limited_us, to->sndbuf_limited_us);
}

static int add_srtt(struct tw_socket_figures *figures, uint64_t us)
{
	return us ? tw_socket_figures__sample(figures, TW_SOCKET_STAGE_SRTT, us * NS_PER_US) : 0;
}

static int take_state(struct taking *t)
{
	const struct tw_socket_event *event = t->event;
	struct tw_socket_flow *flow = t->flow;
	const struct tw_socket_state now = { event->srtt_us, event->retransmits, event->busy_us, event->rwnd_limited_us,
					     event->sndbuf_limited_us };
	/* What the kernel had counted before the run began is left out. */
	const struct tw_socket_state before = flow->has_state  ? flow->state
					      : flow->is_whole ? (struct tw_socket_state){ 0 }
							       : now;
	struct tw_socket_figures *program = program_of(t, flow->comm);
	int err;

	flow->state = now;
	flow->has_state = true;
	add_state(&flow->figures, &before, &now);
	err = add_srtt(&flow->figures, now.srtt_us);
	if (!program || err)
		return err;
	add_state(program, &before, &now);
	return add_srtt(program, now.srtt_us);
}

static void count_reset(const struct taking *t, struct tw_socket_figures *figures)
{
	if (!figures)
		return;
	if (t->event->direction == TW_SOCKTS_DIRECTION_SENT)
		figures->resets_sent++;
	else
		figures->resets_received++;
}

static void count_held(const struct taking *t, struct tw_socket_figures *figures)
{
	const uint64_t reason = t->event->reason < TW_SOCKTS_HELD_END ? t->event->reason : 0;

	if (!figures)
		return;
	figures->held[reason].n++;
	figures->held[reason].ns += t->event->waited;
}

/* When a socket is freed, the kernel also drops the packet that said that the other side sends no more. It has no bytes, so none are lost. */
static void count_drop(const struct taking *t, struct tw_socket_figures *figures)
{
	if (figures && t->event->bytes)
		figures->drops++;
}

/* If the socket is another one than before, it is a new connection with the same addresses. */
static void note_socket(const struct taking *t)
{
	struct tw_socket_flow *flow = t->flow;

	if (!t->event->cookie || flow->cookie == t->event->cookie)
		return;
	if (flow->cookie && t->event->protocol == TW_SOCKET_TCP) {
		tw_socket_queue__forget(&flow->out);
		tw_socket_queue__forget(&flow->in);
		flow->entry_time = flow->read_time = 0;
		flow->has_state = flow->is_whole = false;
	}
	tw_socket_flows__set_cookie(&t->follower->flows, flow, t->event->cookie);
}

/* The flow of a dropped packet, whose addresses are those of the packet. Return: NULL if there is no flow yet */
static struct tw_socket_flow *find_dropped(const struct tw_socket_flows *flows, const struct tw_socket_event *event)
{
	const struct tw_socket_flow_id sent = tw_socket_flow_id__of(event),
				       received = tw_socket_flow_id__reverse(&sent);
	struct tw_socket_flow *sender = tw_socket_flows__find(flows, &sent);
	struct tw_socket_flow *receiver = tw_socket_flows__find(flows, &received);

	if (!receiver || (sender && event->cookie && sender->cookie == event->cookie))
		return sender;
	return receiver;
}

static int take(struct taking *t)
{
	switch (t->event->kind) {
	case TW_SOCKET_EGRESS:
		return take_egress(t);
	case TW_SOCKET_STATS:
		return take_state(t);
	case TW_SOCKET_INGRESS:
		return take_ingress(t);
	case TW_SOCKET_RESET:
		count_reset(t, &t->flow->figures);
		count_reset(t, program_of(t, t->flow->comm));
		return 0;
	case TW_SOCKET_DROP:
		count_drop(t, &t->flow->figures);
		count_drop(t, program_of(t, t->flow->comm));
		return 0;
	case TW_SOCKET_HELD:
		count_held(t, &t->flow->figures);
		count_held(t, program_of(t, t->flow->comm));
		return 0;
	case TW_SOCKET_KIND_COUNT:
		break;
	}
	return 0;
}

int tw_socket_follower__event(struct tw_socket_follower *follower, const struct tw_socket_event *event)
{
	const struct tw_socket_flow_id id = tw_socket_flow_id__of(event);
	struct taking t = { .follower = follower, .event = event };
	int err = 0;

	if (event->kind == TW_SOCKET_DROP)
		t.flow = find_dropped(&follower->flows, event);
	else
		err = tw_socket_flows__get(&follower->flows, &id, &t.flow);
	if (err)
		return err;
	if (!t.flow) {
		follower->stray_drops += event->bytes != 0;
		return 0;
	}
	if (event->kind != TW_SOCKET_DROP)
		note_socket(&t);
	t.flow->figures.events++;
	err = take(&t);
	t.step.flow = t.flow;
	t.step.event = event;
	if (!err && follower->step)
		follower->step(follower->ctx, &t.step);
	return err;
}
