/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The step SOCKET of received bytes: they enter the queue of a socket. */
#include "producer/sockets/ingress_sampled.bpf.h"

#define STATE_TIME_WAIT  6
#define STATE_CLOSE_WAIT 8
#define STATE_LAST_ACK   9
#define STATE_LISTEN     10
#define STATE_CLOSING    11
#define BATCH_MAX        8 /* datagrams that may enter the queue of a socket together */

/* Notes that the readers of a socket are about to be woken. */
static __always_inline void expect_wake(struct doing *doing, uint64_t cookie, uint32_t key, uint32_t bytes)
{
	if (!settings.has_wakes)
		return;
	doing->ready_cookie = cookie;
	doing->ready_time = sockets__now();
	doing->ready_task = bpf_get_current_task();
	doing->ready_key = key;
	doing->ready_bytes = bytes;
}

/* A wake-up that follows is not for bytes of a wanted socket. */
static __always_inline void expect_no_wake(void)
{
	struct doing *doing = settings.has_wakes ? this_cpu() : NULL;

	if (doing)
		doing->ready_cookie = 0;
}

/* The sequence number after the last byte that a socket has received in order. The FIN of the other side has a number of its own. */
static __always_inline uint32_t received_until(struct sock *sk, const struct tcp_sock___receiver *tcp)
{
	const uint8_t state = sk->__sk_common.skc_state;

	return tcp->rcv_nxt - (state == STATE_CLOSE_WAIT || state == STATE_LAST_ACK || state == STATE_CLOSING ||
			       state == STATE_TIME_WAIT);
}

