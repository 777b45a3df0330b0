// fannkuch counts the flips of all permutations: the maximum and a checksum, as programs/fannkuch
// does. The size is the length of the permutations.

#include "program.h"

static int64_t fannkuch(int64_t n, int64_t *most) {
	int64_t *perm = zeroed(n, sizeof *perm), *perm1 = zeroed(n, sizeof *perm1), *count = zeroed(n, sizeof *count);
	for (int64_t i = 0; i < n; i++) {
		perm1[i] = i;
	}
	int64_t checksum = 0, r = n;
	*most = 0;
	for (int64_t nperm = 0;; nperm++) {
		for (; r != 1; r--) {
			count[r - 1] = r;
		}
		memcpy(perm, perm1, (size_t)n * sizeof *perm);
		int64_t flips = 0;
		for (int64_t k = perm[0]; k != 0; k = perm[0]) {
			for (int64_t i = 0, j = k; i < j; i++, j--) {
				int64_t t = perm[i];
				perm[i] = perm[j];
				perm[j] = t;
			}
			flips++;
		}
		if (flips > *most) {
			*most = flips;
		}
		if ((nperm & 1) == 0) {
			checksum += flips;
		} else {
			checksum -= flips;
		}
		for (;;) {
			if (r == n) {
				return checksum;
			}
			int64_t first = perm1[0];
			for (int64_t i = 0; i < r; i++) {
				perm1[i] = perm1[i + 1];
			}
			perm1[r] = first;
			count[r]--;
			if (count[r] > 0) {
				break;
			}
			r++;
		}
	}
}

int main(int argc, char **argv) {
	int64_t n = size(argc, argv, 10), most;
	if (n < 1) {
		fail("fannkuch: no permutation has such a length: choose a size of 1 or more");
	}
	int64_t sum = fannkuch(n, &most);
	printf("%" PRId64 "\nPfannkuchen(%" PRId64 ") = %" PRId64 "\n", sum, n, most);
	return 0;
}
