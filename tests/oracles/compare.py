#!/usr/bin/env python3
"""Holds programs that measure the same work against each other, interleaved in one run.

A program is a stack of the lab, driven over the lab's protocol, or any command that prints a figure per side:

  compare.py --scenario handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none --stack openssl \\
             --program loop='openssl_loop PKI handshake X25519 TLS_AES_128_GCM_SHA256 none {n}' \\
             --pattern 'client (?P<client>[0-9.]+) server (?P<server>[0-9.]+)'

The first program is what the others are divided by. Every round runs each once, in random order, pinned, with
address-space randomisation off. With --beside each stack gets one more row: its figures in a run of the lab in which the given stacks
take turns with it (the lab pins its own processes). {n} in a command becomes the number of iterations that takes about --seconds. Intervals
are of the median ratio over rounds and come from the sign test, which assumes no distribution.
"""

import argparse
import itertools
import json
import math
import random
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIDES = ("client", "server")
CONFIDENCE = 0.99
PHASES = ("create", "handshake", "post_handshake", "free", "send", "receive")
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}


class Failure(Exception):
    """An error whose text is for the user."""


def output_of(command, text=None, environment=ENVIRONMENT):
    """Runs a command and returns what it printed."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-3:]
        raise Failure(f"{shlex.join(map(str, command))} ended with status {done.returncode}: {' '.join(last)}")
    return done.stdout


class Stack:
    """A driver of the lab, one process per run, warmed up by a measurement that is not counted."""

    scales = True

    def __init__(self, name, options):
        if options.scenario is None:
            raise Failure("--stack needs --scenario")
        self.name, self.pinning = name, options.pinning
        self.slices = max(1, round(options.seconds * 2000))
        self.phases = [f"{phase}_ns" for phase in options.phases]
        lab = lambda *arguments: output_of([options.tlslab, *arguments, "--root", ROOT], environment=None)
        path = re.search(rf"^{re.escape(name)}[^:]*: (/\S+)", lab("build", name), re.MULTILINE)
        if path is None:
            raise Failure(f"{name} is not built: tlslab build {name}")
        self.driver = path[1]
        requests = lab("requests", "--scenario", options.scenario).splitlines()
        self.requests = [line for line in requests if "measure" not in json.loads(line)]
        if options.burst:
            # The clock is read around every so many writes.
            prepare = json.loads(self.requests[2])
            prepare["prepare"]["scenario"]["work"]["burst"] = options.burst
            self.requests[2] = json.dumps(prepare)

    def run(self, iterations):
        """The median over slices of about half a millisecond of an operation per side in microseconds, and how many seconds all took."""
        slices = min(self.slices, iterations)
        measures = [{"iterations": iterations // 10 + 1}, {"iterations": iterations // slices, "slices": slices}]
        measures = [json.dumps({"measure": measure}) for measure in measures]
        lines = self.requests[:-1] + measures + self.requests[-1:]
        replies = [json.loads(line) for line in output_of(self.pinning + [self.driver], "\n".join(lines)).splitlines()]
        measured = [reply["measured"] for reply in replies if "measured" in reply]
        if len(measured) != len(measures):
            raise Failure(f"{self.name} did not measure: {[r for r in replies if 'failed' in r or 'unsupported' in r]}")
        us = [statistics.median(self.us(slice[side]["phases"], slice["iterations"]) for slice in measured[-1]) for side in SIDES]
        return us, sum(slice["elapsed_ns"] for slice in measured[-1]) / 1e9

    def us(self, times, iterations):
        """What the phases took that count, per iteration."""
        return sum(times[phase] for phase in self.phases) / iterations / 1e3


class Run:
    """A run of the lab, in which a stack takes turns with others."""

    scales = False

    def __init__(self, stack, options):
        self.name, self.stack = f"{stack}, run with {', '.join(options.beside)}", stack
        self.metrics = ["time"] if set(options.phases) == set(PHASES) else [f"time.{phase}" for phase in options.phases]
        self.folder = tempfile.TemporaryDirectory(prefix="compare-")
        stacks = [word for each in [stack, *options.beside] for word in ("--stack", each)]
        budget = options.seconds * (1 + len(options.beside))
        self.command = [options.tlslab, "run", *stacks, "--scenario", options.scenario, "--rounds", "3", "--budget", f"{budget}s"]
        self.command += ["--metric", "time", "--format", "json", "--out", self.folder.name, "--root", ROOT]

    def run(self, _):
        """The estimate of the stack's time per side in microseconds."""
        start = time.monotonic()
        cells = json.loads(output_of(self.command, environment=None))["cells"]
        of = {(cell["side"], cell["metric"]): cell.get("estimate") for cell in cells if cell["stack"] == self.stack}
        us = [sum(of.get((side, metric)) or 0 for metric in self.metrics) for side in SIDES]
        if not all(us):
            raise Failure(f"{self.name} has no times; see {' '.join(map(str, self.command))}")
        return us, time.monotonic() - start