/* What is known of a socket of TCP that has received bytes. Return: NULL if it had bytes before the run began */
static __always_inline struct receiver *find_receiver(struct sock *sk, const struct tcp_sock___receiver *tcp,
						      uint32_t end)
{
	struct receiver *known = bpf_sk_storage_get(&in_receivers, sk, NULL, 0);
	struct receiver receiver = { 0 };

	if (known)
		return known;
	receiver.queued = tcp->copied_seq;
	if (tcp->bytes_received != end - receiver.queued)
		return NULL;
	/* These bytes came with the handshake, and nothing has been read. */
	return bpf_sk_storage_get(&in_receivers, sk, &receiver, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* Updates what is known of the holes in front of the bytes before @end, which enter the queue. Return: whether they waited for others */
static __always_inline bool pass_hole(struct receiver *receiver, const struct tcp_sock___receiver *tcp, uint32_t end)
{
	const uint32_t out_of_order = tcp->rcv_ooopack;
	const bool has_waited = receiver->is_waiting || out_of_order != receiver->out_of_order;

	receiver->out_of_order = out_of_order;
	receiver->is_waiting = tcp->out_of_order_queue.rb_node;
	if (!has_waited)
		return false;
	if (receiver->hole_from == receiver->hole_until)
		receiver->hole_from = receiver->queued;
	receiver->hole_until = end;
	return true;
}

/* Whether a connected socket of TCP can have events that are wanted */
static __always_inline bool wants_socket(struct sock *sk)
{
	const bool compares_cookie = SOCKETS_COMPARES(&settings.conditions[TW_SOCKTS_ingress_ts].socket, cookie);

	return sockets__wants_socket(TW_SOCKTS_ingress_ts, sk, compares_cookie ? bpf_get_socket_cookie(sk) : 0,
				     PROTOCOL_TCP);
}

/* Whether the bytes of TCP that enter the queue have events. A segment that arrived before its socket existed is noted only now. */
static __always_inline bool chooses_queued(struct sock *sk, uint32_t from, uint32_t end)
{
	const bool is_last_chosen = sockets__samples_key(end - 1);
	struct sampled *sampled;

	if (!settings.has_samples)
		return true;
	sampled = bpf_sk_storage_get(&in_sampled, sk, NULL, is_last_chosen ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (!sampled)
		return false;
	if (has_chosen(sampled, from, end, false))
		return true;
	if (is_last_chosen)
		note_chosen(sampled, end - 1);
	return is_last_chosen;
}

/* Bytes of TCP enter the queue of a socket, which is locked. */
static __always_inline void queue_tcp(struct sock *sk, struct doing *doing, enum tw_sockts_hook hook)
{
	const struct tcp_sock___receiver *tcp = (void *)bpf_skc_to_tcp_sock(sk);
	const struct sock___queues *queues = (void *)sk;
	struct tw_sockts_ingress_ts *event;
	struct tw_sockts_socket flow = { 0 };
	struct receiver *receiver;
	uint32_t end, bytes;
	uint64_t cookie;
	bool hole;

	if (!tcp)
		return;
	end = received_until(sk, tcp);
	receiver = find_receiver(sk, tcp, end);
	if (!receiver)
		return;
	if (!receiver->has_read) {
		receiver->read = tcp->copied_seq;
		receiver->has_read = true;
	}
	bytes = end - receiver->queued;
	if ((int32_t)bytes <= 0)
		return;
	hole = pass_hole(receiver, tcp, end);
	receiver->queued = end;
	if (!chooses_queued(sk, end - bytes, end))
		return;
	cookie = bpf_get_socket_cookie(sk);
	expect_wake(doing, cookie, end - 1, bytes);
	sockets__set_identity(&flow, sk, cookie, PROTOCOL_TCP);
	if (!wants(TW_SOCKTS_INGRESS_SOCKET, &flow, 0, NULL))
		return;
	event = reserve(TW_SOCKTS_INGRESS_SOCKET, hook, &flow);
	if (!event)
		return;
	set_key(event, end - 1, bytes);
	event->hole = hole;
	/* While a program holds the lock, segments go to the backlog. The program processes them before it releases the lock. */
	event->backlog = queues->sk_lock.owned != 0;
	event->ksoftirqd = is_ksoftirqd();
	sockets__submit(event);
}

/*
 * Finds the first datagram in the queue of a socket that was not reported. If several CPUs have datagrams for a socket, one of them puts
 * all of these into the queue, and reports the socket as readable for each of them.
 */
static __always_inline bool find_entered(struct sock *sk, uint64_t cookie, struct bytes *ret)
{
	struct sock___queues *queues = (void *)sk;
	struct sk_buff *skb = last_queued(sk), *found = NULL;
	struct datagram *datagram = NULL;

	for (int i = 0; i < BATCH_MAX && skb && (void *)skb != (void *)&queues->sk_receive_queue; i++) {
		const uint64_t data = (uint64_t)skb->head;
		struct datagram *earlier = bpf_map_lookup_elem(&in_datagrams, &data);

		if (!earlier || earlier->is_queued)
			break;
		datagram = earlier;
		found = skb;
		skb = ((struct sk_buff___data *)skb)->prev;
	}
	if (!found || !datagram || !read_bytes(found, found->head + found->network_header, SOCKETS_BY_HELPER, ret))
		return false;
	datagram->is_queued = true;
	ret->key = datagram->number;
	ret->ifindex = (uint32_t)found->skb_iif;
	ret->flow.skaddr = (uint64_t)sk;
	ret->flow.cookie = cookie;
	ret->flow.netns_cookie = sk->__sk_common.skc_net.net->net_cookie;
	return true;
}

/* The datagram that has entered the queue of a socket. Return: false if it is unknown, because it was read already */
static __always_inline bool take_entered(struct sock *sk, uint64_t cookie, struct doing *doing, struct bytes *ret)
{
	struct datagram *datagram;

	if (doing->enters_cookie != cookie)
		return find_entered(sk, cookie, ret);
	doing->enters_cookie = 0;
	*ret = doing->enters;
	datagram = bpf_map_lookup_elem(&in_datagrams, &doing->enters_data);
	if (datagram)
		datagram->is_queued = true;
	return true;
}

/* A datagram has entered the queue of a socket. */
static __always_inline void queue_udp(struct sock *sk, struct doing *doing, enum tw_sockts_hook hook)
{
	struct receiver *receiver = bpf_sk_storage_get(&in_receivers, sk, NULL, 0);
	struct position position = { 0 };
	struct tw_sockts_ingress_ts *event;
	struct queued queued = { 0 };
	const struct queued *early;

	if (!receiver)
		return;
	position.cookie = bpf_get_socket_cookie(sk);
	position.number = __sync_fetch_and_add(&receiver->queued, 1);
	if (!take_entered(sk, position.cookie, doing, &queued.bytes))
		return;
	/* The program below may run on another CPU. The one that comes second finds what the other has added. */
	if (bpf_map_update_elem(&in_queue, &position, &queued, BPF_NOEXIST)) {
		early = bpf_map_lookup_elem(&in_queue, &position);
		if (early) {
			queued.reading = early->reading;
			queued.read_by = early->read_by;
			bpf_map_delete_elem(&in_queue, &position);
		}
	}
	if (!sockets__samples_number(queued.bytes.key, 1))
		return;
	expect_wake(doing, position.cookie, queued.bytes.key, queued.bytes.bytes);
	event = wants(TW_SOCKTS_INGRESS_SOCKET, &queued.bytes.flow, queued.bytes.ifindex, NULL)
			? reserve_for_bytes(TW_SOCKTS_INGRESS_SOCKET, hook, &queued.bytes)
			: NULL;
	if (event) {
		event->ksoftirqd = is_ksoftirqd();
		sockets__submit(event);
	}
	if (queued.read_by)
		report_datagram_read(&queued.bytes, &queued.reading, (enum tw_sockts_hook)queued.read_by);
}

/* The readers of a socket are told that there is something in its queue. */
static __always_inline int become_ready(struct sock *sk, enum tw_sockts_hook hook)
{
	const uint8_t state = sk->__sk_common.skc_state;
	const uint16_t protocol = sk->sk_protocol;
	struct doing *doing;

	if (!is_internet(sk) || (protocol != PROTOCOL_TCP && protocol != PROTOCOL_UDP))
		return 0;
	if (protocol == PROTOCOL_TCP && (state == STATE_LISTEN || !wants_socket(sk))) {
		expect_no_wake();
		return 0;
	}
	doing = this_cpu();
	if (!doing)
		return 0;
	doing->ready_cookie = 0;
	if (protocol == PROTOCOL_TCP)
		queue_tcp(sk, doing, hook);
	else
		queue_udp(sk, doing, hook);
	return 0;
}

SEC("tp_btf/sk_data_ready")
int BPF_PROG(ingress_socket, struct sock *sk)
{
	return become_ready(sk, TW_SOCKTS_HOOK_TRACEPOINT);
}

/* Before Linux 6.3. The tracepoint is at the beginning of this function. */
SEC("fentry/sock_def_readable")
int BPF_PROG(ingress_socket_before, struct sock *sk)
{
	return become_ready(sk, TW_SOCKTS_HOOK_FUNCTION);
}
