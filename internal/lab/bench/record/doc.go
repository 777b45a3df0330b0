// Package record is the log of a measurement, from which everything else is made: tables, pages, comparisons and gates
// read a record and measure nothing.
//
// A record is a file of lines, each an object of JSON with one of the types of this package; its field "type" says which
// (line.go). The first line is a [Run]. A line is written, and flushed, when what it says is known: a visit when its
// process has ended. So a run that was interrupted has lost at most what was under way, and goes on with the same file
// (Log, log.go): lines behind an interruption repeat nothing.
//
// # Names
//
// A benchmark is known by its Key, "import/path.Name/sub=8". A cell is a benchmark in an engine; the label of an engine
// is native, interp or go, with "@revision" behind it if it runs another revision's sources.
// Visits of all cells that are compared are numbered by round: visits of the same number were taken one right after the other, and
// are pairs.
//
// # Versions
//
// Schema is the version of the format. A reader refuses a record of a newer one by name, and skips the rest of a line that was
// cut off at the end of the file.
package record
