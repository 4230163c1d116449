#!/usr/bin/env python3
"""Holds a suite's icounts.csv against one that another program made of the same rows.

  icounts.py LAB.csv OTHER.csv [--without 'WHAT=FILE.csv']... [--class 'PATTERN=WORDS']... > table.md

Both files have lines `name,count`. A row that is more than --within apart needs a reason. Each --without is a file of the
other program with one more difference taken away, in this order: the reason is what was taken away, up to the step
at which the row comes near enough. --class gives one more reason to rows whose names a pattern fits (as in a shell), where no
step brings them near. What is left is told, and ends with status 1.
"""

import argparse
import fnmatch
import sys


def rows(path):
    with open(path) as file:
        fields = (line.strip().split(",") for line in file)
        return {name: int(count) for name, count, *_ in fields}


def named(text):
    name, _, value = text.partition("=")
    if not name or not value:
        raise argparse.ArgumentTypeError(f"{text}: write WHAT=VALUE")
    return name, value


def near(ratio, within):
    return abs(ratio - 1) <= within


def reason(name, lab, other, steps, classes, within):
    """What keeps a row apart, and its ratio once that is taken away; no reason where it is not apart."""
    if near(lab / other, within):
        return "", lab / other
    taken, before = [], other
    for what, counts in steps:
        count = counts.get(name, before)
        # What moves a row by less than this is no reason for it to be apart.
        if abs(count / before - 1) > within / 5:
            taken.append(what)
        before = count
        if near(lab / count, within):
            return " + ".join(taken), lab / count
    words = next((words for pattern, words in classes if fnmatch.fnmatchcase(name, pattern)), None)
    return " + ".join([*taken, words or "NOT EXPLAINED"]), lab / before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lab")
    parser.add_argument("other")
    parser.add_argument("--without", type=named, action="append", default=[], metavar="WHAT=FILE")
    parser.add_argument("--class", type=named, action="append", default=[], dest="classes", metavar="PATTERN=WORDS")
    parser.add_argument("--within", type=float, default=0.01, metavar="SHARE")
    arguments = parser.parse_args()
    lab, other = rows(arguments.lab), rows(arguments.other)
    steps = [(what, rows(path)) for what, path in arguments.without]

    print("| row | lab | other | lab / other | what keeps it apart | without that |")
    print("|---|--:|--:|--:|---|--:|")
    tally = {}
    for name in sorted(lab.keys() | other.keys()):
        if name not in lab or name not in other:
            missing = "the lab's file" if name not in lab else "the other file"
            print(f"| {name} | {lab.get(name, '–')} | {other.get(name, '–')} | – | not in {missing} | – |")
            tally[f"not in {missing}"] = tally.get(f"not in {missing}", 0) + 1
            continue
        why, left = reason(name, lab[name], other[name], steps, arguments.classes, arguments.within)
        without = f"{left:.4f}" if why else ""
        print(f"| {name} | {lab[name]:,} | {other[name]:,} | {lab[name] / other[name]:.4f} | {why} | {without} |")
        tally[why] = tally.get(why, 0) + 1
    print()
    share = f"{100 * arguments.within:g} %"
    for why, count in sorted(tally.items(), key=lambda entry: -entry[1]):
        print(f"- {count} rows: {why or f'within {share}'}")
    apart = [why for why in tally if why.endswith("NOT EXPLAINED") or why.startswith("not in ")]
    sys.exit(1 if apart else 0)


if __name__ == "__main__":
    main()
