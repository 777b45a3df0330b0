// Package record is the log of a measurement. Tables, pages, comparisons and gates read a record
// and measure nothing.
//
// A record is a file of lines. Each line is a JSON object with one of the types of this package
// (line.go); its field "type" names the type. The first line is a [Run]. A [Log] (log.go) writes
// and flushes a line as soon as its content is known: a visit when its process has ended. So an
// interrupted run loses at most the work in progress, and resumes with the same file. The lines
// after an interruption repeat nothing.
//
// # Names
//
// A benchmark is known by its Key, "import/path.Name/sub=8". A cell is a benchmark in an engine.
// The label of an engine is native, interp or go, followed by "@revision" if it runs another
// revision's sources. Visits of cells that are compared are numbered by round: visits of the same
// number were taken one right after the other, and form pairs.
//
// # Versions
//
// Schema is the version of the format. A reader refuses a record of a newer version and names it.
// It skips an incomplete line at the end of the file.
package record
