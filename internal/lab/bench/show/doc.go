// Package show prints what a benchmark run found: as a table for a terminal (Text), in the format of go test -bench, which
// benchstat reads (GoFormat), and as Markdown for a pull request (Markdown). The page of HTML is package page.
//
// All of them are functions of a result.Report: they measure nothing, and decide nothing that statistics decide. What a verdict
// is called, how a time or a ratio is rounded and which comparison belongs to which cell is said once, in number.go and verdict.go, so that
// the outputs cannot contradict each other.
//
// Names of benchmarks, reasons of failures and sources are the user's. Each output makes them harmless where it writes them: a
// terminal is shown no escape sequences, Markdown and HTML are escaped, and the Go format gets no blanks and no new lines.
package show
