// What the translations share: the size argument, memory, and numbers as Go prints them.
//
// Go's int is int64_t here. Where a Go program relies on wraparound the type is unsigned, because C
// does not define the overflow of signed integers.
#ifndef PROGRAM_H
#define PROGRAM_H

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// fail ends the program with the status of a panic in Go.
static inline _Noreturn void fail(const char *message) {
	fprintf(stderr, "%s\n", message);
	exit(2);
}

// size returns the first argument, or def if there is none or strconv.Atoi would refuse it.
static inline int64_t size(int argc, char **argv, int64_t def) {
	if (argc < 2) {
		return def;
	}
	const char *digits = argv[1];
	if (*digits == '-' || *digits == '+') {
		digits++;
	}
	if (*digits == 0 || digits[strspn(digits, "0123456789")] != 0) {
		return def;
	}
	errno = 0;
	int64_t n = strtoll(argv[1], NULL, 10);
	return errno == 0 ? n : def;
}

// zeroed returns memory for n elements, zeroed as by Go's make. Functions that are called repeatedly
// free what they allocate; memory that is in use until the end is left to the system.
static inline void *zeroed(int64_t n, size_t element) {
	// calloc of nothing may return NULL.
	void *p = n < 0 ? NULL : calloc(n == 0 ? 1 : (size_t)n, element);
	if (p == NULL) {
		fprintf(stderr, "no memory for %" PRId64 " elements of %zu bytes: choose another size\n", n, element);
		exit(2);
	}
	return p;
}

// print_fixed prints a line with a number, as Printf does in Go with %.9f if digits is 9. C would
// print nan and inf.
static inline void print_fixed(int digits, double x) {
	if (isnan(x)) {
		puts("NaN");
	} else if (isinf(x)) {
		puts(x < 0 ? "-Inf" : "+Inf");
	} else {
		printf("%.*f\n", digits, x);
	}
}

#endif
