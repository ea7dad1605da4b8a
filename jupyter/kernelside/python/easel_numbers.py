"""Reads the numbers of matplotlib's artists, and encodes them for Easel.

Artists may contain arrays of classes that the user defined. Only numpy's own methods read them,
and only arrays of plain numbers are read: no code of the user's is called.
"""

import base64
import sys
import zlib

SAMPLE = 10000  # points of a series that is too large
PIECE = 4096  # bytes of a plane by which its compressibility is judged


class Column:
    """The numbers of an array in one dimension, some of which may be masked."""

    def __init__(self, name, data, mask=None, dim=""):
        self.name, self.data, self.mask, self.dim = name, data, mask, dim
        self.found = ()  # what ends returned

    def take(self, at):
        """Returns numbers as float64, those that are masked as NaN."""
        numpy = sys.modules["numpy"]
        found = self.data[at].astype(numpy.float64)  # a copy
        if self.mask is not None:
            found[self.mask[at]] = numpy.nan
        return found

    def ends(self):
        """Returns the least and the largest finite number and their places; None if there are none."""
        if self.found == ():
            self.found = self.searched()
        return self.found

    def searched(self):
        low, high = int(self.data.argmin()), int(self.data.argmax())
        found = float(self.data[low]), float(self.data[high])
        if self.mask is None and all(map(finite, found)):
            return found[0], found[1], low, high
        places = self.finite().nonzero()[0]
        if not len(places):
            return None
        some = self.data[places]
        low, high = int(places[some.argmin()]), int(places[some.argmax()])
        return float(self.data[low]), float(self.data[high]), low, high

    def finite(self):
        found = sys.modules["numpy"].isfinite(self.data)
        return found if self.mask is None else found & ~self.mask


def attributes(value):
    """Returns the attributes of an object. No class can change what this does."""
    return object.__getattribute__(value, "__dict__")


def finite(value):
    return value - value == 0


def parts(value):
    """Returns the numbers of an array and its mask, both plain; None if it has no plain numbers."""
    numpy, kind = sys.modules["numpy"], type(value)
    if not issubclass(kind, numpy.ndarray):
        if kind in (int, float, bool) or kind.__module__ == "numpy" and issubclass(kind, (numpy.number, numpy.bool_)):
            return numpy.array([value], dtype=float), None
        if kind in (list, tuple) and all(type(v) in (int, float) or type(v).__module__ == "numpy" for v in value):
            value = numpy.array(value)
            kind = type(value)
        else:
            return None
    mask = None
    if issubclass(kind, numpy.ma.MaskedArray):
        mask = attributes(value).get("_mask")
    data = numpy.ndarray.view(value, numpy.ndarray)
    if data.dtype.kind not in "fiub":
        return None
    if mask is not None:
        mask = (
            numpy.ndarray.view(mask, numpy.ndarray)
            if issubclass(type(mask), numpy.ndarray) and type(mask) is not numpy.bool_
            else None
        )
        if mask is not None and (mask.dtype.kind != "b" or mask.shape != data.shape or not mask.any()):
            mask = None
    return data, mask


def column(name, value, dim=""):
    """Returns the column of an array of any shape, row by row; None if it has no plain numbers."""
    found = parts(value)
    if found is None:
        return None
    data, mask = found
    return Column(name, data.reshape(-1), None if mask is None else mask.reshape(-1), dim)


def pairs(value):
    """Returns the data and mask of an array of points in a plane; None if it is none."""
    found = parts(value)
    return found if found is not None and found[0].ndim == 2 and found[0].shape[1] == 2 else None


def encoded(numbers):
    """Returns float64 numbers in base64: their bytes by place, compressed."""
    numpy = sys.modules["numpy"]
    planes = numpy.ascontiguousarray(numpy.asarray(numbers, "<f8").reshape(-1)).view(numpy.uint8).reshape(-1, 8).T.tobytes()
    n = len(planes) // 8
    if n <= PIECE * 2:
        packed = zlib.compress(planes, 3)
    else:
        packed = (
            b"\x78\x01"
            + b"".join(deflated(planes[i * n : (i + 1) * n], i == 7) for i in range(8))
            + zlib.adler32(planes).to_bytes(4, "big")
        )
    return base64.b64encode(packed).decode("ascii")


def deflated(plane, last):
    """Returns a plane in the form of zlib's blocks. One that hardly becomes smaller is stored as it is, which takes no time."""
    middle = len(plane) // 2
    worth = len(zlib.compress(plane[middle : middle + PIECE], 1)) < PIECE * 0.9
    packer = zlib.compressobj(1 if worth else 0, zlib.DEFLATED, -15)
    return packer.compress(plane) + packer.flush(zlib.Z_FINISH if last else zlib.Z_FULL_FLUSH)
