"""A tiny program between us and PostgreSQL: becomes the server's user, ties itself to its parent, then is replaced.

Run as `python -I -S launch.py PARENT UID GID PASS command…` by `command_line` in `privileges.py`. It is a program and
not a function run after fork, because a forked child of a process with threads may not safely run Python. It imports
nothing of ours, so it also works where only root may read our package.

Promises, in this order: the user is changed (UID, unless -1); one capability that PASS asks for survives the change:
`search`, to walk through folders that are closed to the new user, or `execute`, where even the programs are closed to
it, or `none`; the new user can reach the command; the kernel will send SIGINT, PostgreSQL's fast shutdown, when
the parent dies. The last must come after the change of user, which forgets it.

PostgreSQL's programs look for themselves with access(2). For a user other than root the kernel leaves capabilities out
of that answer unless SECBIT_NO_SETUID_FIXUP is set, so it is set where the kernel permits (it takes CAP_SETPCAP).
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_KEEPCAPS = 8
PR_CAPBSET_READ = 23
PR_GET_SECUREBITS = 27
PR_SET_SECUREBITS = 28
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_RAISE = 2
CAP_DAC_OVERRIDE = 1
CAP_DAC_READ_SEARCH = 2
SECBIT_NO_SETUID_FIXUP = 1 << 2
SECBIT_KEEP_CAPS = 1 << 4
CAPABILITY_VERSION_3 = 0x20080522

CAPABILITIES_FOR = {
    "none": (),
    "search": (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE),
    "execute": (CAP_DAC_OVERRIDE,),
}
"""What serves, the weakest first; containers often have only the stronger."""

NO_PASSAGE = "no capability to pass the folders above the data"
NO_OTHER_USER = "no way to become another user"
NO_PROGRAM = "the programs are out of the server's reach"


class Header(ctypes.Structure):
    """Which version of the capability call, for which process (0: this one)."""

    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class Half(ctypes.Structure):
    """One half of the capability sets; the second half stays zero."""

    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def main(arguments: list[str]) -> None:
    """Change what must be changed and become the command."""
    parent, uid, gid = (int(word) for word in arguments[:3])
    passage, command = arguments[3], arguments[4:]
    try:
        if uid >= 0:
            change_user(uid, gid, passage)
    except OSError as error:
        sys.exit(f"{NO_OTHER_USER}: {error.strerror}")
    if uid >= 0 and not os.access(command[0], os.R_OK | os.X_OK):
        sys.exit(NO_PROGRAM)
    if sys.platform == "linux":
        prctl(PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() != parent:
            sys.exit("the parent died before the server started")
    os.execv(command[0], command)  # noqa: S606 - the command is our own fixed list, there is no shell


def change_user(uid: int, gid: int, passage: str) -> None:
    """Leave root for good, keeping at most one capability."""
    capability = choose_capability(passage)
    if capability is not None:
        prctl(PR_SET_KEEPCAPS, 1)
        count_capabilities_in_access()
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    if capability is not None:
        keep_only(capability)


def choose_capability(passage: str) -> int | None:
    """Take the first one that this system lets us have."""
    wanted = CAPABILITIES_FOR[passage]
    if not wanted:
        return None
    for capability in wanted:
        if prctl(PR_CAPBSET_READ, capability) == 1:
            return capability
    sys.exit(NO_PASSAGE)


def count_capabilities_in_access() -> None:
    """Let access(2) count capabilities; where the kernel forbids it, `main` finds out whether the command is reachable."""
    bits = prctl(PR_GET_SECUREBITS) | SECBIT_NO_SETUID_FIXUP | SECBIT_KEEP_CAPS
    call_prctl(PR_SET_SECUREBITS, bits)


def keep_only(capability: int) -> None:
    """Hold one capability in every set, so that it also outlives the exec."""
    bit = 1 << capability
    header = Header(CAPABILITY_VERSION_3, 0)
    halves = (Half * 2)(Half(bit, bit, bit), Half(0, 0, 0))
    if ctypes.CDLL(None, use_errno=True).capset(ctypes.byref(header), ctypes.byref(halves)) != 0:
        sys.exit(f"{NO_PASSAGE}: {os.strerror(ctypes.get_errno())}")
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability)


def prctl(option: int, *values: int) -> int:
    """Ask the kernel to change something about this process; a refusal ends the program with its text."""
    answer = call_prctl(option, *values)
    if answer < 0:
        sys.exit(f"prctl {option}: {os.strerror(ctypes.get_errno())}")
    return answer


def call_prctl(option: int, *values: int) -> int:
    """Ask the kernel and give its answer; a negative one is a refusal, with errno set."""
    words = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)][:4]
    return int(ctypes.CDLL(None, use_errno=True).prctl(option, *words))


if __name__ == "__main__":
    main(sys.argv[1:])
