// fib computes a Fibonacci number by double recursion, as programs/fib does. The size is its index.

#include "program.h"

static int64_t fib(int64_t n) {
	if (n < 2) {
		return n;
	}
	return fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv) {
	printf("%" PRId64 "\n", fib(size(argc, argv, 35)));
	return 0;
}
