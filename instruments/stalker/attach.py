"""Runs a program under Frida's Stalker, which counts how often each block of its code runs.

    attach.py --packages=FOLDER [--seed=N] [NAME=VALUE ...] -- PROGRAM [ARGUMENT ...]

FOLDER has Frida's package. The program gets these variables and the seed of its chance, and no others; among them must be
LD_PRELOAD with the library that is counted in (preload/tlslab_blocks.h). Standard input and output are the program's own. This
ends as the program ends.
"""

import ctypes
import os
import resource
import signal
import socket
import sys
import time

GATE = 3  # as preload/blocks.c has it


def start(seed, variables, program, gate):
    """The program, which waits at the gate until it is followed."""
    environment = dict(variable.split("=", 1) for variable in variables)
    # As long for every seed: the environment's length moves the stack.
    environment["TLSLAB_SEED"] = f"{seed:020}"
    return os.posix_spawn(
        program[0],
        program,
        environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, gate.fileno(), GATE)],
        # Python ignores these for itself.
        setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
    )


def follow(child):
    """Has the program's first thread followed."""
    import frida

    session = frida.attach(child)
    script = session.create_script(beside("agent.js"))
    script.on("message", lambda message, _: print(message, file=sys.stderr, flush=True))
    script.load()
    script.exports_sync.follow(child, beside("agent.c"))
    return session, script


def beside(name):
    """The text of a file next to this one."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as file:
        return file.read()


def adopt_orphans():
    """Frida's agent starts a process that outlives the program: it comes to this one."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_orphans():
    WALL = 0x40000000  # also those that send no signal when they end
    while True:
        try:
            orphan, _ = os.waitpid(-1, WALL | os.WNOHANG)
        except ChildProcessError:
            return
        if orphan == 0:
            for process in filter(str.isdigit, os.listdir("/proc")):
                if parent(process) == os.getpid():
                    os.kill(int(process), signal.SIGKILL)
            time.sleep(0.001)


def parent(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def end_as(status):
    """Ends as a process with this status has ended."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    # Frida's threads have nothing left to say.
    os._exit(os.WEXITSTATUS(status))


def main():
    split = sys.argv.index("--")
    given, program = sys.argv[1:split], sys.argv[split + 1 :]
    options = dict(option[2:].split("=", 1) for option in given if option.startswith("--"))
    sys.path.insert(0, options["packages"])
    # Frida unpacks its agent there; the creator of this folder removes it.
    os.environ["TMPDIR"] = os.getcwd()
    adopt_orphans()
    ours, theirs = socket.socketpair()
    # A descriptor that is duplicated onto itself would stay closed on exec.
    while theirs.fileno() == GATE:
        theirs = theirs.dup()
    variables = [variable for variable in given if not variable.startswith("--")]
    child = start(int(options.get("seed", 1)), variables, program, theirs)
    theirs.close()
    # The program keeps its own input and output.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    if ours.recv(1):
        try:
            kept = follow(child)
        except Exception as cause:
            print(f"Frida cannot follow the driver: {cause}", file=sys.stderr, flush=True)
            os.kill(child, signal.SIGKILL)
        else:
            ours.send(b"g")
    _, status = os.waitpid(child, 0)
    kill_orphans()
    end_as(status)


main()
