// Dense algebra of small matrices, row by row in plain memory.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace scorevi::targets {

// n x n.
class SquareMatrix {
 public:
  explicit SquareMatrix(size_t n) : n_(n), entries_(n * n) {}
  SquareMatrix(size_t n, std::vector<double> entries) : n_(n), entries_(std::move(entries)) {}

  size_t size() const { return n_; }
  double& operator()(size_t i, size_t j) { return entries_[i * n_ + j]; }
  double operator()(size_t i, size_t j) const { return entries_[i * n_ + j]; }

 private:
  size_t n_;
  std::vector<double> entries_;
};

// Replaces the lower triangle of a symmetric matrix by its Cholesky factor L; the upper one becomes 0. False where
// the matrix is not positive definite.
inline bool cholesky(SquareMatrix& a) {
  const size_t n = a.size();
  for (size_t j = 0; j < n; ++j) {
    double pivot = a(j, j);
    for (size_t k = 0; k < j; ++k) pivot -= a(j, k) * a(j, k);
    if (!(pivot > 0) || std::isinf(pivot)) return false;
    a(j, j) = std::sqrt(pivot);
    for (size_t i = j + 1; i < n; ++i) {
      double sum = a(i, j);
      for (size_t k = 0; k < j; ++k) sum -= a(i, k) * a(j, k);
      a(i, j) = sum / a(j, j);
      a(j, i) = 0;
    }
  }
  return true;
}

// x becomes L^-1 x. `stride` is the distance of its elements.
inline void solve_lower(const SquareMatrix& l, double* x, size_t stride = 1) {
  for (size_t i = 0; i < l.size(); ++i) {
    double sum = x[i * stride];
    for (size_t k = 0; k < i; ++k) sum -= l(i, k) * x[k * stride];
    x[i * stride] = sum / l(i, i);
  }
}

// x becomes L^-T x.
inline void solve_lower_transposed(const SquareMatrix& l, double* x) {
  for (size_t i = l.size(); i-- > 0;) {
    double sum = x[i];
    for (size_t k = i + 1; k < l.size(); ++k) sum -= l(k, i) * x[k];
    x[i] = sum / l(i, i);
  }
}

}  // namespace scorevi::targets
