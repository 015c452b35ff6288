/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A veth pair is created, found, listed and removed. Other interfaces are not touched. */
#include <errno.h>
#include <net/if.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "netns.h"
#include "path.h"
#include "vnet/veth.h"

#define QUIET_SECONDS 2

struct list {
	unsigned int n;
	struct tw_veth last;
};

static void count(const struct tw_veth *wire, void *ctx)
{
	struct list *list = ctx;

	list->n++;
	list->last = *wire;
}

static struct list list_wires(void)
{
	struct list list = { 0 };

	assert_int_equal(tw_veth__list(count, &list, NULL), 0);
	return list;
}

static void create_foreign(const char *name, const char *peer)
{
	struct nl_sock *sk = nl_socket_alloc();

	assert_non_null(sk);
	assert_int_equal(nl_connect(sk, NETLINK_ROUTE), 0);
	assert_int_equal(rtnl_link_veth_add(sk, name, peer, getpid()), 0);
	nl_socket_free(sk);
}

static void assert_refused(const struct tw_veth_options *o, int err, const char *word)
{
	struct tw_error error = { "" };

	assert_int_equal(tw_veth__create(o, &error), err);
	if (!strstr(error.text, word))
		fail_msg("\"%s\" is not in \"%s\"", word, error.text);
}

static void test_create_list_remove(void **state)
{
	const struct tw_veth_options o = {
		.name = "twelve-chars", .owner = "tracewire run r-1", .mtu = 9000, .queues = 3
	};
	struct tw_error error = { "" };
	struct list list;

	(void)state;
	assert_int_equal(list_wires().n, 0);
	assert_int_equal(tw_veth__create(&o, &error), 0);
	list = list_wires();
	assert_int_equal(list.n, 1);
	assert_string_equal(list.last.name, "twelve-chars");
	assert_string_equal(list.last.tx_name, "twelve-chars-tx");
	assert_int_equal(list.last.ifindex, if_nametoindex("twelve-chars"));
	assert_int_equal(list.last.tx_ifindex, if_nametoindex("twelve-chars-tx"));
	assert_string_equal(list.last.owner, "tracewire run r-1");
	assert_int_equal(list.last.mtu, 9000);
	assert_int_equal(list.last.queues, 3);
	assert_true(list.last.up);
	link__set_up("twelve-chars-tx", false);
	assert_false(list_wires().last.up);
	assert_int_equal(tw_veth__remove("twelve-chars", &error), 0);
	assert_int_equal(list_wires().n, 0);
	assert_false(link__exists("twelve-chars"));
	assert_false(link__exists("twelve-chars-tx"));
	assert_int_equal(tw_veth__remove("twelve-chars", &error), -ENODEV);
}

/* After a pair was listed, it may be removed, and a new pair may get its name. Removing the listed pair does not remove the new one. */
static void test_remove_listed(void **state)
{
	const struct tw_veth_options dead = { .name = "tw0", .owner = "tracewire run r-1" };
	const struct tw_veth_options living = { .name = "tw0", .owner = "tracewire run r-2" };
	struct tw_error error = { "" };
	struct tw_veth listed;

	(void)state;
	assert_int_equal(tw_veth__create(&dead, &error), 0);
	listed = list_wires().last;
	assert_int_equal(tw_veth__remove_listed(&listed, &error), 0);
	assert_int_equal(tw_veth__remove_listed(&listed, &error), -ENODEV);
	assert_int_equal(tw_veth__create(&living, &error), 0);
	assert_int_equal(tw_veth__remove_listed(&listed, &error), -ENODEV);
	assert_string_equal(error.text, "the veth pair tw0 has another owner now");
	assert_true(link__exists("tw0"));
	listed = list_wires().last;
	assert_int_equal(tw_veth__remove_listed(&listed, &error), 0);
	assert_false(link__exists("tw0-tx"));
}

