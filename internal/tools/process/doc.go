// Package process runs programs and measures what they use.
//
// Process.Run is for untrusted programs (process.go). Each run is a new process in its own process
// group, with a timeout and a limit of output. Afterwards the whole group is killed, and on Linux
// every process that still has its environment (rest_linux.go). Command is for trusted programs
// (command.go).
//
// Both measure wall time, processor time and the peak of memory (peak_linux.go). Self returns the
// same figures for this process. ThreadWait measures how long a thread has waited for a processor
// (waiting_linux.go), and Below lists the processes that a process has started (below_linux.go). A
// figure is zero where the system does not tell it.
package process
