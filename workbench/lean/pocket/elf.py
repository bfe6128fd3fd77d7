"""The names that a shared library exports, read from the file."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little-endian
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
DYNAMIC_SYMBOLS = 11  # sh_type SHT_DYNSYM
UNDEFINED = 0  # st_shndx SHN_UNDEF


def exported_symbols(path: Path) -> set[str]:
    """Return the defined dynamic symbols of a 64-bit little-endian ELF library (System V ABI, chapter 4).

    Raises ValueError, with the path, for a file that is none.
    """
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        if data[:6] != MAGIC:
            raise ValueError(f"{path}: not a 64-bit little-endian ELF file")
        try:
            return _symbols(data)
        except (struct.error, IndexError, ValueError, OverflowError) as broken:
            raise ValueError(f"{path}: damaged ELF file: {broken}") from broken


def _symbols(data: mmap.mmap) -> set[str]:
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    sections = [
        SECTION.unpack_from(data, table + index * size) for index in range(count)
    ]
    found: set[str] = set()
    for section in sections:
        if section[1] != DYNAMIC_SYMBOLS:
            continue
        offset, length, link = section[4], section[5], section[6]
        names = data[sections[link][4] : sections[link][4] + sections[link][5]]
        for name, _info, _other, home, _value, _size in SYMBOL.iter_unpack(
            data[offset : offset + length]
        ):
            if home != UNDEFINED:
                found.add(names[name : names.index(b"\0", name)].decode())
    return found
