/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets; included by sockets.bpf.h. The conditions under which programs make events, which come from the filter of the run. A
 * program evaluates the condition of an event before it reserves the record. It follows a socket only if the socket can have such events.
 *
 * The verifier knows the values of the settings, so it removes the code for tests and facts that a run does not have. Facts that no test
 * compares may be undefined.
 */
#ifndef TW_SOCKETS_CONDITIONS_BPF_H
#define TW_SOCKETS_CONDITIONS_BPF_H

#define SOCKETS_COMPARES(condition, name) ((condition)->facts & 1u << TW_SOCKTS_FACT_##name)

static __always_inline const volatile struct tw_sockts_condition *sockets__condition(enum tw_sockts_event event)
{
	return &settings.conditions[event].event;
}

static __always_inline void sockets__know_current(const volatile struct tw_sockts_condition *condition,
						  struct tw_sockts_facts *facts)
{
	if (SOCKETS_COMPARES(condition, common_pid))
		facts->common_pid = (int32_t)bpf_get_current_pid_tgid();
}

static __always_inline void sockets__know_task(struct tw_sockts_facts *facts, int32_t pid, uint64_t cgroup,
					       const void *comm)
{
	facts->pid = pid;
	facts->cgroup = cgroup;
	__builtin_memcpy(facts->comm, comm, sizeof(facts->comm));
}

/* Sets those fields of a socket that a condition compares. The parameters are those of sockets__set_identity(). */
static __always_inline void sockets__know_socket(const volatile struct tw_sockts_condition *condition,
						 struct tw_sockts_socket *ret, struct sock *sk, uint64_t cookie,
						 uint16_t protocol)
{
	const struct sock_common *of = &sk->__sk_common;

	if (SOCKETS_COMPARES(condition, saddr) || SOCKETS_COMPARES(condition, daddr) ||
	    SOCKETS_COMPARES(condition, saddrv6) || SOCKETS_COMPARES(condition, daddrv6)) {
		__builtin_memset(ret, 0, sizeof(*ret));
		sockets__set_identity(ret, sk, cookie, protocol);
		return;
	}
	ret->cookie = cookie;
	ret->protocol = protocol;
	if (SOCKETS_COMPARES(condition, netns_cookie))
		ret->netns_cookie = of->skc_net.net->net_cookie;
	if (SOCKETS_COMPARES(condition, family))
		ret->family = of->skc_family;
	if (SOCKETS_COMPARES(condition, sport))
		ret->sport = sockets__local_port(sk);
	if (SOCKETS_COMPARES(condition, dport))
		ret->dport = bpf_ntohs(of->skc_dport);
}

/* Sets what is known of an event of a TCP socket whose cookie exists. The caller knows the other facts. */
static __always_inline void sockets__know_tcp(const volatile struct tw_sockts_condition *condition,
					      struct tw_sockts_socket *ret, struct tw_sockts_facts *ret_facts,
					      struct sock *sk)
{
	sockets__know_socket(condition, ret, sk, (uint64_t)sk->__sk_common.skc_cookie.counter, PROTOCOL_TCP);
	sockets__know_current(condition, ret_facts);
}

/* An IPv6 socket whose peer has an IPv4 address. The program may make it an IPv4 socket (IPV6_ADDRFORM), which changes its fields. */
static __always_inline bool sockets__is_mapped(const struct sock *sk)
{
	struct in6_addr remote;
	uint32_t words[4];

	if (sk->__sk_common.skc_family != FAMILY_INET6)
		return false;
	remote = sk->__sk_common.skc_v6_daddr;
	__builtin_memcpy(words, &remote, sizeof(words));
	return !words[0] && !words[1] && words[2] == bpf_htonl(0xffff);
}

/* Whether a connected socket can have wanted events of this kind. The parameters are those of sockets__set_identity(). */
static __always_inline bool sockets__wants_socket(enum tw_sockts_event event, struct sock *sk, uint64_t cookie,
						  uint16_t protocol)
{
	const volatile struct tw_sockts_condition *condition = &settings.conditions[event].socket;
	struct tw_sockts_socket socket;

	if (!sockets__selects_cgroup(sk))
		return false;
	if (!condition->n || sockets__is_mapped(sk))
		return true;
	sockets__know_socket(condition, &socket, sk, cookie, protocol);
	return tw_sockts_condition__passes(condition, &socket, NULL);
}

#endif
