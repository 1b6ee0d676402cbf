"""old_program.py: the smallest program of 32 bits that this machine's kernel may know."""
import platform
import struct

EXITS = {  # exit(0), as the 32-bit kernel knows it
    "aarch64": (40, struct.pack("<3I", 0xe3a07001, 0xe3a00000, 0xef000000)),
    "x86_64": (3, b"\x31\xdb\xb8\x01\x00\x00\x00\xcd\x80"),
}


def made():
    """It ends with 0; None where nobody has written one."""
    if platform.machine() not in EXITS:
        return None
    machine, code = EXITS[platform.machine()]
    base, head = 0x10000, 52 + 32
    size = head + len(code)
    return struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\x01\x01\x01", 2, machine, 1, base + head, 52, 0, 0,
                       52, 32, 1, 0, 0, 0) + \
        struct.pack("<8I", 1, 0, base, base, size, size, 5, 0x1000) + code