static void test_find(void **state)
{
	struct tw_iface iface;
	struct tw_error error = { "" };

	(void)state;
	netns__veth(0, 2);
	assert_int_equal(tw_iface__find("tw0", &iface, &error), 0);
	assert_int_equal(iface.reach, TW_REACH_VETH);
	assert_true(iface.up);
	assert_string_equal(iface.tx_name, "tw0-tx");
	assert_int_equal(iface.ifindex, if_nametoindex("tw0"));
	assert_int_equal(iface.mtu, TW_VETH_MTU);
	assert_int_equal(iface.queues, 2);
	link__set_up("tw0", false);
	assert_int_equal(tw_iface__find("tw0", &iface, &error), 0);
	assert_false(iface.up);
	assert_int_equal(tw_iface__find("tw0-tx", &iface, &error), 0);
	assert_true(iface.up);
	assert_int_equal(iface.reach, TW_REACH_HOST);
	assert_string_equal(iface.tx_name, "tw0-tx");
	assert_int_equal(tw_iface__find("lo", &iface, &error), 0);
	assert_int_equal(iface.reach, TW_REACH_HOST);
	assert_string_equal(iface.tx_name, "lo");
	command__run("ip link add br0 type bridge");
	assert_int_equal(tw_iface__find("br0", &iface, &error), 0);
	assert_int_equal(iface.reach, TW_REACH_NETWORK);
	assert_int_equal(tw_iface__find("none", &iface, &error), -ENODEV);
	assert_string_equal(error.text, "there is no interface none");
	assert_int_equal(tw_iface__find("longer-than-an-interface-name", &iface, &error), -ENODEV);
}

static void test_existing(void **state)
{
	const struct tw_veth_options o = { .name = "tw0", .owner = "tracewire vnet" };

	(void)state;
	netns__veth(0, 0);
	assert_refused(&o, -EEXIST, "belongs to \"tracewire test\"");
	assert_int_equal(list_wires().n, 1);
}

/* No interface has the name of the receiving end any more: the error names the end that can be used. */
static void test_one_end(void **state)
{
	const struct tw_veth_options o = { .name = "tw0", .owner = "tracewire vnet" };
	struct tw_iface iface;
	struct tw_error error = { "" };

	(void)state;
	netns__veth(0, 0);
	link__set_up("tw0", false);
	command__run("ip link set tw0 name elsewhere");
	assert_refused(&o, -EEXIST, "send to it with -i tw0-tx, remove it with `tracewire vnet down tw0`,");
	assert_int_equal(tw_iface__find("tw0-tx", &iface, &error), 0);
	assert_string_equal(iface.tx_name, "tw0-tx");
}

static void test_foreign_untouched(void **state)
{
	const struct tw_veth_options o = { .name = "tw0", .owner = "tracewire vnet" };
	const struct tw_veth_options other_end = { .name = "tw1", .owner = "tracewire vnet" };
	struct tw_error error = { "" };

	(void)state;
	create_foreign("tw0", "tw1-tx");
	assert_refused(&o, -EEXIST, "not Tracewire's");
	assert_refused(&other_end, -EEXIST, "tw1-tx exists already");
	assert_false(link__exists("tw1"));
	assert_int_equal(tw_veth__remove("tw0", &error), -EPERM);
	assert_int_equal(tw_veth__remove("tw1", &error), -EPERM);
	assert_int_equal(tw_veth__remove("tw1-tx", &error), -EINVAL);
	assert_int_equal(tw_veth__remove("lo", &error), -EPERM);
	assert_true(link__exists("tw0"));
	assert_true(link__exists("tw1-tx"));
	assert_int_equal(list_wires().n, 0);
}

static void test_impossible(void **state)
{
	const char *const names[] = { "thirteen-char", "", ".", "a b", "a/b", "tw%d", "tw-tx" };
	struct tw_veth_options o = { .owner = "tracewire vnet" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		o.name = names[i];
		assert_refused(&o, -EINVAL, "cannot be named");
	}
	o = (struct tw_veth_options){ .name = "tw0", .owner = "somebody" };
	assert_refused(&o, -EINVAL, "owner");
	o = (struct tw_veth_options){ .name = "tw0", .owner = "tracewire vnet", .mtu = 65536 };
	assert_refused(&o, -EINVAL, "MTU");
	o = (struct tw_veth_options){ .name = "tw0", .owner = "tracewire vnet", .queues = TW_VETH_QUEUES + 1 };
	assert_refused(&o, -EINVAL, "queues");
	assert_false(link__exists("tw0"));
}

