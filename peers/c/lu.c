// lu solves systems of linear equations by LU decomposition with partial pivoting on a matrix in one
// array, and substitution, as programs/lu does. The size is the number of unknowns.

#include "program.h"

struct matrix {
	int64_t n;
	double *data;
};

static double at(const struct matrix *m, int64_t i, int64_t j) { return m->data[i * m->n + j]; }
static double *row(const struct matrix *m, int64_t i) { return m->data + i * m->n; }

// decompose replaces m by its factors and returns the order of the rows.
static int64_t *decompose(struct matrix *m) {
	int64_t *order = zeroed(m->n, sizeof *order);
	for (int64_t i = 0; i < m->n; i++) {
		order[i] = i;
	}
	for (int64_t k = 0; k < m->n; k++) {
		int64_t p = k;
		double most = 0;
		for (int64_t i = k; i < m->n; i++) {
			double a = fabs(at(m, i, k));
			if (a > most) {
				p = i;
				most = a;
			}
		}
		if (most == 0) {
			fail("lu: the matrix is singular");
		}
		if (p != k) {
			double *a = row(m, p), *b = row(m, k);
			for (int64_t j = 0; j < m->n; j++) {
				double t = a[j];
				a[j] = b[j];
				b[j] = t;
			}
			int64_t t = order[p];
			order[p] = order[k];
			order[k] = t;
		}
		const double *pivot = row(m, k);
		for (int64_t i = k + 1; i < m->n; i++) {
			double *r = row(m, i);
			double f = r[k] / pivot[k];
			r[k] = f;
			for (int64_t j = k + 1; j < m->n; j++) {
				r[j] -= f * pivot[j];
			}
		}
	}
	return order;
}

// solve solves for one right-hand side. The caller frees the result.
static double *solve(const struct matrix *m, const int64_t *order, const double *b) {
	double *x = zeroed(m->n, sizeof *x);
	for (int64_t i = 0; i < m->n; i++) {
		double sum = b[order[i]];
		for (int64_t j = 0; j < i; j++) {
			sum -= at(m, i, j) * x[j];
		}
		x[i] = sum;
	}
	for (int64_t i = m->n - 1; i >= 0; i--) {
		double sum = x[i];
		for (int64_t j = i + 1; j < m->n; j++) {
			sum -= at(m, i, j) * x[j];
		}
		x[i] = sum / at(m, i, i);
	}
	return x;
}

int main(int argc, char **argv) {
	int64_t n = size(argc, argv, 400);
	if (n < 1) {
		fail("lu: there are no unknowns: choose a size of 1 or more");
	}
	struct matrix m = {n, zeroed(n * n, sizeof(double))}, a = {n, zeroed(n * n, sizeof(double))};
	uint32_t x = 2463534242;
	for (int64_t i = 0; i < n * n; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		m.data[i] = (double)(int32_t)x / 2147483648.0; // 1 << 31
	}
	memcpy(a.data, m.data, (size_t)(n * n) * sizeof(double));
	int64_t *order = decompose(&m);
	double worst = 0, sum = 0;
	for (int64_t k = 0; k < 8; k++) {
		double *b = zeroed(n, sizeof *b);
		for (int64_t i = 0; i < n; i++) {
			b[i] = (double)((i * 7 + k * 13) % 29) - 14;
		}
		double *solution = solve(&m, order, b);
		for (int64_t i = 0; i < n; i++) {
			double r = -b[i];
			const double *c = row(&a, i);
			for (int64_t j = 0; j < n; j++) {
				r += c[j] * solution[j];
			}
			// Go's max returns NaN if an operand is NaN.
			if (fabs(r) > worst || isnan(r)) {
				worst = fabs(r);
			}
		}
		sum += solution[k % n];
		free(solution);
		free(b);
	}
	if (worst > 1e-6) {
		fprintf(stderr, "lu: residual %g\n", worst);
		return 2;
	}
	print_fixed(9, sum);
	return 0;
}
