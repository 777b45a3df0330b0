// Package process runs programs and tells what they took.
//
// Process.Run is for programs that are not trusted (process.go). Each run is a new process in a
// process group of its own, with a timeout and a limit of output. Afterwards the whole group is gone,
// and on Linux everything that still has its environment (rest_linux.go). Command is for
// programs that are trusted (command.go).
//
// Both measure wall time, processor time and the peak of memory (peak_linux.go). Self tells the same
// about this process, ThreadWait how long a thread has waited for a processor (waiting_linux.go), and Below
// which processes a process has started (below_linux.go). Where a system does not tell, a figure is zero.
package process
