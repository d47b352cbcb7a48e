"""Maps of version 29: a room, and a lift in it."""
import struct

SOLID, EMPTY = -2, -1
SOLID_LEAF, EMPTY_LEAF = 0, 1
# By how much the hulls of standing and of large bodies stay away from walls: least and most corner.
HULLS = [((-16, -16, -24), (16, 16, 32)), ((-32, -32, -24), (32, 32, 64))]
LIFT = ((-32, -32, 0), (32, 32, 8))

ENTITIES = """{{
"classname" "worldspawn"
"message" "{name}"
}}
{{
"classname" "info_player_start"
"origin" "0 -300 40"
"angle" "90"
}}
{{
"classname" "func_lift"
"model" "*1"
"origin" "300 0 8"
"alpha" "0.5"
}}
{{
"classname" "static_torch"
"origin" "100 20 60"
"angle" "90"
"frame" "2"
}}
{{
"classname" "static_torch"
"origin" "-100 20 60"
"frame" "290"
"alpha" "0.25"
}}
"""


class Map:
    def __init__(self):
        self.planes, self.nodes, self.clips = [], [], []
        self.vertices, self.edges, self.surfedges, self.faces = [(0, 0, 0)], [(0, 0)], [], []

    def plane(self, axis, distance):
        plane = (axis, distance)
        if plane not in self.planes:
            self.planes.append(plane)
        return self.planes.index(plane)

    def sides(self, least, most):
        """The six sides of a box: its plane, and whether the box is in front of it."""
        return [(self.plane(axis, limit[axis]), limit is least) for axis in range(3) for limit in (least, most)]

    def box(self, least, most, inside, outside, nodes):
        """Appends a tree that tells the inside of a box from its outside; its head. Engines want children behind their parents."""
        head = len(nodes)
        sides = self.sides(least, most)
        for n, (plane, front) in enumerate(sides):
            within = head + n + 1 if n + 1 < len(sides) else inside
            nodes.append((plane, within, outside) if front else (plane, outside, within))
        return head

    def solid(self, least, most, hollow):
        """The four trees of a room that is hollow, or of a block that is not: leaves, two sizes of bodies, and none."""
        leaves = (EMPTY_LEAF, SOLID_LEAF) if hollow else (SOLID_LEAF, EMPTY_LEAF)
        contents = (EMPTY, SOLID) if hollow else (SOLID, EMPTY)
        heads = [self.box(least, most, *(-1 - leaf for leaf in leaves), self.nodes)]
        for small, large in HULLS:
            # A body's middle stays its own size away from a wall, which is the same for the inside of a wall and the outside.
            near, far = (small, large) if hollow else (large, small)
            low = tuple(least[axis] - near[axis] for axis in range(3))
            high = tuple(most[axis] - far[axis] for axis in range(3))
            heads.append(self.box(low, high, *contents, self.clips))
        return heads + [0]

    def walls(self, least, most, inwards):
        for axis in range(3):
            across, along = [other for other in range(3) if other != axis]
            for limit in (least, most):
                corners = []
                for first, second in [(least, least), (most, least), (most, most), (least, most)]:
                    corner = [0, 0, 0]
                    corner[axis], corner[across], corner[along] = limit[axis], first[across], second[along]
                    corners.append(tuple(corner))
                faces_up = (limit is least) == inwards
                # Seen from where it shows, a face goes round as a clock does; the order of the axes changes that for the middle one.
                if faces_up == (axis != 1):
                    corners.reverse()
                self.face(self.plane(axis, limit[axis]), 0 if faces_up else 1, corners, axis)

    def face(self, plane, side, corners, axis):
        first = len(self.surfedges)
        base = len(self.vertices)
        self.vertices += corners
        for n in range(4):
            self.edges.append((base + n, base + (n + 1) % 4))
            self.surfedges.append(len(self.edges) - 1)
        self.faces.append(struct.pack("<hhihh4Bi", plane, side, first, 4, axis, 0, 255, 255, 255, -1))


def textures():
    size = 16
    offsets, at = [], 40
    for level in range(4):
        offsets.append(at)
        at += (size >> level) ** 2
    mip = b"wall".ljust(16, b"\0") + struct.pack("<6I", size, size, *offsets) + bytes([8]) * (at - 40)
    return struct.pack("<ii", 1, 8) + mip


def texinfo(axis):
    """Eight units of the map are one of the texture: engines limit how large a face is in these."""
    across, along = [other for other in range(3) if other != axis]
    s, t = [0.0] * 4, [0.0] * 4
    s[across], t[along] = 0.125, 0.125
    return struct.pack("<8fii", *s, *t, 0, 0)


def short_box(least, most):
    return struct.pack("<6h", *(round(v) for v in least), *(round(v) for v in most))


def room(name, depth):
    least, most = (-512, -depth, 0), (512, depth, 256)
    made = Map()
    heads = made.solid(least, most, hollow=True)
    made.walls(least, most, inwards=True)
    world_faces = len(made.faces)
    lift_heads = made.solid(*LIFT, hollow=False)
    made.walls(*LIFT, inwards=False)
    planes = b"".join(struct.pack("<4fi", *(1.0 if n == axis else 0.0 for n in range(3)), d, axis) for axis, d in made.planes)
    nodes = b"".join(struct.pack("<i2h", *node) + short_box(least, most) + struct.pack("<2H", 0, world_faces) for node in made.nodes)
    leaf = lambda contents, marks: struct.pack("<ii", contents, -1) + short_box(least, most) + struct.pack("<2H4B", 0, marks, 0, 0, 0, 0)  # noqa: E731
    leaves = leaf(SOLID, 0) + leaf(EMPTY, world_faces)
    model = lambda box, heads, visible, first, faces: (  # noqa: E731
        struct.pack("<9f", *box[0], *box[1], 0, 0, 0) + struct.pack("<7i", *heads, visible, first, faces))
    inner = model((least, most), heads, 1, 0, world_faces)
    lift = model(LIFT, lift_heads, 0, world_faces, len(made.faces) - world_faces)
    lumps = [
        ENTITIES.format(name=name).encode() + b"\0",
        planes,
        textures(),
        b"".join(struct.pack("<3f", *vertex) for vertex in made.vertices),
        b"",  # everything sees everything
        nodes,
        b"".join(texinfo(axis) for axis in range(3)),
        b"".join(made.faces),
        b"",  # no light
        b"".join(struct.pack("<i2h", *clip) for clip in made.clips),
        leaves,
        b"".join(struct.pack("<H", n) for n in range(world_faces)),
        b"".join(struct.pack("<2H", *edge) for edge in made.edges),
        b"".join(struct.pack("<i", n) for n in made.surfedges),
        inner + lift,
    ]
    head, body, at = struct.pack("<i", 29), b"", 4 + 8 * len(lumps)
    for lump in lumps:
        head += struct.pack("<ii", at + len(body), len(lump))
        body += lump + bytes(-len(lump) % 4)
    return head + body
