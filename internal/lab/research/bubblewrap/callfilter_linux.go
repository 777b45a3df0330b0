//go:build amd64 || arm64

package bubblewrap

import (
	"bytes"
	bin "encoding/binary"
	"slices"
	"syscall"
)

// Namespaces do not cover everything. Sockets of some families, such as those to the host of a
// virtual machine, belong to the machine, and so do the keys of the user who started the session. A
// filter of system calls, in the kernel's BPF, refuses these.

// A callTable holds the numbers of system calls in an architecture.
type callTable struct {
	audit  uint32   // AUDIT_ARCH_*
	socket uint32   // the call whose families are filtered
	denied []uint32 // add_key, request_key, keyctl, bpf
	absent []uint32 // socketcall, whose arguments a filter cannot read, and io_uring_*, which make sockets too
	limit  uint32   // numbers from here on belong to another kind of program; 0: no limit
}

// families are the socket families that have a network namespace.
var families = []uint32{syscall.AF_UNIX, syscall.AF_INET, syscall.AF_INET6, syscall.AF_NETLINK}

// Operations, and the places of a call's number, architecture and first argument.
const (
	bpfLoad  = 0x20 // BPF_LD | BPF_W | BPF_ABS
	bpfEqual = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	bpfNot   = 0x35 // BPF_JMP | BPF_JGE | BPF_K
	bpfRet   = 0x06 // BPF_RET | BPF_K

	callNumber, callArch, callArg = 0, 4, 16

	retAllow = 0x7fff0000
	retErrno = 0x00050000
)

// A bpf is an instruction: struct sock_filter.
type bpf struct {
	Code     uint16
	Yes, No  uint8
	Constant uint32
}

// callFilter is the filter's program.
func callFilter() []byte {
	var all []bpf
	for _, t := range callTables {
		block := []bpf{{Code: bpfLoad, Constant: callNumber}}
		when := func(code uint16, k uint32, then ...bpf) {
			block = append(append(block, bpf{code, 0, uint8(len(then)), k}), then...)
		}
		refuse := func(errno syscall.Errno) bpf { return bpf{Code: bpfRet, Constant: retErrno | uint32(errno)} }
		allow := bpf{Code: bpfRet, Constant: retAllow}
		if t.limit != 0 {
			when(bpfNot, t.limit, refuse(syscall.ENOSYS))
		}
		for _, n := range t.denied {
			when(bpfEqual, n, refuse(syscall.EPERM))
		}
		for _, n := range t.absent {
			when(bpfEqual, n, refuse(syscall.ENOSYS))
		}
		family := []bpf{{Code: bpfLoad, Constant: callArg}}
		for _, f := range families {
			family = append(family, bpf{bpfEqual, 0, 1, f}, allow)
		}
		when(bpfEqual, t.socket, append(family, refuse(syscall.EAFNOSUPPORT))...)
		block = append(block, allow)
		all = append(append(all, bpf{Code: bpfLoad, Constant: callArch}, bpf{bpfEqual, 0, uint8(len(block)), t.audit}), block...)
	}
	var out bytes.Buffer
	for _, x := range slices.Concat(all, []bpf{{Code: bpfRet, Constant: retErrno | uint32(syscall.ENOSYS)}}) {
		bin.Write(&out, bin.NativeEndian, x) // a bytes.Buffer cannot fail
	}
	return out.Bytes()
}
