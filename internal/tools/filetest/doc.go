// Package filetest reads, runs and rewrites filetests: main programs that carry what
// they are given and what must come of them in comments behind the code.
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
// # Grammar
//
// What stands behind the last token of the file is directives and nothing else. A
// directive begins a line with "// Name:" and is of one of two forms.
//
// A line has its value on it:
//
//	// Args: words           arguments, behind the program's name
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
//	// MaxHeap: N            golden: most bytes of heap in use
//	// ExitCode: N           golden
//
// A block has nothing behind the colon, and its text on the lines below it, up to the
// first line that is no // comment:
//
//	// Stdin:                input: standard input
//	// Output:               golden: standard output
//	// Stderr:               golden: standard error, without the report of a panic
//	// Error:                golden: that report without its trace, or the limit that ended the run
//	// Stacktrace:           golden: the trace; files of this machine are named from the
//	//                       directory of the filetest, or from $GOROOT and then without lines
//	// CompileError:         golden: the compiler's messages
//	// Host:                 golden: calls of the system behind the initialisation of std
//	// IR main.f:            golden: the IR of a function, as gyr disasm -ir prints it
//	// Asm main.f:           golden: its machine code, as gyr disasm -asm prints it
//
// Lines follow each other in one comment; a block ends its comment. Words are separated by blanks
// and may be Go string literals.
//
// A line of a text is the comment without "// ". One that a comment cannot hold as it
// is stands as a Go string behind a backslash: it ends in white space, has control
// characters, begins with a backslash, or reads like a directive. A backslash alone in
// the last line says that the text does not end with a newline.
//
//	// Output:
//	// plain
//	// \"ends in a blank "
//	// no newline
//	// \
//
// # Strictness
//
// Nothing is overlooked. An unknown directive, a second one of the same name, one inside
// another's text or above the end of the code, a value that does not parse and a
// golden that another directive rules out are errors with a line. So is
// anything that the program does and no golden speaks of: output, a panic, an exit
// code other than 0. A golden without text asserts that there is none.
//
// # Releases of Go
//
// A line //go:build that names releases, as in
//
//	//go:build ignore && go1.27
//
// says which ones a filetest is for; with another it does not exist. Its language version is the release's, as in any
// file. Other tags there, as ignore, keep the go command away, and count for nothing here.
//
// What Gas, Allocs and MaxHeap are may differ between releases. The figure for a release and later ones names it, and stands
// beside the one that names none:
//
//	// Gas: 1234
//	// Gas go1.27: 1230
//
// # What the program sees
//
// Its directory, read-only, as /work, which is its working directory; an empty
// directory /tmp; PWD, TMPDIR and HOME. These are the same on every machine, so gas is too.
//
// # Archives
//
// A txtar archive is a program of several packages. Its main.go, in the root, has the
// directives. The module is called filetest unless there is a go.mod. At run time the
// program sees its files in /work.
package filetest
