// Package sample finds out where the processor is, by looking now and then.
//
// # Where samples come from
//
// runtime/pprof cannot be used: machine code that Go's runtime does not know ends up in one entry
// without an address. So the kernel is asked, by perf_event_open, to note the address of the
// instruction that is being executed, some thousand times a second of processor time. That needs no
// privilege as long as only the process's own code in user mode is looked at, no cgo, and no file
// that is written.
//
// The event is the processor's count of cycles, where there is one, since it stops near the
// instruction that takes the time; in a virtual machine without counters it is the kernel's clock
// of processor time ([Sampler.By]). Either way the address is that of an instruction which has not
// been executed yet when the sample is taken, so what a slow instruction costs is found at the one
// behind it: one instruction of skid.
//
// Kernels and containers may deny the call. Then there is a [*DeniedError] that says why, and
// whoever wanted a profile goes on with what the blocks of the code counted
// (engine.Instance.Counts), which takes no permission.
//
// # Whose samples
//
// A [Sampler] of [OpenThread] looks at the thread that opened it. A guest runs on the thread of the
// goroutine that called Instance.Run, unless that has to end calls of the host that block, in which
// case it is another one; but what the guest writes arrives on its own thread always. So a sampler
// is opened by the goroutine that calls Run, locked to its thread, or within a Writer.
//
// A Sampler of [OpenProcess] looks at another process with all its threads; [Run] starts one that
// does not execute an instruction before it is being looked at.
//
// # What addresses mean
//
// A [Resolver] names the addresses of this process: the guest's machine code by the map that the
// engine has of it, what the host does for it by Go's own tables, in classes (see kinds.go). A
// [Binary] names those of an executable file.
package sample
