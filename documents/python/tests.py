"""Runs CPython's own tests of three modules, and writes what became of them: a line of JSON for each module."""

import json
import os
import sys
import unittest

TESTS = ["test_ssl", "test_hashlib", "test_hmac"]


def folder():
    """The tests' folder, next to the library's folder `lib`."""
    library = os.path.dirname(os.path.dirname(json.__file__))
    return os.path.normpath(os.path.join(library, "..", "..", "tests"))


class Counting(unittest.TextTestResult):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.bad = {}

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.bad[test.id()] = None

    def addError(self, test, error):
        super().addError(test, error)
        self.bad[test.id()] = None

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.bad[test.id()] = None

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.bad[test.id()] = None


def outcome(module):
    suite = unittest.defaultTestLoader.loadTestsFromName(f"test.{module}")
    count = suite.countTestCases()
    runner = unittest.TextTestRunner(stream=sys.stderr, resultclass=Counting, verbosity=1)
    result = runner.run(suite)
    skipped = len({test.id() for test, _ in result.skipped} - result.bad.keys())
    prefix = f"test.{module}."
    bad = sorted(name.removeprefix(prefix) for name in result.bad)
    # A class whose setup fails counts as one failure in addition to its cases.
    failed = min(len(bad), count)
    return {
        "part": module,
        "passed": max(result.testsRun - failed - skipped, 0),
        "failed": failed,
        "skipped": skipped,
        "failures": bad,
    }


def main(output):
    sys.path.insert(0, folder())
    from test import support

    # No network and no windows.
    support.use_resources = ["cpu", "walltime"]
    with open(output, "w") as file:
        for module in TESTS:
            file.write(json.dumps(outcome(module)) + "\n")
            file.flush()


if __name__ == "__main__":
    main(sys.argv[1])
