// Package declare makes benchmarks of functions that a directive in front of them declares:
//
//	//gyr:bench group=sums baseline n=8,64,4096 bytes=n setup=newBuf
//	func (b *buf) sum(n int) int { … }
//
// # The directive
//
// It may stand in front of a function or method of any Go file of a package, test files included, and may have several
// lines. Its words are keys with values, and the word baseline. A value with blanks or commas is a Go string.
//
//	group=NAME       benchmarks of a group are compared with each other
//	baseline         the others of the group are compared with this one
//	bytes=N          bytes that an iteration processes: a number, or the name of a parameter
//	setup=FUNC       a function of the package; its results are the receiver and the first parameters
//	inline=auto      whether the function may become part of the loop that measures it: auto, never or always
//	ignore=BP06,…    diagnoses that are not to be made, and
//	reason="…"       why they are wrong here
//	NAME=X,Y,…       values of the parameter NAME, of the function or of its setup
//
// The values of parameters are numbers, strings, true, false, and names of constants of the package, which the type of the
// parameter can hold. There is a benchmark for each combination of values, in the order of the parameters, those that only
// the setup has behind the others.
//
// A setup is called once for each run of the benchmark, and not measured. Its parameters get their values by name, one of
// type *testing.B or testing.TB is the benchmark.
//
// With inline=always gyr inlines what it can, up to the size of a function literal; gc has no directive for that and decides as
// it does for auto.
//
// # What is generated
//
// [Parse] reads directives, without types: what is wrong is said with file and line. [Generate] writes a test file for an
// overlay; nothing is written into anybody's tree. It has an ordinary function BenchmarkXxx for each declared function and
// sub-benchmarks for the values, so that everything of testing works: -test.bench selects them, -test.count repeats them.
// Types of parameters are written as they stand in the declaration, with the imports that they need.
//
// In native Go the loop is one over b.Loop. Operands are loaded from package-level variables in every iteration, which gc
// neither folds nor moves out of the loop, and b.Loop keeps the results (generate.go).
//
// In gyr it is a measured loop, which the compiler makes in the IR (front/lower/measured.go): operands are opaque, results are
// consumed, and nothing but the counter is added. Such a loop cannot be stopped, so the generated function calls it for a strip
// of iterations at a time, which lasts a millisecond at most unless a single iteration does. The first strip has one iteration, and
// the clock decides whether the next one may have twice as many. With the virtual clock, which follows from gas, strips are the same
// in every run.
package declare
