/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/sockets/flows.h"

#include <errno.h>
#include <stdlib.h>

struct program_key {
	uint64_t stream;
	char comm[TW_SOCKTS_COMM_LEN];
};

void tw_socket_flows__init(struct tw_socket_flows *flows)
{
	*flows = (struct tw_socket_flows){
		.by_id = { .key_size = sizeof(struct tw_socket_flow_id), .value_size = sizeof(void *) },
		.programs = { .key_size = sizeof(struct program_key), .value_size = sizeof(void *) },
	};
}

struct tw_socket_flow_id tw_socket_flow_id__of(const struct tw_socket_event *event)
{
	struct tw_socket_flow_id id = {
		.stream = event->stream,
		.netns_cookie = event->netns_cookie,
		.local_port = (uint16_t)event->sport,
		.remote_port = (uint16_t)event->dport,
		.protocol = (uint16_t)event->protocol,
	};

	memcpy(id.local, event->local, sizeof(id.local));
	memcpy(id.remote, event->remote, sizeof(id.remote));
	return id;
}

struct tw_socket_flow_id tw_socket_flow_id__reverse(const struct tw_socket_flow_id *id)
{
	struct tw_socket_flow_id ret = *id;

	ret.local_port = id->remote_port;
	ret.remote_port = id->local_port;
	memcpy(ret.local, id->remote, sizeof(ret.local));
	memcpy(ret.remote, id->local, sizeof(ret.remote));
	return ret;
}

static struct tw_socket_flow_list *list_of(struct tw_socket_flows *flows, const struct tw_socket_flow *flow)
{
	return flow->cookie ? &flows->with_socket : &flows->without_socket;
}

static void unlink_flow(struct tw_socket_flows *flows, const struct tw_socket_flow *flow)
{
	struct tw_socket_flow_list *list = list_of(flows, flow);

	if (flow->newer)
		flow->newer->older = flow->older;
	else
		list->newest = flow->older;
	if (flow->older)
		flow->older->newer = flow->newer;
	else
		list->oldest = flow->newer;
}

static void link_flow(struct tw_socket_flows *flows, struct tw_socket_flow *flow)
{
	struct tw_socket_flow_list *list = list_of(flows, flow);

	flow->newer = NULL;
	flow->older = list->newest;
	if (list->newest)
		list->newest->newer = flow;
	else
		list->oldest = flow;
	list->newest = flow;
}

void tw_socket_flows__set_cookie(struct tw_socket_flows *flows, struct tw_socket_flow *flow, uint64_t cookie)
{
	unlink_flow(flows, flow);
	flow->cookie = cookie;
	link_flow(flows, flow);
}

static void free_flow(struct tw_socket_flow *flow)
{
	tw_socket_figures__clear(&flow->figures);
	free(flow->out.items);
	free(flow->in.items);
	free(flow);
}

/* Removes the flow that was idle longest, and adds its figures to those of the others. */
static void evict(struct tw_socket_flows *flows)
{
	struct tw_socket_flow *flow = flows->without_socket.oldest;

	flow = flow ? flow : flows->with_socket.oldest;
	tw_hash_table__remove(&flows->by_id, &flow->id);
	unlink_flow(flows, flow);
	tw_socket_queue__forget(&flow->out);
	tw_socket_queue__forget(&flow->in);
	flows->forgotten += flow->out.forgotten + flow->in.forgotten;
	flows->n_others++;
	tw_socket_figures__take(&flows->others, &flow->figures);
	free_flow(flow);
}

static struct tw_socket_flow *flow_at(const struct tw_socket_flows *flows, uint32_t i)
{
	return *(struct tw_socket_flow **)tw_hash_table__value(&flows->by_id, i);
}

static struct tw_socket_program *program_at(const struct tw_socket_flows *flows, uint32_t i)
{
	return *(struct tw_socket_program **)tw_hash_table__value(&flows->programs, i);
}

