// Package declare makes benchmarks from functions with a directive before them:
//
//	//gyr:bench group=sums baseline n=8,64,4096 bytes=n setup=newBuf
//	func (b *buf) sum(n int) int { … }
//
// # The directive
//
// A directive precedes a function or method in any Go file of a package, test files included. It
// may have several lines. Its words are keys with values, and the word baseline. A value with
// blanks or commas is a Go string. declare.go holds the data that parse.go reads from directives.
//
//	group=NAME       benchmarks of a group are compared with each other
//	baseline         the other benchmarks of the group are compared with this one
//	bytes=N          bytes that an iteration processes: a number, or the name of a parameter
//	setup=FUNC       a function of the package; its results are the receiver and the first parameters
//	inline=auto      whether the function may become part of the loop that measures it: auto, never or always
//	ignore=BP06,…    diagnoses to suppress, and
//	reason="…"       why they are wrong here
//	NAME=X,Y,…       values of the parameter NAME, of the function or of its setup
//
// The values of parameters are numbers, strings, true, false, and names of constants of the
// package. The type of the parameter must be able to hold them. Each combination of values makes a
// benchmark, in the order of the parameters; parameters that only the setup has come last.
//
// A setup is called once for each run of the benchmark, and is not measured. Its parameters get
// their values by name. A parameter of type *testing.B or testing.TB gets the benchmark.
//
// With inline=always gyr inlines the function if it can, up to the size limit for function
// literals. gc has no directive for that and decides as for auto.
//
// # What is generated
//
// [Parse] (parse.go) reads directives without type checking. Its errors have file and line.
// [Generate] (generate.go) writes a test file for an overlay and leaves the user's tree alone. The
// file has an ordinary function BenchmarkXxx for each declared function, and sub-benchmarks for the
// values. So all of testing works: -test.bench selects them, -test.count repeats them. The file
// spells types of parameters as the declaration does, with the imports that they need.
//
// In native Go the loop uses b.Loop. Every iteration loads the operands from package-level
// variables, which gc neither folds nor moves out of the loop, and b.Loop keeps the results alive.
//
// In gyr it is a measured loop, which the compiler makes in the IR (front/lower/measured.go):
// operands are opaque, results are consumed, and the loop adds nothing but its counter. Such a loop
// cannot be stopped. So the generated function calls it for a strip of iterations at a time, which
// lasts at most a millisecond unless a single iteration takes longer. The first strip has one
// iteration, and the clock decides whether the next one may have twice as many. With the virtual
// clock, which follows from gas, strips are the same in every run.
package declare
