#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""documents.py SOURCE_DIR: checks that each file, folder, constant and function that a document names exists, and what each
link leads to."""
import os
import re
import sys


def tracked(root):
    """Paths of the source files; builds and hidden folders are left out."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and (folder != root or name != "build")]
        for name in files:
            yield os.path.relpath(os.path.join(folder, name), root)


def exists(path, paths):
    return any(known == path or known.endswith("/" + path) for known in paths)


def missing(text, paths, folders, words):
    """Return: the kind of object that a text in backquotes names, if this object does not exist; otherwise None"""
    if re.fullmatch(r"[\w.-]+/[\w./-]*\.(c|h|md|sh|py)", text):
        return None if exists(text, paths) else "file"
    if re.fullmatch(r"[\w./-]+/", text):
        return None if exists(text.rstrip("/"), folders) else "folder"
    if re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+", text) and text not in words:
        return "constant"
    if re.fullmatch(r"[a-z]\w*\(\)", text) and text[:-2] not in words:
        return "function"
    return None


def headings(path):
    """Return: the names that a link can have after #, made of the headings as on GitHub"""
    with open(path) as file:
        return {re.sub(r"[^\w -]", "", line.strip("# \n").lower()).replace(" ", "-") for line in file if line.startswith("#")}


def broken(root, page, link):
    """Return: whether a link of the page leads to no file or heading"""
    path, _, heading = link.partition("#")
    target = os.path.normpath(os.path.join(root, os.path.dirname(page), path)) if path else os.path.join(root, page)
    return not os.path.exists(target) or heading != "" and heading not in headings(target)


def main(root):
    paths = set(tracked(root))
    folders = {os.path.dirname(path) for path in paths}
    folders |= {os.path.dirname(folder) for folder in folders}
    words = {"GFP_ATOMIC"}  # a word of the kernel
    for path in paths:
        if not path.endswith(".md") and os.path.getsize(os.path.join(root, path)) < 1 << 20:
            with open(os.path.join(root, path), errors="replace") as file:
                words.update(re.findall(r"\w+", file.read()))
    failed = False
    for path in sorted(path for path in paths if path.endswith(".md")):
        with open(os.path.join(root, path)) as file:
            for number, line in enumerate(file, 1):
                for text in re.findall(r"`([^`]+)`", line):
                    what = missing(text, paths, folders, words)
                    if what:
                        print("FAIL: %s:%d names a %s that does not exist: %s" % (path, number, what, text))
                        failed = True
                for link in re.findall(r"\]\(([^)]+)\)", line):
                    if not re.match(r"\w+:", link) and broken(root, path, link):
                        print("FAIL: %s:%d links to nothing: %s" % (path, number, link))
                        failed = True
    return failed


sys.exit(main(sys.argv[1]))
