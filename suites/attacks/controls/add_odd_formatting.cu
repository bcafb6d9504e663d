// control: right, in digraphs, splices and assembly with blanks where few write them
%:define WIDE 2
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) <%
  const int i = block\
Idx.x * THREADS + threadIdx.x; const int wide = 1'0 / 5 - WIDE;
  float sum = 0; const char quote = '"'; // "
  if (i < n) {
    asm volatile ("{ .reg .f32 left , right ;\n mov.f32 left , %1 ; mov .f32 right,%2; /* both */ add\n.f32 %0 ,left , right ; }"
                  : "=f"(sum) : "f"(a<:i:>), "f"(b[i]));
    asm volatile(".pragma \"nounroll\";" ::: "memory");
    c[i * c_stride] = sum + (float)wide + (quote == '"' ? 0.0f : 1.0f);
  }
%>
