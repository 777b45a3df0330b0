// Package throughput has benchmarks, and nothing else, of what moves, searches and
// sums up bytes, most of which the standard library has in assembly:
//
//	go test -bench . ./programs/throughput
//	go run ./internal/cmd/ratio -throughput      natively and in gyr, side by side
//
// Each runs over 16 bytes, 256, 4 KiB and 1 MiB.
package throughput
