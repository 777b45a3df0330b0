// Package bubblewrap says what bubblewrap (bwrap) is told, so that what runs in it reaches nothing of the machine.
//
//   - isolation.go: which rights and namespaces there are, and which of them this machine has;
//   - root.go: which files are seen, and what of /proc and /sys is hidden;
//   - environ.go: which variables of the environment are passed on;
//   - callfilter_linux.go: which system calls are refused, as a program of the kernel's BPF.
//
// Package research puts a box of them around what is built of candidates (box.go) and around proposers (sandbox.go).
package bubblewrap
