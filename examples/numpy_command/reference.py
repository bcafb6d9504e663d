"""The oracle: python3 reference.py INPUTS OUTPUTS. With NumPy it is one line; without, the files are read by hand."""
import sys

inputs, outputs = sys.argv[1:]
try:
    import numpy

    numpy.save(f"{outputs}/y.npy", numpy.load(f"{inputs}/x.npy").astype(numpy.float64).mean(axis=1))
except ImportError:
    import array
    import json
    import math
    import struct

    with open(f"{inputs}/x.npy", "rb") as file:
        data = file.read()
    values = array.array("f", data[10 + struct.unpack("<H", data[8:10])[0]:])
    axes = json.load(open(f"{inputs}/case.json"))["axes"]
    rows, columns = axes["rows"], axes["columns"]
    means = [math.fsum(values[r * columns:(r + 1) * columns]) / columns for r in range(rows)]
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % rows
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(f"{outputs}/y.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%dd" % rows, *means))
