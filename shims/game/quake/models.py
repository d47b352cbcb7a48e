"""Models and sounds, as little as is one."""
import io
import struct
import wave


def model(frames, skins):
    """A triangle that nods, frame by frame, in skins of one colour each."""
    scale, origin, eyes = (1.0, 1.0, 1.0), (-8.0, -8.0, -8.0), (0.0, 0.0, 0.0)
    head = struct.pack("<4si3f3ff3f", b"IDPO", 6, *scale, *origin, 16.0, *eyes)
    head += struct.pack("<8if", skins, 8, 8, 3, 1, frames, 0, 0, 8.0)
    body = b"".join(struct.pack("<i", 0) + bytes([16 * (skin + 1) & 255]) * 64 for skin in range(skins))
    body += b"".join(struct.pack("<3i", 0, *corner) for corner in [(0, 0), (7, 0), (0, 7)])
    body += struct.pack("<4i", 1, 0, 1, 2)
    vertex = lambda x, y, z: bytes([x, y, z, 0])  # noqa: E731
    for frame in range(frames):
        body += struct.pack("<i", 0) + vertex(0, 0, 0) + vertex(16, 16, 16) + f"nod{frame}".encode().ljust(16, b"\0")
        body += vertex(0, 0, 0) + vertex(16, 0, frame % 16) + vertex(0, 16, 0)
    return head + body


def beep(hertz):
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(11025)
        file.writeframes(bytes(160 if n * hertz * 2 // 11025 % 2 else 96 for n in range(1102)))
    return out.getvalue()
