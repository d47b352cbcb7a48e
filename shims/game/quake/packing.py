"""Archives and pictures."""
import struct

# Without the registered game's files an engine takes only the pak of the free episode, which it knows by these two numbers:
# of entries, and the check of their table.
ENTRIES, CHECK = 339, 32981


def crc_table():
    table = []
    for byte in range(256):
        value = byte << 8
        for _ in range(8):
            value = (value << 1 ^ (0x1021 if value & 0x8000 else 0)) & 0xFFFF
        table.append(value)
    return table


TABLE = crc_table()


def crc(data, value=0xFFFF):
    for byte in data:
        value = (value << 8 & 0xFFFF) ^ TABLE[value >> 8 ^ byte]
    return value


def pak(files):
    """An archive of these files, filled up with empty ones; the last name ends with two bytes that make the check right."""
    files = dict(sorted(files.items()))
    assert len(files) < ENTRIES
    files.update({f"filler/{n}": b"" for n in range(ENTRIES - len(files))})
    body, table = b"", b""
    for name, data in files.items():
        table += struct.pack("<56sii", name.encode(), 12 + len(body), len(data))
        body += data
    # Behind the name's end there is room that nobody reads.
    place = len(table) - 64 + 54
    before, after = crc(table[:place]), table[place + 2:]
    for number in range(65536):
        free = struct.pack("<H", number)
        if crc(after, crc(free, before)) == CHECK:
            table = table[:place] + free + after
            break
    return b"PACK" + struct.pack("<ii", 12 + len(body), len(table)) + body + table


def wad(lumps):
    body, table = b"", b""
    for name, data in lumps.items():
        table += struct.pack("<iiibbh16s", 12 + len(body), len(data), len(data), 0x42, 0, 0, name.encode())
        body += data
    return b"WAD2" + struct.pack("<ii", len(lumps), 12 + len(body)) + body + table


def picture(width, height, color):
    return struct.pack("<ii", width, height) + bytes([color]) * (width * height)
