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
// It is a preset of `gyr bench`: packages bench, record and result measure benchmarks, keep what was measured and
// estimate. What is its own is what is measured, and one table for a page of figures (print.go). With -json it prints the
// record, which `gyr bench report` reads.
//
//   - Programs (programs.go, run.go) are processes. An [Engine] (engine.go) turns a program and
//     a size into a command; the first engine is native Go. A round runs every
//     engine in turn with the size that counts and with a tiny one, so that
//     whatever else goes on meets all of them. A round is a visit of the record. Its time is the processor's,
//     less that with the tiny size: starting is not counted.
//     Compiled programs are kept in a cache of the measurement's own, which a first
//     run with the tiny size fills.
//   - Layers (layers.go) are engines too: the same program without some passes.
//   - Benchmarks (bench.go) are Go's own, which package bench measures.
//
// Nothing is taken on trust: the outputs of all engines must be equal, and a row
// of gyr counts only if the run says that it ran in the tier that the row names.
// If not, the command ends with status 1.
package ratio