struct tw_socket_flow *tw_socket_flows__find(const struct tw_socket_flows *flows, const struct tw_socket_flow_id *id)
{
	struct tw_socket_flow **found = (struct tw_socket_flow **)tw_hash_table__find(&flows->by_id, id);

	return found ? *found : NULL;
}

static int add_flow(struct tw_socket_flows *flows, const struct tw_socket_flow_id *id, struct tw_socket_flow **ret)
{
	struct tw_socket_flow *flow;
	void *value;

	if (flows->by_id.n >= TW_SOCKET_FLOWS_MAX)
		evict(flows);
	flow = calloc(1, sizeof(*flow));
	if (!flow || tw_hash_table__put(&flows->by_id, id, &value) < 0) {
		free(flow);
		return -ENOMEM;
	}
	flow->id = *id;
	*(struct tw_socket_flow **)value = flow;
	link_flow(flows, flow);
	*ret = flow;
	return 0;
}

int tw_socket_flows__get(struct tw_socket_flows *flows, const struct tw_socket_flow_id *id, struct tw_socket_flow **ret)
{
	struct tw_socket_flow *flow = tw_socket_flows__find(flows, id);

	if (!flow)
		return add_flow(flows, id, ret);
	unlink_flow(flows, flow);
	link_flow(flows, flow);
	*ret = flow;
	return 0;
}

static struct tw_socket_program *add_program(struct tw_socket_flows *flows, const struct program_key *key)
{
	struct tw_socket_program *program = calloc(1, sizeof(*program));
	void *value;

	if (!program || tw_hash_table__put(&flows->programs, key, &value) < 0) {
		free(program);
		return NULL;
	}
	*(struct tw_socket_program **)value = program;
	program->stream = key->stream;
	memcpy(program->comm, key->comm, sizeof(program->comm));
	return program;
}

struct tw_socket_figures *tw_socket_flows__program(struct tw_socket_flows *flows, uint64_t stream, const char *comm)
{
	struct program_key key = { .stream = stream };
	struct tw_socket_program **found, *program;

	memcpy(key.comm, comm, sizeof(key.comm));
	if (!key.comm[0])
		return NULL;
	found = (struct tw_socket_program **)tw_hash_table__find(&flows->programs, &key);
	if (found)
		return &(*found)->figures;
	if (flows->programs.n >= TW_SOCKET_PROGRAMS_MAX)
		return &flows->other_programs;
	program = add_program(flows, &key);
	return program ? &program->figures : NULL;
}

void tw_socket_flows__clear(struct tw_socket_flows *flows)
{
	for (uint32_t i = 0; i < flows->by_id.n; i++)
		tw_socket_figures__clear(&flow_at(flows, i)->figures);
	for (uint32_t i = 0; i < flows->programs.n; i++)
		tw_socket_figures__clear(&program_at(flows, i)->figures);
	tw_socket_figures__clear(&flows->others);
	tw_socket_figures__clear(&flows->other_programs);
}

uint64_t tw_socket_flows__forgotten(const struct tw_socket_flows *flows)
{
	uint64_t n = flows->forgotten;

	for (uint32_t i = 0; i < flows->by_id.n; i++)
		n += flow_at(flows, i)->out.forgotten + flow_at(flows, i)->in.forgotten;
	return n;
}

void tw_socket_flows__fini(struct tw_socket_flows *flows)
{
	for (uint32_t i = 0; i < flows->by_id.n; i++)
		free_flow(flow_at(flows, i));
	for (uint32_t i = 0; i < flows->programs.n; i++) {
		tw_socket_figures__clear(&program_at(flows, i)->figures);
		free(program_at(flows, i));
	}
	tw_hash_table__fini(&flows->by_id);
	tw_hash_table__fini(&flows->programs);
	tw_socket_figures__clear(&flows->others);
	tw_socket_figures__clear(&flows->other_programs);
}
