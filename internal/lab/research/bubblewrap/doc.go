// Package bubblewrap makes the arguments of bubblewrap (bwrap), so that a program inside reaches
// nothing of the machine.
//
//   - isolation.go: rights and namespaces, and which of them this machine supports;
//   - root.go: the visible files, and the hidden parts of /proc and /sys;
//   - environ.go: the environment variables that are passed on;
//   - callfilter_linux.go: the system calls that are refused, as a program of the kernel's BPF.
//
// Package research puts such a box around programs built from candidates (box.go) and around
// proposers (sandbox.go).
package bubblewrap
