// spectralnorm estimates the spectral norm of an infinite matrix by the power method on its leading
// part, as programs/spectralnorm does. The size is the number of rows.

#include "program.h"

static double element(int64_t i, int64_t j) { return 1 / (double)((i + j) * (i + j + 1) / 2 + i + 1); }

static void mul_av(int64_t n, const double *v, double *av) {
	for (int64_t i = 0; i < n; i++) {
		double sum = 0;
		for (int64_t j = 0; j < n; j++) {
			sum += element(i, j) * v[j];
		}
		av[i] = sum;
	}
}

static void mul_atv(int64_t n, const double *v, double *atv) {
	for (int64_t i = 0; i < n; i++) {
		double sum = 0;
		for (int64_t j = 0; j < n; j++) {
			sum += element(j, i) * v[j];
		}
		atv[i] = sum;
	}
}

int main(int argc, char **argv) {
	int64_t n = size(argc, argv, 500);
	double *u = zeroed(n, sizeof *u), *v = zeroed(n, sizeof *v), *t = zeroed(n, sizeof *t);
	for (int64_t i = 0; i < n; i++) {
		u[i] = 1;
	}
	for (int round = 0; round < 10; round++) {
		mul_av(n, u, t);
		mul_atv(n, t, v);
		mul_av(n, v, t);
		mul_atv(n, t, u);
	}
	double vbv = 0, vv = 0;
	for (int64_t i = 0; i < n; i++) {
		vbv += u[i] * v[i];
		vv += v[i] * v[i];
	}
	print_fixed(9, sqrt(vbv / vv));
	return 0;
}
