// mandelbrot computes the Mandelbrot set as a bitmap and prints a checksum of its bytes, as
// programs/mandelbrot does. The size is the width and height in points.

#include "program.h"

static const double limit = 4;

enum { iterations = 50 };

static void row(int64_t y, int64_t n, uint8_t *out, int64_t bytes) {
	double ci = 2 * (double)y / (double)n - 1;
	for (int64_t xb = 0; xb < bytes; xb++) {
		uint8_t bits = 0;
		for (int64_t k = 0; k < 8; k++) {
			int64_t x = xb * 8 + k;
			double cr = 2 * (double)x / (double)n - 1.5;
			double zr = 0, zi = 0, tr = 0, ti = 0;
			int64_t i = 0;
			while (i < iterations && tr + ti <= limit) {
				zi = 2 * zr * zi + ci;
				zr = tr - ti + cr;
				tr = zr * zr;
				ti = zi * zi;
				i++;
			}
			bits = (uint8_t)(bits << 1);
			if (i == iterations && x < n) {
				bits |= 1;
			}
		}
		out[xb] = bits;
	}
}

int main(int argc, char **argv) {
	int64_t n = size(argc, argv, 1000), bytes = (n + 7) / 8;
	uint8_t *out = zeroed(bytes, sizeof *out);
	uint64_t sum = 0;
	for (int64_t y = 0; y < n; y++) {
		row(y, n, out, bytes);
		for (int64_t i = 0; i < bytes; i++) {
			sum = sum * 31 + out[i];
		}
	}
	printf("%" PRId64 "x%" PRId64 " %016" PRIx64 "\n", n, n, sum);
	return 0;
}
