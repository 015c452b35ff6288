# SPDX-License-Identifier: GPL-2.0-or-later
"""strangers.py text|lines|tabs|json|jsonl|xml NAME: checks that standard input is UTF-8 and contains nothing that base/printable.h
escapes, except newlines (with the argument tabs, also tabs); that it is valid JSON or XML, whose values are checked in the same way; and
that something was escaped at all."""
import json
import re
import sys
import xml.etree.ElementTree as xml

HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]")


def texts(value):
    """All strings of a JSON value, including keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def check(kind, data):
    text = data.decode("utf-8")
    found = HARMFUL.search(re.sub("[\n\t]" if kind in ("tabs", "json", "xml") else "\n", "", text))
    assert not found, "byte %#x near %r" % (ord(found.group()), found.string[max(0, found.start() - 60):found.start() + 20])
    values = [text]
    if kind == "json":
        values = texts(json.loads(text))
    elif kind == "jsonl":
        values = texts([json.loads(line) for line in text.splitlines() if line])
    elif kind == "xml":
        values = [v for node in xml.fromstring(data).iter() for v in [*node.attrib.values(), (node.text or "").strip()]]
    if kind in ("json", "jsonl", "xml"):
        values = list(values)
        for value in values:
            # The text of an event contains newlines of a stack, added by the plugin.
            assert not HARMFUL.search(re.sub("\n(?=\t=> |$)|\t(?==> )", "", value)), "value %r" % value
    assert any(r"\x1b" in value and r"\xed\xa0\x80" in value for value in values), "nothing is escaped"


try:
    check(sys.argv[1], sys.stdin.buffer.read())
    print("ok: " + sys.argv[2])
except (AssertionError, ValueError, xml.ParseError) as why:
    print("FAILED: %s: %s" % (sys.argv[2], ascii(str(why))))
    sys.exit(1)
