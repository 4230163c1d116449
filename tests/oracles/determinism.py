#!/usr/bin/env python3
"""The same binaries counted many times, and nothing else the same: does any row differ?

    tests/oracles/determinism.py --runs 10 --stack rustls/ring --stack openssl … --out DIR

Each run has another folder, another cache path (a link of another length), another environment and another current folder, and
the other processors are kept busy. Prints a table in Markdown; ends with status 1 if a row differs. A run that is in DIR already
is not made again."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENARIOS = [
    "handshake/1.3/{rsa-2048,ecdsa-p256}/x25519/aes-128-gcm/none",
    "handshake/1.2/{rsa-2048,ecdsa-p256}/x25519/aes-128-gcm/none",
    "conformance/group/{x25519mlkem768,p-256}",
    "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/chain+name",
    "resumption/1.{2,3}/ticket/{rsa-2048,ecdsa-p256}/**",
    "transfer/1.3/*/*/16KiB/warm",
    "primitive/{hash/sha-256,aead/aes-128-gcm}/{1,16}KiB",
]


def run(options, number):
    file = options.out / f"{number}.json"
    if not file.exists():
        with tempfile.TemporaryDirectory(prefix="x" * number) as folder:
            link = pathlib.Path(folder) / ("c" * (1 + 7 * number))
            link.symlink_to(options.cache)
            command = [options.program, "--root", ROOT, "--cache", link, "run", "--metric", "count", "--format", "json"]
            command += ["--out", pathlib.Path(folder) / "results"]
            command += ["--count-iterations", str(options.iterations)]
            command += [word for stack in options.stack for word in ("--stack", stack)]
            command += [word for scenario in options.scenario or SCENARIOS for word in ("--scenario", scenario)]
            environment = {**os.environ, "SOMETHING": "y" * 113 * number}
            hogs = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(max(1, os.cpu_count() - 1))]
            try:
                result = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
            finally:
                for hog in hogs:
                    hog.kill()
                    hog.wait()
        if result.returncode != 0:
            sys.exit(f"run {number} ended with {result.returncode}:\n{result.stderr[-3000:]}")
        file.write_text(result.stdout)
    cells = json.loads(file.read_text())["exact"]
    key = lambda cell: (cell["stack"], cell["scenario"], cell["side"], cell["metric"])
    return {key(cell): cell.get("estimate") for cell in cells if cell["metric"].startswith("count.")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stack", action="append", required=True)
    parser.add_argument("--scenario", action="append")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=32)
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path.home() / ".cache/tlslab")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "target/debug/tlslab")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.out, options.program = options.out.resolve(), options.program.resolve()
    runs = []
    for number in range(1, options.runs + 1):
        runs.append(run(options, number))
        print(f"run {number} of {options.runs}: {len(runs[-1])} figures", file=sys.stderr, flush=True)

    print(f"| stack | sides of scenarios | figures | figures that differ in {options.runs} runs | largest difference |")
    print("|---|--:|--:|--:|--:|")
    differ_in_all = 0
    for stack in options.stack:
        keys = {key for run in runs for key in run if key[0] == stack and run[key] is not None}
        rows = {key[1:3] for key in keys}
        worst, differ = 0.0, 0
        for key in keys:
            values = [run.get(key) for run in runs]
            if len(set(values)) > 1:
                differ += 1
                found = [value for value in values if value is not None]
                missing = len(found) < len(values)
                worst = max(worst, float("inf") if missing else (max(found) - min(found)) / max(1, min(found)))
        differ_in_all += differ
        print(f"| {stack} | {len(rows)} | {len(keys)} | {differ} | {f'{worst:.2e}' if differ else '–'} |")
    return 1 if differ_in_all else 0


if __name__ == "__main__":
    sys.exit(main())
