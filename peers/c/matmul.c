// matmul multiplies two matrices and prints a checksum, as programs/matmul does. The size is the
// number of rows.

#include "program.h"

// A matrix is an array of rows, as Go's slice of slices.

static double **matrix(int64_t n, double seed) {
	double **m = zeroed(n, sizeof *m);
	for (int64_t i = 0; i < n; i++) {
		m[i] = zeroed(n, sizeof *m[i]);
		for (int64_t j = 0; j < n; j++) {
			m[i][j] = seed * (double)((i - j) * (i + j) % 17);
		}
	}
	return m;
}

static double **multiply(int64_t n, double **a, double **b) {
	double **c = zeroed(n, sizeof *c);
	for (int64_t i = 0; i < n; i++) {
		c[i] = zeroed(n, sizeof *c[i]);
		for (int64_t j = 0; j < n; j++) {
			double sum = 0;
			for (int64_t k = 0; k < n; k++) {
				sum += a[i][k] * b[k][j];
			}
			c[i][j] = sum;
		}
	}
	return c;
}

int main(int argc, char **argv) {
	int64_t n = size(argc, argv, 300);
	double **c = multiply(n, matrix(n, 1), matrix(n, 0.5));
	double sum = 0;
	for (int64_t i = 0; i < n; i++) {
		for (int64_t j = 0; j < n; j++) {
			sum += c[i][j] * (double)(i ^ j);
		}
	}
	print_fixed(3, sum);
	return 0;
}
