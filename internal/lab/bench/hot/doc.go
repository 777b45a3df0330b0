// Package hot says which code a benchmark spends its time in, down to the instruction, and why that
// instruction is there.
//
// # From samples and counts to a profile
//
// Two extra runs, apart from the timed ones, show where the time goes (record.Profile). In one run
// the processor is sampled (package sample). Samples tell shares, also of code outside of the
// guest. In the other run, code counts how often each of its blocks is entered
// (engine.Instance.Counts). Counts tell exactly how often an iteration executes an instruction.
// They also show that an instruction is never executed, which no sample can. Where the system
// permits no samples the counts stand in for them, as if all instructions took the same time. A
// [Recorder] (recorder.go) makes both runs, in the stretches with the benchmark's timer on.
//
// Counts and samples come from different machine code, since counting code contains counters. Both
// have the same instructions in the same order, so counts go by the number of an instruction,
// samples by its address. The listing is always of the code that was sampled;
// engine.Program.MachineCode ensures that. guest.go makes the listings, from register code too
// (register.go).
//
// # From a profile to what people read
//
// [Render] (render.go) prints a profile on a terminal: the hot functions, and the regions in them
// where the time goes (region.go), with source, operations of the IR and machine code side by side.
// [Diff] (diff.go) aligns two listings. [WritePprof] and [WriteSpeedscope] (export.go) write the
// stacks for other tools.
//
// The code of a native Go binary becomes the same kind of listing (native.go), so guest and native
// Go can be read side by side.
package hot
