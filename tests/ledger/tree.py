"""tree.py: the hashes of a ledger a second time, from RFC 6962 and RFC 9162 alone."""
import hashlib
import json


def sha(data):
    return hashlib.sha256(data).digest()


def node(left, right):
    return sha(b"\1" + left + right)


def root_of(leaves):
    if len(leaves) <= 1:
        return leaves[0] if leaves else sha(b"")
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return node(root_of(leaves[:half]), root_of(leaves[half:]))


def canonical(value):
    """RFC 8785, for values that have no fractions and no odd characters."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def included(leaf, index, size, path):
    """RFC 9162, 2.1.3.2: the root that this path leads to."""
    fn, sn, at = index, size - 1, leaf
    for step in path:
        if fn & 1 or fn == sn:
            at = node(step, at)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            at = node(at, step)
        fn, sn = fn >> 1, sn >> 1
    return at
