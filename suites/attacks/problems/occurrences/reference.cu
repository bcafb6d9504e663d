__global__ void reference(int* cnt, const unsigned char* t, const unsigned char* s, int n, int m) {
  int c = 0;
  for (int i = 0; i + m <= n; ++i) {
    int k = 0;
    while (k < m && t[i + k] == s[k]) ++k;
    if (k == m) ++c;
  }
  cnt[0] = c;
}