/* Without CAP_NET_ADMIN, there is one error, and nothing is created. */
static void test_not_permitted(void **state)
{
	const struct tw_veth_options o = { .name = "tw0", .owner = "tracewire vnet" };

	(void)state;
	assert_return_code(seteuid(65534), errno);
	assert_refused(&o, -EPERM, "CAP_NET_ADMIN");
	assert_return_code(seteuid(0), errno);
	assert_false(link__exists("tw0"));
}

static int delete_code;

/* The linker's --wrap option makes the library call __wrap_rtnl_link_delete() instead of libnl's function. */
int __real_rtnl_link_delete(struct nl_sock *sk, const struct rtnl_link *end);
int __wrap_rtnl_link_delete(struct nl_sock *sk, const struct rtnl_link *end);

int __wrap_rtnl_link_delete(struct nl_sock *sk, const struct rtnl_link *end)
{
	return delete_code ? delete_code : __real_rtnl_link_delete(sk, end);
}

static void test_not_removed(void **state)
{
	struct tw_error error = { "" };

	(void)state;
	netns__veth(0, 0);
	delete_code = -NLE_BUSY;
	assert_int_equal(tw_veth__remove("tw0", &error), -EBUSY);
	assert_non_null(strstr(error.text, "cannot remove the veth pair tw0: "));
	delete_code = 0;
	assert_int_equal(tw_veth__remove("tw0", &error), 0);
}

/* If no socket can be opened, every call returns an error. */
static void test_no_descriptors(void **state)
{
	const struct tw_veth_options o = { .name = "tw0", .owner = TW_VETH_OWNER "vnet" };
	const struct tw_veth listed = { .name = "tw0" };
	struct rlimit limit;
	struct list list = { 0 };
	rlim_t before;

	int err[4];

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	before = limit.rlim_cur;
	limit.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	err[0] = tw_veth__create(&o, NULL);
	err[1] = tw_veth__list(count, &list, NULL);
	err[2] = tw_veth__remove("tw0", NULL);
	err[3] = tw_veth__remove_listed(&listed, NULL);
	limit.rlim_cur = before;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (size_t i = 0; i < sizeof(err) / sizeof(err[0]); i++)
		assert_int_equal(err[i], -EMFILE);
}

static void test_quiet(void **state)
{
	const int fd = raw__open(NULL); /* before there is a veth pair, so that it sees every frame */
	char frame[256];

	(void)state;
	netns__veth(0, 0);
	sleep(QUIET_SECONDS);
	assert_int_equal(recv(fd, frame, sizeof(frame), 0), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(link__counters("tw0").rx_packets, 0);
	assert_int_equal(link__counters("tw0-tx").rx_packets, 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_create_list_remove, netns__setup),
		cmocka_unit_test_setup(test_remove_listed, netns__setup),
		cmocka_unit_test_setup(test_find, netns__setup),
		cmocka_unit_test_setup(test_existing, netns__setup),
		cmocka_unit_test_setup(test_one_end, netns__setup),
		cmocka_unit_test_setup(test_foreign_untouched, netns__setup),
		cmocka_unit_test_setup(test_impossible, netns__setup),
		cmocka_unit_test_setup(test_not_permitted, netns__setup),
		cmocka_unit_test_setup(test_not_removed, netns__setup),
		cmocka_unit_test_setup(test_no_descriptors, netns__setup),
		cmocka_unit_test_setup(test_quiet, netns__setup),
	};
	const int skip = netns__main_guard();

	return skip ? skip : cmocka_run_group_tests(tests, NULL, NULL);
}
