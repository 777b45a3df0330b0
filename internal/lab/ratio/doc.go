// Package ratio measures gyr against native Go, and other engines beside it. The command
// internal/cmd/ratio runs it, and so does the module peers, with more engines.
//
//	go run ./internal/cmd/ratio                the programs of programs/
//	go run ./internal/cmd/ratio -layers        … with the optimiser's passes added a family at a time
//	go run ./internal/cmd/ratio -kernels       the benchmarks of programs/kernels
//	go run ./internal/cmd/ratio -throughput    those of programs/throughput
//	go run ./internal/cmd/ratio -goroot        those of some packages of the standard library
//	go run ./internal/cmd/ratio -bench PKG,…   those of any packages
//	go run ./internal/cmd/ratio -machine       what single operations take here
//
// The command (main.go) is a preset of `gyr bench`: packages bench, record and result measure the
// benchmarks, keep the samples and estimate. This package chooses what is measured and prints one
// table for a page of figures (print.go). With -json it prints the record, which `gyr bench report`
// reads.
//
//   - Programs (programs.go, run.go) are processes. An [Engine] (engine.go) turns a program and a
//     size into a command; the first engine is native Go. A round runs every engine in turn, with
//     the size that counts and with a tiny one, so that other load on the machine meets all engines
//     alike. A round is one visit of the record. Its time is processor time, less that of the tiny
//     size, so that the start is not counted. Compiled programs are kept in a cache of the
//     measurement's own, which a first run with the tiny size fills.
//   - Layers (layers.go) are engines too: the same program without some passes.
//   - Benchmarks (bench.go) are Go's own, which package bench measures.
//
// The command checks what it reports: the outputs of all engines must be equal, and a row of gyr
// counts only if the run says that it ran in the tier that the row names. If a check fails, the
// command ends with status 1.
package ratio
