#!/usr/bin/env python3
"""Do instructions on the processor itself and time say the same of two stacks?

    tlslab run --metric time --metric count --counter native --stack A --stack B … --out DIR
    tests/oracles/signs.py DIR/RUN/results.json

For each cell whose interval of the ratio of times excludes 1, the ratio of native counts should lie on the same side of 1. Prints those
where it does not, with both ratios, and ends with status 1 if the smaller of the two is further than 3 % from 1."""

import collections
import json
import sys


def main():
    results = json.load(open(sys.argv[1]))
    counts = {
        (cell["stack"], cell["scenario"], cell["side"]): cell["ratio"]["value"]
        for cell in results["exact"]
        if cell["metric"] == "count.instructions" and cell.get("ratio")
    }
    agree, opposed, undecided, rates = 0, [], 0, collections.defaultdict(list)
    for cell in results["cells"]:
        key = (cell["stack"], cell["scenario"], cell["side"])
        ratio = cell.get("ratio")
        if cell["metric"] != "time" or not ratio or key not in counts:
            continue
        lower, upper = ratio["interval"]["lower"], ratio["interval"]["upper"]
        if lower <= 1 <= upper:
            undecided += 1
            continue
        rates[key[0]].append(ratio["estimate"] / counts[key])
        if (ratio["estimate"] > 1) == (counts[key] > 1):
            agree += 1
        else:
            opposed.append((min(abs(ratio["estimate"] - 1), abs(counts[key] - 1)), key, ratio["estimate"], counts[key]))
    print(f"{agree} cells agree, {len(opposed)} do not, {undecided} have an interval of times that contains 1")
    print("\n| stack | scenario | side | time over baseline's | native instructions over baseline's |\n|---|---|---|--:|--:|")
    for _, (stack, scenario, side), time, count in sorted(opposed, reverse=True):
        print(f"| {stack} | {scenario} | {side} | {time:.3f} | {count:.3f} |")
    for stack, values in rates.items():
        values.sort()
        print(f"\n{stack}: time per instruction over the baseline's: {values[0]:.2f} to {values[-1]:.2f}, median {values[len(values) // 2]:.2f}")
    return 1 if any(distance > 0.03 for distance, *_ in opposed) else 0


if __name__ == "__main__":
    sys.exit(main())
