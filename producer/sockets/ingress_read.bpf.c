/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The step READ of received bytes. When a task reads, its steps WAKE and RUN are also reported. */
#include "producer/sockets/ingress_sampled.bpf.h"

#define MSG_PEEK     2
#define MSG_ERRQUEUE 0x2000

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct socket {
	struct sock *sk;
};

#pragma clang attribute pop

static __always_inline void read_task(struct reading *ret, uint32_t bytes)
{
	ret->cgroup = bpf_get_current_cgroup_id();
	ret->pid = (uint32_t)bpf_get_current_pid_tgid();
	ret->bytes = bytes;
	bpf_get_current_comm(ret->comm, sizeof(ret->comm));
}

static __always_inline void report_step(enum tw_sockts_ingress_type type, uint64_t time, const struct wake *wake,
					const struct tw_sockts_socket *flow, const struct reading *reading)
{
	struct tw_sockts_ingress_ts *event;

	if (!time || !wants(type, flow, 0, reading))
		return;
	event = reserve(type, TW_SOCKTS_HOOK_TRACEPOINT, flow);
	if (!event)
		return;
	set_key(event, wake->key, wake->bytes);
	set_reading(event, reading);
	event->software = time;
	sockets__submit(event);
}

/* Makes the events of the wake-up after which a task reads. Only now is it known that the task was woken to read. */
static __always_inline void report_wake(const struct tw_sockts_socket *flow, const struct reading *reading)
{
	const struct wake *found = settings.has_wakes ? bpf_map_lookup_elem(&in_wakes, &reading->pid) : NULL;
	struct wake wake;

	if (!found || found->cookie != flow->cookie)
		return;
	wake = *found;
	bpf_map_delete_elem(&in_wakes, &reading->pid);
	report_step(TW_SOCKTS_INGRESS_WAKE, wake.wake, &wake, flow, reading);
	report_step(TW_SOCKTS_INGRESS_RUN, wake.run, &wake, flow, reading);
}

/* Updates what is known of holes when the bytes before @end are read. Return: whether they waited for an earlier segment */
static __always_inline bool leave_hole(struct receiver *receiver, uint32_t end)
{
	if (receiver->hole_from == receiver->hole_until || (int32_t)(end - receiver->hole_from) <= 0)
		return false;
	if ((int32_t)(end - receiver->hole_until) >= 0)
		receiver->hole_from = receiver->hole_until;
	return true;
}

/* Whether the bytes of TCP that are read have events */
static __always_inline bool chooses_read(struct sock *sk, uint32_t from, uint32_t end)
{
	struct sampled *sampled;

	if (!settings.has_samples)
		return true;
	sampled = bpf_sk_storage_get(&in_sampled, sk, NULL, 0);
	return sampled && has_chosen(sampled, from, end, true);
}

/* The kernel has copied bytes to the task, which holds the lock of the socket. After MSG_PEEK, they are still in the queue. */
SEC("tp_btf/tcp_rcv_space_adjust")
int BPF_PROG(ingress_tcp_read, struct sock *sk)
{
	struct receiver *receiver = bpf_sk_storage_get(&in_receivers, sk, NULL, 0);
	const struct tcp_sock___receiver *tcp = receiver ? (void *)bpf_skc_to_tcp_sock(sk) : NULL;
	struct tw_sockts_socket flow = { 0 };
	struct tw_sockts_ingress_ts *event;
	struct reading reading = { 0 };
	uint32_t end, bytes;
	bool hole;

	if (!tcp || !receiver->has_read)
		return 0;
	end = tcp->copied_seq;
	if ((int32_t)(end - receiver->read) <= 0)
		return 0;
	bytes = end - receiver->read;
	receiver->read = end;
	hole = leave_hole(receiver, end);
	if (!chooses_read(sk, end - bytes, end) || sockets__is_own())
		return 0;
	read_task(&reading, bytes);
	sockets__set_identity(&flow, sk, bpf_get_socket_cookie(sk), PROTOCOL_TCP);
	report_wake(&flow, &reading);
	if (!wants(TW_SOCKTS_INGRESS_READ, &flow, 0, &reading))
		return 0;
	event = reserve(TW_SOCKTS_INGRESS_READ, TW_SOCKTS_HOOK_TRACEPOINT, &flow);
	if (!event)
		return 0;
	set_key(event, end - 1, reading.bytes);
	set_reading(event, &reading);
	event->hole = hole;
	sockets__submit(event);
	return 0;
}

static __always_inline bool is_empty(struct sock *sk)
{
	struct sock___queues *queues = (void *)sk;
	struct udp_sock *udp = (void *)sk;

	return !BPF_CORE_READ(udp, reader_queue.qlen) && !BPF_CORE_READ(queues, sk_receive_queue.qlen);
}

/* The kernel has copied a message to the task. @ret: its length or -errno. Messages of the error queue are no datagrams. */
static __always_inline int read_message(struct sock *sk, int ret, int flags, enum tw_sockts_hook hook)
{
	struct position position = { 0 };
	struct queued queued = { 0 };
	struct receiver *receiver;
	struct queued *found;
	uint32_t until;

	if (ret < 0 || (flags & (MSG_PEEK | MSG_ERRQUEUE)) || !is_internet(sk) || sk->sk_protocol != PROTOCOL_UDP)
		return 0;
	receiver = bpf_sk_storage_get(&in_receivers, sk, NULL, 0);
	if (!receiver)
		return 0;
	position.cookie = bpf_get_socket_cookie(sk);
	position.number = __sync_fetch_and_add(&receiver->read, 1);
	read_task(&queued.reading, (uint32_t)ret);
	queued.reading.time = sockets__now();
	until = *(volatile uint32_t *)&receiver->queued;
	queued.read_by = hook;
	if (!bpf_map_update_elem(&in_queue, &position, &queued, BPF_NOEXIST))
		found = NULL; /* It was read before it was reported that it entered the queue. */
	else
		found = bpf_map_lookup_elem(&in_queue, &position);
	if (found) {
		queued.bytes = found->bytes;
		bpf_map_delete_elem(&in_queue, &position);
		if (sockets__samples_number(queued.bytes.key, 1) && !sockets__is_own()) {
			report_wake(&queued.bytes.flow, &queued.reading);
			report_datagram_read(&queued.bytes, &queued.reading, hook);
		}
	}
	/* Datagrams that the kernel removed from the queue because of an error will not be read. */
	if ((int32_t)(until - receiver->read) > 0 && is_empty(sk))
		receiver->read = until;
	return 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(ingress_udp_read, struct sock *sk, int ret, int flags)
{
	return read_message(sk, ret, flags, TW_SOCKTS_HOOK_TRACEPOINT);
}

/* Before Linux 6.3. The kernel calls the tracepoint just after one of these functions. */
SEC("fexit/inet_recvmsg")
int BPF_PROG(ingress_udp_read_before, struct socket *of, void *message, size_t size, int flags, int ret)
{
	return read_message(of->sk, ret, flags, TW_SOCKTS_HOOK_FUNCTION);
}

SEC("fexit/inet6_recvmsg")
int BPF_PROG(ingress_udp_read_before_v6, struct socket *of, void *message, size_t size, int flags, int ret)
{
	return read_message(of->sk, ret, flags, TW_SOCKTS_HOOK_FUNCTION);
}
