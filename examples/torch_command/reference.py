"""The oracle: python3 reference.py INPUTS OUTPUTS, with PyTorch in float64."""
import json
import sys

try:
    import numpy
    import torch
except ImportError as missing:
    sys.exit(f"this oracle needs PyTorch (pip install torch numpy): {missing}")

inputs, outputs = sys.argv[1:]
scalars = json.load(open(f"{inputs}/case.json"))["scalars"]
x, weight = (torch.from_numpy(numpy.load(f"{inputs}/{name}.npy")).double() for name in ("x", "weight"))
y = torch.nn.functional.rms_norm(x, weight.shape, weight, eps=scalars["epsilon"])
numpy.save(f"{outputs}/y.npy", y.numpy())
