// Package filetest reads, runs and rewrites filetests: main programs with their inputs and expected
// results in comments after the code.
//
//	package main
//
//	func main() { panic(os.Args[1]) }
//
//	// Args: boom
//
//	// Error:
//	// panic: boom
//
//	// Gas: 1234
//
// To change what directives exist or how they are parsed, open directive.go. run.go runs a filetest
// and compares it with its goldens, trim.go removes what differs between machines, and golden.go
// writes goldens. source.go reads the two kinds of filetests, Go files and archives. release.go
// decides whether a filetest is for a release of Go.
//
// # Grammar
//
// Everything after the last token of the file is directives. A directive begins a line with "//
// Name:" and has one of two forms.
//
// A line has its value after the colon:
//
//	// Args: words           arguments, after the program's name
//	// Env: NAME=value ...   more environment
//	// Seed: N               of map order, select and random numbers
//	// GasLimit: N           units
//	// MemoryLimit: SIZE     bytes, as in 512K, 64M, 1G
//	// Timeout: DURATION     of the machine's clock
//	// Tier: native|interp   what executes the code
//	// Skip: COND // reason  an expression as in go:build over short, native, interp,
//	//                       always, and the machine's system and processor
//	// Gas: N                golden: units charged
//	// Allocs: N             golden: objects allocated
//	// MaxHeap: N            golden: peak bytes of heap in use
//	// ExitCode: N           golden
//
// A block has nothing after the colon. Its text is on the lines below, up to the first line that is
// no // comment:
//
//	// Stdin:                input: standard input
//	// Output:               golden: standard output
//	// Stderr:               golden: standard error, without the report of a panic
//	// Error:                golden: that report without its trace, or the limit that ended the run
//	// Stacktrace:           golden: the trace; files of this machine are named from the
//	//                       directory of the filetest, or from $GOROOT and then without lines
//	// CompileError:         golden: the compiler's messages
//	// Host:                 golden: system calls after the initialisation of std
//	// IR main.f:            golden: the IR of a function, as gyr disasm -ir prints it
//	// Asm main.f:           golden: its machine code, as gyr disasm -asm prints it
//
// Lines follow each other in one comment; a block ends its comment. Words are separated by blanks
// and may be Go string literals.
//
// A line of a text is the comment without "// ". Some lines cannot appear in a comment as they are:
// a line that ends in white space, has control characters, begins with a backslash, or reads like a
// directive. Such a line is written as a Go string after a backslash. A backslash alone in the last
// line says that the text does not end with a newline.
//
//	// Output:
//	// plain
//	// \"ends in a blank "
//	// no newline
//	// \
//
// # Strictness
//
// Nothing is overlooked. These are errors with a line: an unknown directive, a second one of the
// same name, one inside another's text or above the end of the code, a value that does not parse,
// and a golden that another directive rules out. An effect of the program without a golden is an
// error too: output, a panic, an exit code other than 0. A golden without text asserts that the
// effect is absent.
//
// # Releases of Go
//
// A line //go:build may name releases:
//
//	//go:build ignore && go1.27
//
// The filetest is then for these releases, and runs under no other. Its language version is the
// release's, as in any file. Other tags there, such as ignore, keep the go command away and have no
// effect here.
//
// Gas, Allocs and MaxHeap may differ between releases. The figure for a release and later ones
// names it, next to the one that names none:
//
//	// Gas: 1234
//	// Gas go1.27: 1230
//
// # What the program sees
//
// The program sees its directory, read-only, as /work, which is its working directory; an empty
// directory /tmp; and the variables PWD, TMPDIR and HOME. These are the same on every machine, so
// gas is too.
//
// # Archives
//
// A txtar archive is a program of several packages. Its main.go, in the root, has the directives.
// The module is called filetest unless the archive has a go.mod. At run time the program sees the
// archive's files in /work.
package filetest
