#!/usr/bin/env python3
"""The same stack under two names, many times: how often does an interval exclude 1 when nothing differs?

    tests/oracles/aa.py --stack rustls/ring --runs 20 --out DIR

Each run is the default suite at its default budget. A run that is in DIR already is not made again."""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(stack, out, seed):
    file = out / f"{seed}.json"
    if not file.exists():
        command = [ROOT / "target/debug/tlslab", "run", "--stack", stack, "--stack", f"again={stack}"]
        command += ["--baseline", stack, "--seed", str(seed), "--out", out, "--format", "json"]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            sys.exit(f"run with seed {seed} ended with {result.returncode}:\n{result.stderr}")
        file.write_text(result.stdout)
    return json.loads(file.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stack", required=True)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    cells, excluded, half_widths = 0, [], {}
    for seed in range(1, options.runs + 1):
        results = run(options.stack, options.out, seed)
        for cell in results["cells"]:
            if cell["stack"] != "again" or cell["metric"] != "time":
                continue
            name = f"{cell['scenario']} {cell['side']}"
            interval = cell["ratio"]["interval"]
            cells += 1
            half_widths.setdefault(name, []).append((interval["upper"] - interval["lower"]) / 2)
            if not interval["lower"] <= 1 <= interval["upper"]:
                excluded.append(f"  run {seed}: {name}: {interval['lower']:.5f} to {interval['upper']:.5f}")
        print(f"run {seed}: {len(excluded)} of {cells} intervals exclude 1 so far", flush=True)
    print(*excluded, sep="\n")
    print("median half width of the interval:")
    for name, widths in half_widths.items():
        print(f"  {sorted(widths)[len(widths) // 2]:.3%}  {name}")
    share = len(excluded) / cells
    print(f"{len(excluded)} of {cells} cells have an interval that excludes 1: {share:.2%} (at 99 %, 1 % is expected)")
    return 0 if share <= 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())
