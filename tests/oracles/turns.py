#!/usr/bin/env python3
"""How long should a turn be, and how much of it a warm-up? Bias and spread of several rules, on this host.

  turns.py --tlslab target/debug/tlslab --out FOLDER

Per rule, stack and scenario: by how much a stack's time depends on another stack in the same run (`tlslab validate
--neighbours`, both sides), and how much rounds of fresh processes differ for one stack measured against itself (`tlslab run`): the standard
deviation that belongs to the 99 % interval of the ratio, for the same budget. The figures of a rule are the largest and the median over stacks and sides.
"""

import argparse
import json
import math
import statistics
import subprocess
from pathlib import Path

RULES = [
    ("1 slice of 5 ms, no warm-up", ["--slice", "5ms", "--slices", "1", "--warm-up", "none"]),
    ("1 of 1 ms, no warm-up", ["--slice", "1ms", "--slices", "1", "--warm-up", "none"]),
    ("1 of 20 ms, no warm-up", ["--slice", "20ms", "--slices", "1", "--warm-up", "none"]),
    ("8 of 1 ms, no warm-up", ["--slice", "1ms", "--slices", "8", "--warm-up", "none"]),
    ("1 of 5 ms after 2 ms and 8 iterations", ["--slice", "5ms", "--slices", "1", "--warm-up", "2ms,8,10ms"]),
    ("8 of 1 ms after 2 ms and 8", ["--slice", "1ms", "--slices", "8", "--warm-up", "2ms,8,10ms"]),
    ("8 of 0.5 ms after 1 ms and 2", ["--slice", "0.5ms", "--slices", "8", "--warm-up", "1ms,2,10ms"]),
    ("8 of 0.5 ms after 2 ms and 8", ["--slice", "0.5ms", "--slices", "8", "--warm-up", "2ms,8,10ms"]),
    ("8 of 0.5 ms after 2 ms and 16", ["--slice", "0.5ms", "--slices", "8", "--warm-up", "2ms,16,20ms"]),
]
STACKS = ["rustls/aws-lc-rs", "rustls/ring", "openssl", "gnutls", "wolfssl"]
SCENARIOS = [
    "handshake/1.3/rsa-2048/x25519/aes-128-gcm/none",
    "resumption/1.2/session-id/ecdsa-p256/x25519/aes-128-gcm/none",
    "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm",
]


def lab(options, *arguments):
    command = [options.tlslab, *arguments, "--out", options.out]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(map(str, command))} ended with status {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def bias(options, rule):
    """Dependence on another stack per scenario, as shares, of all stacks and sides."""
    stacks = [word for stack in STACKS for word in ("--stack", stack)]
    scenarios = [word for scenario in SCENARIOS for word in ("--scenario", scenario)]
    rounds = ["--rounds", str(options.rounds), "--others", "1"]
    lab(options, "validate", "--neighbours", *stacks, *scenarios, *rounds, *rule)
    effects = json.loads((Path(options.out) / "validation" / "neighbours.json").read_text())
    beside = [effect for effect in effects if isinstance(effect["beside"], dict)]
    return {scenario: [e["ratio"] - 1 for e in beside if e["scenario"] == scenario] for scenario in SCENARIOS}


def spread(options, rule, stack):
    """Half-widths of the 99 % interval of a stack paired with itself, per scenario, as shares, of both sides."""
    scenarios = [word for scenario in SCENARIOS for word in ("--scenario", scenario)]
    twice = ["--stack", stack, "--stack", f"again={stack}", "--baseline", stack]
    run = ["--rounds", "10", "--budget", f"{options.budget}s", "--format", "json"]
    report = json.loads(lab(options, "run", *twice, *scenarios, *run, *rule))
    found = {scenario: [] for scenario in SCENARIOS}
    for cell in report["cells"]:
        ratio = cell.get("ratio")
        if cell["metric"] == "time" and ratio and ratio["interval"]:
            interval = ratio["interval"]
            found[cell["scenario"]].append(math.log(interval["upper"] / interval["lower"]) / 2)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tlslab", default="target/debug/tlslab")
    parser.add_argument("--out", required=True)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--budget", type=float, default=9, help="seconds of each run, for three scenarios")
    options = parser.parse_args()
    print("Largest (median) dependence on a neighbour, and median half width of the 99 % interval of a ratio, %\n")
    print("| rule | " + " | ".join(f"{s.split('/')[0]}: bias | spread" for s in SCENARIOS) + " |")
    print("|---|" + "--:|--:|" * len(SCENARIOS))
    for name, rule in RULES:
        biases = bias(options, rule)
        spreads = [spread(options, rule, stack) for stack in STACKS]
        cells = []
        for scenario in SCENARIOS:
            sizes = [abs(share) for share in biases[scenario]]
            widths = [width for found in spreads for width in found[scenario]]
            cells.append(f"{100 * max(sizes):.1f} ({100 * statistics.median(sizes):.1f})")
            cells.append(f"{100 * statistics.median(widths):.2f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
