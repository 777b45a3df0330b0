package memory

import "slices"

// sortRun is the length that is sorted at once. Merging polls as often.
const sortRun = 1 << 10

// SortPolling sorts list and keeps the order of equal elements; tmp has room for as many. It works
// in pieces and calls poll, unless that is nil, about every 100 µs of simple comparisons, so that a
// deadline or a cancellation is noticed. If poll returns false, SortPolling gives up, with the list
// in disorder. The result tells whether it finished.
func SortPolling[T any](list, tmp []T, compare func(a, b T) int, poll func() bool) bool {
	for at := 0; at < len(list); at += sortRun {
		slices.SortStableFunc(list[at:min(at+sortRun, len(list))], compare)
		if poll != nil && !poll() {
			return false
		}
	}
	src, dst := list, tmp[:len(list)]
	for width := sortRun; width < len(list); width *= 2 {
		for at := 0; at < len(src); at += 2 * width {
			mid, end := min(at+width, len(src)), min(at+2*width, len(src))
			if !mergeRuns(dst[at:end], src[at:mid], src[mid:end], compare, poll) {
				return false
			}
		}
		src, dst = dst, src
	}
	if len(list) > 0 && &src[0] != &list[0] {
		copy(list, src)
	}
	return true
}

func mergeRuns[T any](dst, a, b []T, compare func(a, b T) int, poll func() bool) bool {
	for k := range dst {
		if k%sortRun == sortRun-1 && poll != nil && !poll() {
			return false
		}
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			dst[k] = a[0]
			a = a[1:]
		} else {
			dst[k] = b[0]
			b = b[1:]
		}
	}
	return true
}
