/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel runs generated classifiers on packets of every kind. Verdict, bytes and counters are as filter/rules.h defines them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include <bpf/bpf.h>

#include "tests/filter/bpf_check.h"
#include "tests/filter/formats.h"

#define SKIPPED    77
#define DAMAGED    2000 /* packets for each classifier */
#define TC_LONGEST 3500 /* size limit of a test run in tc */

static const struct classifier classifiers[] = {
	{ .rules = { { "prev_pid == 1001", TW_ACTION_DROP, 0 } } },
	{ .rules = { { "prev_pid == 1001", TW_ACTION_PASS, 0 } }, .default_action = TW_ACTION_DROP, 0 },
	{ .rules = { { "pid >= -1", TW_ACTION_DROP, 0 } } },
	{ .rules = { { "prev_comm == bash", TW_ACTION_DROP, 0 }, { "vec in {3, 7..9}", TW_ACTION_REDIRECT, 4242 } } },
	{ .rules = { { "vec > 5", TW_ACTION_REDIRECT, 4243 }, { "next_comm ~ \"kworker/*\"", TW_ACTION_DROP, 0 },
		     { "time >= 12.000000005", TW_ACTION_PASS, 0 } },
	  .default_action = TW_ACTION_REDIRECT, .default_arg = 4242 },
	{ .rules = { { "!(prev_pid > 5) && (prev_prio & 1 || next_comm != swapper)", TW_ACTION_DROP, 0 },
		     { "cpu == 1 and flags & hardirq", TW_ACTION_PASS, 0 }, { "prev_state == 2", TW_ACTION_DROP, 0 } } },
	{ .rules = { { "event == sched_switch", TW_ACTION_DROP, 0 } } },
	{ .rules = { { "irq_handler_entry.name == eth0", TW_ACTION_DROP, 0 },
		     { "irq_handler_entry.name ~ \"xe*\"", TW_ACTION_REDIRECT, 4242 },
		     { "irq_handler_entry.name == \"\"", TW_ACTION_REDIRECT, 4243 },
		     { "irq_handler_entry.name != eth1 && irq == 17", TW_ACTION_DROP, 0 } } },
	{ .rules = { { "label == eth0", TW_ACTION_DROP, 0 }, { "label ~ \"xe*\"", TW_ACTION_REDIRECT, 4242 } } },
	{ .rules = { { "event == sched_switch", TW_ACTION_DROP, 0 } }, .any_schema = true },
	{ .default_action = TW_ACTION_DROP, 0 },
	{ .default_action = TW_ACTION_PASS, 0 },
}, classifiers_with_mark[] = {
	{ .rules = { { "prev_pid in {0..9}", TW_ACTION_MARK, 7 }, { "vec == 2 or vec == 5", TW_ACTION_DROP, 0 },
		     { "prev_pid < 15", TW_ACTION_REDIRECT, 4242 } }, .default_action = TW_ACTION_MARK, .default_arg = 0x80000001 },
};

static const char *describe(const struct under_test *t, const struct packet *p, const struct bpf_frame_part *content,
			    const struct bpf_frame_part *twist)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s, rule %s: %s behind %s, %s", t->options.hook == TW_HOOK_XDP ? "XDP" : "tc",
		 t->classifier->rules[0].text ? t->classifier->rules[0].text : "none", content->name,
		 packet_links[p->link], twist->name);
	return text;
}

static void set_up(struct under_test *t, const struct classifier *classifier, uint8_t hook)
{
	bpf_check__set_up(t, formats, classifier, &(struct tw_bpf_options){ .hook = hook, .udp_port = TW_UDP_PORT });
}

/* If SHARE is set in the environment, only one of SHARE packets is run, because emulated machines are slow. */
static bool is_left_out(void)
{
	static unsigned long share, n;

	if (!share)
		share = getenv("SHARE") ? strtoul(getenv("SHARE"), NULL, 10) : 1;
	return share > 1 && n++ % share;
}

static bool can_run(const struct under_test *t, const struct packet *p)
{
	return !is_left_out() && p->len >= 14 && (t->options.hook == TW_HOOK_XDP || p->len <= TC_LONGEST);
}

static void run_all(const struct classifier *classifier, uint8_t hook)
{
	static struct packet packet;
	struct under_test t;
	unsigned int runs = 0;

	set_up(&t, classifier, hook);
	for (size_t c = 0; c < bpf_n_contents; c++)
		for (unsigned int link = 0; link < LINKS; link++)
			for (size_t w = 0; w < bpf_n_twists; w++) {
				packet__begin(&packet, link, &bpf_frames_info);
				bpf_contents[c].apply(&packet);
				packet__end(&packet);
				bpf_twists[w].apply(&packet);
				if (!can_run(&t, &packet))
					continue;
				bpf_check__packet(&t, &packet, describe(&t, &packet, &bpf_contents[c], &bpf_twists[w]));
				runs++;
			}
	bpf_check__tear_down(&t);
	assert_true(runs > 100);
}

static void xdp_does_what_the_rules_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(classifiers) / sizeof(classifiers[0]); i++)
		run_all(&classifiers[i], TW_HOOK_XDP);
}

static void tc_does_what_the_rules_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(classifiers) / sizeof(classifiers[0]); i++)
		run_all(&classifiers[i], TW_HOOK_TC);
	for (size_t i = 0; i < sizeof(classifiers_with_mark) / sizeof(classifiers_with_mark[0]); i++)
		run_all(&classifiers_with_mark[i], TW_HOOK_TC);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	return *seed ^= *seed << 17;
}

