// Package hot says which code a benchmark spends its time in, down to the instruction, and why that
// instruction is there.
//
// # From samples and counts to a profile
//
// Two runs of their own, apart from those that are timed, say where the time goes (record.Profile).
// In one the processor is sampled (package sample): that tells shares, also of what is not the
// guest's code. In the other, code counts how often each of its blocks is entered
// (engine.Instance.Counts): that tells, exactly, how often an instruction is executed in an
// iteration, and that one is never executed, which no sample can. Where the system permits no
// samples the counts stand in for them, each instruction as dear as the next. A [Recorder] makes
// both kinds of runs, around the stretches in which a benchmark's timer is on.
//
// Counts and samples come from different machine code: that which counts has counters in it. Both
// have the same instructions in the same order, so counts go by the number of an instruction,
// samples by its address. The listing is of the code that was sampled, and of no other, which
// engine.Program.MachineCode sees to.
//
// # From a profile to what people read
//
// [Render] prints a profile on a terminal: which functions are hot, and of these the regions where
// the time goes, with source, operations of the IR and machine code side by side. [Diff] lays two
// listings beside each other. [WritePprof] and [WriteSpeedscope] give the stacks to other tools.
//
// The code of a native Go binary becomes the same listings (native.go), so guest and native Go can
// be read side by side.
package hot
