namespace matrix {

template <typename Word>
class View {
 public:
  __device__ View(Word* data, int pitch) : data_(data), pitch_(pitch) {}
  __device__ Word& at(int row, int column) const { return data_[row * pitch_ + column]; }

 private:
  Word* data_;
  int pitch_;
};

__global__ void transpose(const int* source, int* target, int rows, int columns) {
  const View<const int> from(source, columns);
  const View<int> to(target, columns);
  const int r = blockIdx.y * TILE + threadIdx.y;
  const int c = blockIdx.x * TILE + threadIdx.x;
  if (r < rows && c < columns) to.at(c, r) = from.at(r, c);
}

}  // namespace matrix
