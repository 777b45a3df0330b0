// Package sample finds out where the processor spends its time, by sampling.
//
// # Where samples come from
//
// runtime/pprof cannot be used: it puts machine code that Go's runtime does not know into one entry
// without an address. So perf_event_open (perf_linux.go) asks the kernel to note the address of the
// current instruction, some thousand times a second of processor time. records.go decodes what the
// kernel writes. This needs no cgo and no file, and no privilege as long as only the process's own
// code in user mode is sampled.
//
// The event is the processor's count of cycles where the machine has one, since it stops near the
// instruction that takes the time. In a virtual machine without counters it is the kernel's clock
// of processor time ([Sampler.By]). Either way the sampled instruction has not been executed yet
// when the sample is taken. So the cost of a slow instruction shows up at the next one: one
// instruction of skid.
//
// Kernels and containers may deny the call. Then a [*DeniedError] says why. The caller can still
// use the counts of the code's blocks (engine.Instance.Counts), which need no permission.
//
// # Whose samples
//
// A [Sampler] of [OpenThread] samples the thread that opened it. A guest runs on the thread of the
// goroutine that called Instance.Run, or on another one if Run must be able to end blocking host
// calls. The guest's output always arrives on the guest's own thread. So the goroutine that calls
// Run opens the sampler, locked to its thread, or a Writer does.
//
// A Sampler of [OpenProcess] samples another process with all its threads. [Start] starts a process
// that is sampled from its first instruction on (child_linux.go).
//
// # What addresses mean
//
// A [Resolver] (resolve.go) names the addresses of this process: the guest's machine code by the
// engine's map of it, the host's own code by Go's tables, in classes (kinds.go). A [Binary]
// (binary.go) names the addresses of an executable file.
package sample
