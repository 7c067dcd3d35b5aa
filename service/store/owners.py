"""Who holds a lease: host/process/start/random. The name tells other processes of the host when its owner has died."""

import os
import secrets
import socket
from pathlib import Path


def new_owner() -> str:
    process = os.getpid()
    return f"{_host()}/{process}/{_start(process)}/{secrets.token_hex(4)}"


def is_dead(owner: str) -> bool:
    """True only if the owner ran on this host and its process is gone; an owner elsewhere loses its lease by time."""
    parts = owner.split("/")
    if len(parts) != 4 or parts[0] != _host() or not parts[1].isdecimal():
        return False
    return _start(int(parts[1])) != parts[2]


def _host() -> str:
    """This machine since it was started, and this process's view of its processes: containers may share a name."""
    name = socket.gethostname().replace("/", "-")
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")[:8]
        space = Path("/proc/self/ns/pid").readlink().name.strip("pid:[]")
    except OSError:
        return name
    return f"{name}-{boot}-{space}"


def _start(process: int) -> str:
    """When the process started, in ticks since the machine did; empty if it is gone. Without /proc all are one."""
    if not Path("/proc/self/stat").exists():
        return "alive" if _exists(process) else ""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *rest = status.rpartition(")")[2].split()
    return "" if state in "ZX" else rest[18]


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
