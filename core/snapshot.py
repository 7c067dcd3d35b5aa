"""Snapshots as bytes: a JSON header and raw arrays, with a version and a checksum. Nothing is pickled."""

import hashlib
import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError

MAGIC = b"threadline stream\n"
VERSION = 2
PREFIX = struct.Struct("<I32sQ")  # version, SHA-256 of all that follows, length of the header


def pack(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> bytes:
    """Header and arrays as one string of bytes."""
    manifest = [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]
    text = json.dumps({"header": header, "arrays": manifest}).encode()
    body = text + b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())
    return MAGIC + PREFIX.pack(VERSION, hashlib.sha256(body).digest(), len(text)) + body


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What `pack` was given; refuses what is damaged, cut short or of another version."""
    start = len(MAGIC) + PREFIX.size
    if len(data) < start or not data.startswith(MAGIC):
        raise ArgumentError("data", "is not a snapshot", "pass what to_bytes returned")
    version, digest, length = PREFIX.unpack_from(data, len(MAGIC))
    if version != VERSION:
        raise ArgumentError("data", f"is a snapshot of version {version}", f"make it again with version {VERSION}")
    if hashlib.sha256(data[start:]).digest() != digest:
        raise ArgumentError("data", "is damaged", "use another snapshot or start again from the documents")
    content = json.loads(data[start : start + length])
    arrays = {}
    position = start + length
    for name, kind, shape in content["arrays"]:
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(data, np.dtype(kind), count, position).reshape(shape).copy()
        position += arrays[name].nbytes
    return content["header"], arrays
