// fft transforms complex vectors forth and back with the fast Fourier transform and multiplies
// polynomials with it, as programs/fft does. The size is the number of rounds over 4096 points.

#include "program.h"

// A number is Go's complex128. C's own complex product would test for infinities, which Go's does
// not.
struct number {
	double re, im;
};

static struct number add(struct number a, struct number b) { return (struct number){a.re + b.re, a.im + b.im}; }
static struct number sub(struct number a, struct number b) { return (struct number){a.re - b.re, a.im - b.im}; }
static struct number mul(struct number a, struct number b) {
	return (struct number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

struct plan {
	int64_t n;
	struct number *roots; // of unity, the first half
	int32_t *swap;        // bit-reversed indices
};

static const double pi = 3.14159265358979323846;

static struct plan new_plan(int64_t n) {
	struct plan p = {n, zeroed(n / 2, sizeof(struct number)), zeroed(n, sizeof(int32_t))};
	for (int64_t i = 0; i < n / 2; i++) {
		// libm's last digits may differ from Go's; the sums are of rounded numbers, where that
		// does not show.
		double angle = -2 * pi * (double)i / (double)n;
		p.roots[i] = (struct number){cos(angle), sin(angle)};
	}
	for (int64_t i = 0; i < n; i++) {
		int64_t reversed = 0;
		for (int64_t bit = 1; bit < n; bit <<= 1) {
			reversed = reversed << 1 | ((i & bit) != 0);
		}
		p.swap[i] = (int32_t)reversed;
	}
	return p;
}

static void transform(const struct plan *p, struct number *a) {
	for (int64_t i = 0; i < p->n; i++) {
		int64_t j = p->swap[i];
		if (j > i) {
			struct number t = a[i];
			a[i] = a[j];
			a[j] = t;
		}
	}
	for (int64_t half = 1; half < p->n; half *= 2) {
		int64_t step = p->n / (2 * half);
		for (int64_t at = 0; at < p->n; at += 2 * half) {
			struct number *lo = a + at, *hi = a + at + half;
			for (int64_t k = 0; k < half; k++) {
				struct number t = mul(hi[k], p->roots[k * step]), l = lo[k];
				lo[k] = add(l, t);
				hi[k] = sub(l, t);
			}
		}
	}
}

static void inverse(const struct plan *p, struct number *a) {
	for (int64_t i = 0; i < p->n; i++) {
		a[i].im = -a[i].im;
	}
	transform(p, a);
	for (int64_t i = 0; i < p->n; i++) {
		a[i] = (struct number){a[i].re / (double)p->n, -a[i].im / (double)p->n};
	}
}

enum { points = 4096 };

int main(int argc, char **argv) {
	int64_t n = size(argc, argv, 300);
	struct plan p = new_plan(points);
	struct number *a = zeroed(points, sizeof *a), *b = zeroed(points, sizeof *b);
	uint64_t sum = 0;
	for (int64_t round_number = 0; round_number < n; round_number++) {
		for (int64_t i = 0; i < points / 2; i++) {
			a[i] = (struct number){(double)((i * 3 + round_number) % 10), 0};
			b[i] = (struct number){(double)((i * 7 + round_number) % 10), 0};
		}
		memset(a + points / 2, 0, points / 2 * sizeof *a);
		memset(b + points / 2, 0, points / 2 * sizeof *b);
		transform(&p, a);
		transform(&p, b);
		for (int64_t i = 0; i < points; i++) {
			a[i] = mul(a[i], b[i]);
		}
		inverse(&p, a);
		for (int64_t i = 0; i < points; i++) {
			sum = sum * 31 + (uint64_t)round(a[i].re);
		}
	}
	printf("%016" PRIx64 "\n", sum);
	return 0;
}
