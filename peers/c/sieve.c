// sieve counts the primes below the size by the sieve of Eratosthenes, five times, as
// programs/sieve does.

#include "program.h"

static int64_t primes(int64_t n) {
	bool *composite = zeroed(n, sizeof *composite);
	int64_t count = 0;
	for (int64_t i = 2; i < n; i++) {
		if (composite[i]) {
			continue;
		}
		count++;
		for (int64_t j = i * i; j < n; j += i) {
			composite[j] = true;
		}
	}
	free(composite);
	return count;
}

int main(int argc, char **argv) {
	int64_t n = size(argc, argv, 5000000), sum = 0;
	for (int round = 0; round < 5; round++) {
		sum += primes(n);
	}
	printf("%" PRId64 "\n", sum);
	return 0;
}
