"""Runs PyTorch's scaled_dot_product_attention for `evo bench`, one forced backend at a time.

evo starts it as `python3 comparator.py` and speaks JSON in frames (8 bytes of length, little-endian, then the
text) on stdin and stdout. It works only when asked, and waits for the GPU before it answers, so that never two
processes run kernels at a time. Requests, by "op":

  hello    {device}                     -> {name, device, driver, uuid, backends: [..], skip_in_sweep: [..]}
                                           backends of skip_in_sweep take no part in sweeps
  prepare  {case, backend, arguments, files} -> {}  the arguments of the problem; reads the inputs' bytes from
                                           `files`, runs once and writes the output's bytes to its file; another
                                           case than the last one gives that one's memory back
  time     {backend, sets, launches, warmup, samples, emptying_bytes} -> {samples_us: [..], emptied}
                                           microseconds a launch; a sample is one replay of a CUDA graph of
                                           `launches` calls that rotate over `sets` sets of buffers. Where
                                           `emptying_bytes` is not 0, so many bytes of a buffer that nothing else
                                           uses are read before each sample, outside its time, which leaves
                                           nothing of the sets in the L2; `emptied` says that this was done
  release  {}                           -> {}  gives all prepared memory back

Every answer is {"ok": true, ...} or {"ok": false, "reason": "one line"}.
"""

import json
import os
import struct
import sys

frames_out = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # what a library prints must not get between the frames
frames_in = sys.stdin.buffer


def receive():
    head = frames_in.read(8)
    if len(head) < 8:
        return None
    return json.loads(frames_in.read(struct.unpack("<Q", head)[0]))


def send(answer):
    text = json.dumps(answer).encode()
    frames_out.write(struct.pack("<Q", len(text)) + text)
    frames_out.flush()


class Refused(Exception):
    """Something that this PyTorch or this backend cannot do."""


class Comparator:
    backends = {
        "flash": "FLASH_ATTENTION",
        "cudnn": "CUDNN_ATTENTION",
        "efficient": "EFFICIENT_ATTENTION",
        "math": "MATH",
    }

    def hello(self, request):
        try:
            import torch
            from torch.nn.attention import SDPBackend, sdpa_kernel
        except Exception as error:  # a broken installation fails in many ways
            raise Refused(f"PyTorch cannot be imported: {error}") from error
        if not torch.cuda.is_available():
            raise Refused(f"PyTorch {torch.__version__} sees no GPU")
        self.torch, self.sdpa_kernel, self.kinds = torch, sdpa_kernel, SDPBackend
        self.device = torch.device("cuda", request["device"])
        torch.cuda.set_device(self.device)
        self.stream = torch.cuda.Stream()
        self.release({})
        properties = torch.cuda.get_device_properties(self.device)
        cudnn = torch.backends.cudnn.version() if torch.backends.cudnn.is_available() else None
        return {
            "name": f"PyTorch {torch.__version__}" + (f", cuDNN {cudnn}" if cudnn else ""),
            "device": properties.name,
            "uuid": str(getattr(properties, "uuid", "")),
            "backends": list(self.backends),
            "skip_in_sweep": ["math"],  # it holds all of S, many times over
        }

    def prepare(self, request):
        if request["case"] != self.case:
            self.release({})
            self.load(request)
            self.case = request["case"]
        kind = getattr(self.kinds, self.backends[request["backend"]])
        out = self.attend(kind, *self.sets[0])
        self.torch.cuda.synchronize()
        with open(request["files"]["O"], "wb") as file:
            file.write(out.contiguous().cpu().view(self.torch.uint8).flatten().numpy().tobytes())
        return {}

    def load(self, request):
        torch = self.torch
        named = {argument["name"]: argument for argument in request["arguments"]}
        try:
            self.causal = bool(named["causal"]["value"]) if "causal" in named else False
            self.scale = float(named["scale"]["value"])
            dtype = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}[named["Q"]["dtype"]]
            inputs = []
            for name in "QKV":
                with open(request["files"][name], "rb") as file:
                    flat = torch.frombuffer(bytearray(file.read()), dtype=dtype)
                inputs.append(torch.as_strided(flat.to(self.device), named[name]["shape"], named[name]["strides"]))
        except KeyError as error:
            raise Refused(f"no Q, K, V and scale of a type that PyTorch takes: {error}") from error
        self.sets = [inputs]

    def attend(self, kind, q, k, v):
        with self.sdpa_kernel([kind]):
            return self.torch.nn.functional.scaled_dot_product_attention(
                q, k, v, is_causal=self.causal, scale=self.scale
            )

    def graph_of(self, backend, sets, launches):
        """One CUDA graph of `launches` calls; the outputs are kept apart, so that they rotate too."""
        torch = self.torch
        kind = getattr(self.kinds, self.backends[backend])
        while len(self.sets) < sets:
            self.sets.append([x.clone() for x in self.sets[0]])
        made = self.graphs.get(backend)
        if made is None or made[0] != (sets, launches):
            self.graphs.pop(backend, None)
            torch.cuda.synchronize()
            with torch.cuda.stream(self.stream):
                self.attend(kind, *self.sets[0])
            self.stream.synchronize()
            graph = torch.cuda.CUDAGraph()
            outputs = [None] * sets
            with torch.cuda.graph(graph, stream=self.stream):
                for i in range(launches):
                    outputs[i % sets] = self.attend(kind, *self.sets[i % sets])
            made = self.graphs[backend] = ((sets, launches), graph, outputs)
        return made[1]

    def bytes_of_nobody(self, count):
        """To be read, so that the L2 holds nothing else; None for none."""
        if count == 0:
            return None
        if self.nobodys is None or self.nobodys.numel() * 4 < count:
            self.nobodys = self.torch.zeros((count + 3) // 4, dtype=self.torch.int32, device=self.device)
            self.torch.cuda.synchronize()
        return self.nobodys

    def time(self, request):
        torch = self.torch
        launches = request["launches"]
        graph = self.graph_of(request["backend"], request["sets"], launches)
        others = self.bytes_of_nobody(request.get("emptying_bytes", 0))
        with torch.cuda.stream(self.stream):
            for _ in range(request["warmup"]):
                graph.replay()
            events = [
                (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
                for _ in range(request["samples"])
            ]
            for begin, end in events:
                if others is not None:
                    others.sum()
                begin.record()
                graph.replay()
                end.record()
        self.stream.synchronize()
        samples = [begin.elapsed_time(end) * 1000 / launches for begin, end in events]
        return {"samples_us": samples, "emptied": others is not None}

    def release(self, request):
        self.graphs, self.sets, self.case, self.nobodys = {}, [], None, None
        self.torch.cuda.empty_cache()
        return {}


def main():
    comparator = Comparator()
    while (request := receive()) is not None:
        try:
            if request["op"] not in ("hello", "prepare", "time", "release"):
                raise Refused(f"unknown request {request['op']}")
            answer = getattr(comparator, request["op"])(request)
            send({"ok": True, **answer})
        except Exception as error:
            line = " ".join(str(error).split())
            send({"ok": False, "reason": line[:300] or type(error).__name__})


main()