class Command:
    """Any command whose output has a figure per side."""

    def __init__(self, name, command, options):
        if options.pattern is None:
            raise Failure("--program needs --pattern")
        self.name, self.command, self.pinning = name, command, options.pinning
        self.scales = "{n}" in command
        self.pattern, self.microseconds = re.compile(options.pattern, re.DOTALL), options.unit

    def run(self, iterations):
        """The mean of an operation per side in microseconds, and how many seconds all took."""
        command = shlex.split(self.command.replace("{n}", str(iterations)))
        start = time.monotonic()
        output = output_of(self.pinning + command)
        elapsed = time.monotonic() - start
        found = self.pattern.search(output)
        if found is None:
            raise Failure(f"{self.name} printed nothing like the pattern: {output.strip()[-300:]!r}")
        return [self.microseconds(float(found[side])) for side in SIDES], elapsed


def unit(text):
    """What turns a figure in a unit into microseconds per operation."""
    rate = re.fullmatch(r"MiB/s:(\d+)", text)
    if rate:
        return lambda figure: int(rate[1]) / 2**20 / figure * 1e6
    if text not in ("us", "op/s"):
        raise argparse.ArgumentTypeError("us, op/s or MiB/s:BYTES, where BYTES is the size of an operation")
    return lambda figure: figure if text == "us" else 1e6 / figure


def iterations_for(program, seconds):
    """How many iterations take about so long, found by trying."""
    iterations = 1
    while program.scales and (elapsed := program.run(iterations)[1]) < seconds / 4:
        iterations *= 4
    return max(1, round(iterations * seconds / elapsed)) if program.scales else 1


def measure(programs, options):
    """The figures of every round per program."""
    chance = random.Random(options.seed)
    counts = {program.name: iterations_for(program, options.seconds) for program in programs}
    figures = {program.name: [] for program in programs}
    for _ in range(options.rounds):
        for program in chance.sample(programs, len(programs)):
            figures[program.name].append(program.run(counts[program.name])[0])
    return figures


def interval(ratios):
    """The median, and what the sign test does not refuse as the median; no interval when there are too few."""
    ordered, count = sorted(ratios), len(ratios)
    tails = itertools.accumulate(math.comb(count, below) / 2**count for below in range(count))
    outside = sum(2 * tail <= 1 - CONFIDENCE for tail in tails)
    ends = (ordered[outside - 1], ordered[-outside]) if outside else None
    return statistics.median(ordered), ends


def rows(title, figures):
    """The table's lines: a program per line, both sides next to each other."""
    first = next(iter(figures))
    for name, runs in figures.items():
        cells = [title, name]
        for side in range(len(SIDES)):
            median, ends = interval([run[side] / base[side] for run, base in zip(runs, figures[first])])
            bounds = f" [{ends[0]:.3f}, {ends[1]:.3f}]" if ends else ""
            us = statistics.median(run[side] for run in runs)
            cells += [f"{us:.4g}", "1" if name == first else f"{median:.3f}{bounds}"]
        yield cells


def named(text):
    """A name and its command."""
    name, equals, command = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("NAME=COMMAND")
    return name, command


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add, listed = parser.add_argument, {"action": "append", "dest": "programs", "default": []}
    add("--stack", type=lambda name: (name, None), metavar="NAME", help="a stack of the lab", **listed)
    add("--program", type=named, metavar="NAME=COMMAND", help="a command that prints figures", **listed)
    add("--beside", action="append", default=[], metavar="STACK", help="measure each stack also in a run of the lab with this one")
    add("--scenario", metavar="NAME", help="what the stacks do")
    add("--phases", type=lambda text: text.split(","), default=PHASES, help="which of the stacks' times count (all)")
    add("--pattern", help="regular expression with the groups client and server, for what the commands print")
    add("--burst", type=int, help="writes between two readings of the clock, for the stacks (the scenario's)")
    add("--unit", type=unit, default="us", help="us (default), op/s or MiB/s:BYTES")
    add("--rounds", type=int, default=15)
    add("--seconds", type=float, default=0.4, help="how long a program runs per round (0.4)")
    add("--seed", type=int, default=1, help="of the random order")
    add("--cpu", default="1", help="the processor that all are pinned to (1)")
    add("--tlslab", default=ROOT / "target/debug/tlslab", help="the lab's program")
    add("--no-head", action="store_true", help="print no heading, to go on with a table")
    options = parser.parse_args()
    if len(options.programs) < 2 or len({name for name, _ in options.programs}) < len(options.programs):
        parser.error("at least two programs, of different names")
    if not set(options.phases) <= set(PHASES):
        parser.error(f"phases are {', '.join(PHASES)}")
    options.pinning = ["setarch", "-R", "taskset", "-c", options.cpu]
    return options


def main():
    options = arguments()
    programs = [Command(*each, options) if each[1] else Stack(each[0], options) for each in options.programs]
    if options.beside:
        programs += [Run(program.name, options) for program in programs if isinstance(program, Stack)]
    figures = measure(programs, options)
    if not options.no_head:
        print("| case | program | client, µs | ratio | server, µs | ratio |\n|---|---|--:|--:|--:|--:|")
    for cells in rows(options.scenario or "-", figures):
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    try:
        main()
    except (Failure, OSError) as failure:
        sys.exit(f"compare.py: {failure}")
