#!/usr/bin/env python3
"""Compares the numbers of documents with their originals, in both directions.

    tests/oracles/published.py documents/bertie.toml ORIGINAL.txt [documents/... ORIGINAL ...]

Numbers of the original that the document's file does not have are *missing*, numbers in the file's rows of published
figures that the original does not have are *mismatches*. Web addresses, and what stands in the original's code and file names, are
left out; a number counts as the same where its digits are, whatever stands for the thousands. Exits with 1 if there is any.
"""

import re
import sys
import tomllib

NUMBER = re.compile(r"(?<![\w./#-])\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?![\w]*\.\w)(?=$|[^\w.]|\.(?:\s|$)|[a-zA-Zμ%]*)")


def numbers_of(text):
    """Every number with the line it is in."""
    found = {}
    for at, line in enumerate(text.splitlines(), 1):
        line = re.sub(r"^\s*\d+\.\s", " ", line)  # the number of an item
        line = re.sub(r"https?://\S+|\[\^\d+\]|\]\([^)]*\)|`[^`]*`|\{\{.*?\}\}", " ", line)
        # Names that have digits in them are no figures.
        line = re.sub(r"\b(?:[A-Za-z_]+[-_]?\d+\w*|\w+_\w+|x86|u\d+|TLS \d\.\d|Dell \S+)\b", " ", line)
        for match in NUMBER.finditer(line):
            digits = match.group().replace(",", "").rstrip(".")
            found.setdefault(float(digits), (at, line.strip()))
    return found


def values(node, into):
    """Every number in a document, whether alone or within words."""
    if isinstance(node, dict):
        for key, value in node.items():
            values(key, into)
            values(value, into)
    elif isinstance(node, list):
        for value in node:
            values(value, into)
    elif isinstance(node, bool):
        pass
    elif isinstance(node, (int, float)):
        into.add(float(node))
    else:
        for digits in re.findall(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", str(node)):
            into.add(float(digits.replace(",", "")))


def check(document, original):
    with open(document, "rb") as file:
        toml = tomllib.load(file)
    with open(original, encoding="utf-8", errors="replace") as file:
        text = file.read()
    known = set()
    values(toml, known)
    published = numbers_of(text)
    missing = {number: where for number, where in published.items() if number not in known}
    in_text = {float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", text) if n.strip(",")}
    wrong = set()
    rows = 0
    for name, table in toml.get("published", {}).items():
        if table.get("own"):
            continue
        own = set(table.get("own_columns", []))
        for row in table["rows"]:
            for column, value in zip(table["columns"], row):
                if column in own:
                    continue
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    rows += 1
                    if float(value) not in in_text:
                        wrong.add((name, value))
    print(f"{document}: {len(published)} numbers of the original, {len(missing)} missing; "
          f"{rows} published figures, {len(wrong)} mismatches")
    for number, (line, words) in sorted(missing.items(), key=lambda item: item[1][0]):
        print(f"  missing: {number:g} in line {line}: {words[:110]}")
    for name, value in sorted(wrong, key=str):
        print(f"  mismatch: {value} in published.{name}")
    return not missing and not wrong


if __name__ == "__main__":
    pairs = sys.argv[1:]
    if not pairs or len(pairs) % 2:
        sys.exit(__doc__)
    sys.exit(0 if all([check(*pairs[at:at + 2]) for at in range(0, len(pairs), 2)]) else 1)
