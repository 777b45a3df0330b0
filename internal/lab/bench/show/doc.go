// Package show prints the results of a benchmark run: as a table for a terminal (Text, text.go), in
// the format of go test -bench, which benchstat reads (GoFormat, goformat.go), and as Markdown for
// a pull request (Markdown, markdown.go). Package page makes the HTML page.
//
// All of them are functions of a result.Report. They measure nothing and leave all statistics to
// package result. number.go and verdict.go name verdicts, round times and ratios, and choose the
// comparison for each cell, once for all outputs, so that the outputs cannot contradict each other.
//
// Names of benchmarks, reasons of failures and sources come from the user. Each output makes them
// harmless where it writes them: a terminal gets no escape sequences, Markdown and HTML are
// escaped, and the Go format gets neither blanks nor new lines.
package show
