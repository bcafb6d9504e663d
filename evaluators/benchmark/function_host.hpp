// The program that makes comparators of the functions in a Python file: python3 -c HOST FILE.py
#pragma once

namespace evo::evaluators::benchmark {

/// Speaks the protocol of comparator_process.hpp. Each function of the file, but those with an underscore in
/// front, is a backend: it gets the arguments that its parameters name, arrays as PyTorch's tensors on the
/// GPU (shape and strides as the kernel has them), scalars as numbers, and returns the output: a tensor of
/// its shape, or several in their order or by name. Launches are timed in a CUDA graph.
inline constexpr const char* function_host = R"python(
import importlib.util, inspect, json, os, struct, sys

path = sys.argv[1]
frames_out = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # what a library prints must not get between the frames
frames_in = sys.stdin.buffer
types = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "u8": "uint8",
         "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64",
         "bool": "bool", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}


class Refused(Exception):
    pass


class Functions:
    def hello(self, request):
        try:
            import torch
        except Exception as error:
            raise Refused(f"PyTorch cannot be imported: {error}") from error
        if not torch.cuda.is_available():
            raise Refused(f"PyTorch {torch.__version__} sees no GPU")
        self.torch, self.device = torch, torch.device("cuda", request["device"])
        torch.cuda.set_device(self.device)
        self.stream = torch.cuda.Stream()
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        own = {name: f for name, f in vars(module).items() if callable(f) and not name.startswith("_")}
        self.functions = {name: f for name, f in own.items() if getattr(f, "__module__", "") == module.__name__}
        if not self.functions:
            raise Refused(f"{path} has no function: def matmul(A, B): return A @ B")
        self.release({})
        properties = torch.cuda.get_device_properties(self.device)
        cudnn = torch.backends.cudnn.version() if torch.backends.cudnn.is_available() else None
        return {"name": f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}" + (f", cuDNN {cudnn}" if cudnn else ""),
                "device": properties.name, "uuid": str(getattr(properties, "uuid", "")),
                "backends": list(self.functions)}

    def type_of(self, argument):
        name = types.get(argument["dtype"])
        if name is None or not hasattr(self.torch, name):
            raise Refused(f"this PyTorch has no type for {argument['name']}: {argument['dtype']}")
        return getattr(self.torch, name)

    def load(self, request):
        torch, given = self.torch, {}
        self.outputs = [a for a in request["arguments"] if a.get("role") == "output"]
        for argument in request["arguments"]:
            name = argument["name"]
            if "value" in argument:
                given[name] = argument["value"]
            elif argument["role"] == "inout":
                raise Refused(f"{name} is inout: functions cannot restore it before each launch")
            elif argument["role"] == "input":
                dtype = self.type_of(argument)
                with open(request["files"][name], "rb") as file:
                    flat = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8).to(self.device).view(dtype)
                given[name] = torch.as_strided(flat, argument["shape"], argument["strides"])
        self.sets = [given]

    def call(self, backend, given):
        function = self.functions[backend]
        wanted = {}
        for name, parameter in inspect.signature(function).parameters.items():
            if name in given:
                wanted[name] = given[name]
            elif parameter.default is inspect.Parameter.empty:
                raise Refused(f"{backend} takes {name}, which is no argument that it could get; those are " + ", ".join(given))
        return function(**wanted)

    def named(self, backend, results):
        torch = self.torch
        if torch.is_tensor(results):
            results = [results]
        if isinstance(results, dict):
            results = [results.get(output["name"]) for output in self.outputs]
        if not isinstance(results, (list, tuple)) or len(results) != len(self.outputs) or not all(map(torch.is_tensor, results)):
            raise Refused(f"{backend} is to return a tensor for each output: " + ", ".join(o["name"] for o in self.outputs))
        for output, result in zip(self.outputs, results):
            if list(result.shape) != output["shape"]:
                raise Refused(f"{backend} returns {output['name']} as {list(result.shape)}, it is {output['shape']}")
        return results

    def prepare(self, request):
        if request["case"] != self.case:
            self.release({})
            self.load(request)
            self.case = request["case"]
        results = self.named(request["backend"], self.call(request["backend"], self.sets[0]))
        self.torch.cuda.synchronize()
        for output, result in zip(self.outputs, results):
            contents = result.to(self.type_of(output)).contiguous().flatten().view(self.torch.uint8)
            with open(request["files"][output["name"]], "wb") as file:
                file.write(contents.cpu().numpy().tobytes())
        return {}

    def graph_of(self, backend, sets, launches):
        torch = self.torch
        while len(self.sets) < sets:
            self.sets.append({n: v.clone() if torch.is_tensor(v) else v for n, v in self.sets[0].items()})
        made = self.graphs.get(backend)
        if made is None or made[0] != (sets, launches):
            self.graphs.pop(backend, None)
            torch.cuda.synchronize()
            with torch.cuda.stream(self.stream):
                for _ in range(3):  # what is made at the first calls, handles and plans, is no part of a graph
                    self.call(backend, self.sets[0])
            self.stream.synchronize()
            graph, kept = torch.cuda.CUDAGraph(), [None] * sets
            with torch.cuda.graph(graph, stream=self.stream):
                for i in range(launches):
                    kept[i % sets] = self.call(backend, self.sets[i % sets])
            made = self.graphs[backend] = ((sets, launches), graph, kept)
        return made[1]

    def time(self, request):
        torch, launches, emptying = self.torch, request["launches"], request.get("emptying_bytes", 0)
        graph = self.graph_of(request["backend"], request["sets"], launches)
        if emptying and (self.nobodys is None or self.nobodys.numel() * 4 < emptying):
            self.nobodys = torch.zeros((emptying + 3) // 4, dtype=torch.int32, device=self.device)
            torch.cuda.synchronize()
        with torch.cuda.stream(self.stream):
            for _ in range(request["warmup"]):
                graph.replay()
            events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(request["samples"])]
            for begin, end in events:
                if emptying:
                    self.nobodys.sum()
                begin.record()
                graph.replay()
                end.record()
        self.stream.synchronize()
        return {"samples_us": [begin.elapsed_time(end) * 1000 / launches for begin, end in events], "emptied": bool(emptying)}

    def release(self, request):
        self.graphs, self.sets, self.case, self.nobodys = {}, [], None, None
        self.torch.cuda.empty_cache()
        return {}


functions = Functions()
while len(head := frames_in.read(8)) == 8:
    request = json.loads(frames_in.read(struct.unpack("<Q", head)[0]))
    try:
        answer = {"ok": True, **getattr(functions, request["op"])(request)}
    except Exception as error:
        line = " ".join(str(error).split())
        answer = {"ok": False, "reason": line[:300] or type(error).__name__}
    text = json.dumps(answer).encode()
    frames_out.write(struct.pack("<Q", len(text)) + text)
    frames_out.flush()
)python";

}  // namespace evo::evaluators::benchmark
