// Package ratio measures gyr against native Go, and others beside it. It is the
// command internal/cmd/ratio, and with more engines that of the module peers.
//
//	go run ./internal/cmd/ratio                the programs of programs/
//	go run ./internal/cmd/ratio -layers        … with the optimiser's passes added a family at a time
//	go run ./internal/cmd/ratio -kernels       the benchmarks of programs/kernels
//	go run ./internal/cmd/ratio -throughput    those of programs/throughput
//	go run ./internal/cmd/ratio -goroot        those of some packages of the standard library
//	go run ./internal/cmd/ratio -bench PKG,…   those of any packages
//	go run ./internal/cmd/ratio -machine       what single operations take here
//
// Three parts, a file or two each:
//
//   - Programs (programs.go, rows.go) are processes. An [Engine] turns a program and
//     a size into a command; the first engine is native Go. A round runs every
//     engine in turn with the size that counts and with a tiny one, so that
//     whatever else goes on meets all of them. The time of a row is the median of
//     the rounds less the median with the tiny size: starting is not counted.
//     Compiled programs are kept in a cache of the measurement's own, which a first
//     run with the tiny size fills.
//   - Layers (layers.go) are engines too: the same program without some passes.
//   - Benchmarks (bench.go) are Go's own. The test binary runs natively, and in this
//     process under gyr with the machine's clock, a benchmark at a time.
//
// Nothing is taken on trust: the outputs of all engines must be equal, and a row
// of gyr counts only if the run says that it ran in the tier that the row names.
// If not, the command ends with status 1.
package ratio