/* Changes some bytes of the frame's headers, TLVs or the bytes before them, or truncates the packet. */
static void damage(struct packet *p, uint64_t *seed)
{
	const size_t near = p->len < 200 ? p->len : 200;

	for (uint64_t n = next_random(seed) % 3 + 1; n; n--) {
		uint8_t *byte = &p->bytes[next_random(seed) % (next_random(seed) % 2 ? p->len : near)];

		if (next_random(seed) % 2)
			*byte = (uint8_t)next_random(seed);
		else
			*byte = (uint8_t)(*byte ^ (1u << next_random(seed) % 8));
	}
	if (next_random(seed) % 8 == 0)
		p->len = 14 + next_random(seed) % (p->len - 13);
}

static void run_damaged(const struct classifier *classifier, uint8_t hook)
{
	static const struct bpf_frame_part damaged = { "damaged", NULL };
	uint64_t seed = UINT64_C(88172645463325252) + hook;
	static struct packet packet;
	struct under_test t;

	set_up(&t, classifier, hook);
	for (unsigned int i = 0; i < DAMAGED; i++) {
		const struct bpf_frame_part *content = &bpf_contents[next_random(&seed) % bpf_n_contents];

		packet__begin(&packet, (enum packet_link)(next_random(&seed) % LINKS), &bpf_frames_info);
		content->apply(&packet);
		packet__end(&packet);
		damage(&packet, &seed);
		if (can_run(&t, &packet))
			bpf_check__packet(&t, &packet, describe(&t, &packet, content, &damaged));
	}
	bpf_check__tear_down(&t);
}

static void damaged_packets_are_treated_alike(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(classifiers) / sizeof(classifiers[0]); i++) {
		run_damaged(&classifiers[i], TW_HOOK_XDP);
		run_damaged(&classifiers[i], TW_HOOK_TC);
	}
}

/* Runs a program for a NIC in software. If a NIC judges the packet (@judged), the verdict equals the reference's; other packets pass. */
static void compare_offloaded(const struct under_test *t, struct packet *packet, bool judged, const char *what)
{
	static const struct tw_counter none[REFERENCE_ROWS];
	static struct packet expected;
	const uint32_t only = 0;
	struct reference_result result;
	struct loader_run run;

	expected = *packet;
	reference__classify(&t->rules, &t->options, expected.bytes, expected.len, &result);
	assert_int_equal(bpf_map_update_elem(t->loaded.maps[TW_MAP_COUNTERS], &only, none, 0), 0);
	assert_int_equal(loader__run(&t->loaded, packet->bytes, packet->len, sizeof(packet->bytes), 1, &run), 0);
	if (run.retval != reference__retval(t->options.hook, judged ? result.action : TW_ACTION_PASS))
		fail_msg("offloaded: %s: returns %u", what, run.retval);
	if (judged)
		bpf_check__counters(t, &result, what);
}

/* Whether the frame has one event, directly after the Ethernet header, and no other record. */
static bool is_for_a_nic(const struct packet *p)
{
	const uint8_t *tlv = p->frame.buf + sizeof(struct tw_frame_hdr);

	return p->link == LINK_ETHERNET && p->frame.len > sizeof(struct tw_frame_hdr) &&
	       tw_load_be16(tlv) == TW_TLV_EVENT &&
	       sizeof(struct tw_frame_hdr) + tw_tlv__padded(tw_load_be16(tlv + 2)) == p->frame.len;
}

static void run_offloaded(const struct classifier *classifier, uint8_t hook)
{
	static struct packet packet;
	struct under_test t;

	bpf_check__set_up(&t, formats, classifier, &(struct tw_bpf_options){ .hook = hook, .offload = true });
	for (size_t c = 0; c < bpf_n_contents; c++)
		for (unsigned int link = 0; link < LINKS; link++) {
			packet__begin(&packet, link, &bpf_frames_info);
			bpf_contents[c].apply(&packet);
			packet__end(&packet);
			if (packet.len <= TC_LONGEST)
				compare_offloaded(&t, &packet, is_for_a_nic(&packet),
						  describe(&t, &packet, &bpf_contents[c], &bpf_twists[0]));
		}
	bpf_check__tear_down(&t);
}

static void a_nic_judges_frames_of_one_event(void **state)
{
	struct tw_error err = { "" };
	struct under_test t;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		run_offloaded(&classifiers[i], TW_HOOK_XDP);
		run_offloaded(&classifiers[i], TW_HOOK_TC);
	}
	/* A NIC supports neither marks nor redirection. XDP supports no marks. */
	bpf_check__bind(&t, formats, &classifiers_with_mark[0]);
	t.options = (struct tw_bpf_options){ .hook = TW_HOOK_TC, .offload = true };
	assert_int_equal(loader__build(&t.rules, &t.options, &t.loaded, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "mark"));
	t.options = (struct tw_bpf_options){ .hook = TW_HOOK_XDP };
	assert_int_equal(loader__build(&t.rules, &t.options, &t.loaded, &err), -EOPNOTSUPP);
	bpf_check__tear_down(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xdp_does_what_the_rules_say),
		cmocka_unit_test(tc_does_what_the_rules_say),
		cmocka_unit_test(damaged_packets_are_treated_alike),
		cmocka_unit_test(a_nic_judges_frames_of_one_event),
	};

	if (geteuid() != 0) {
		printf("skipped: loading a BPF program needs root\n");
		return SKIPPED;
	}
	return cmocka_run_group_tests(tests, formats__set_up, formats__tear_down);
}
