package sample

import "encoding/binary"

// The kernel's records (linux/perf_event.h): a header of 8 bytes, type, flags and size, then what the type has. Numbers
// are in the byte order of the machine.
const (
	recordLost   = 2
	recordSample = 9
	headerSize   = 8

	// Of the flags: where the processor was.
	modeMask   = 7
	modeKernel = 1

	// Addresses from here on are marks in a chain: what follows is of the kernel, of the user.
	chainMarks = ^uint64(4095) + 1
)

// A decoder takes records apart.
type decoder struct {
	calls bool // samples have chains
	out   []Sample
	lost  int
}

// records takes apart whole records and returns how many bytes they have.
func (d *decoder) records(b []byte) (n int) {
	ne := binary.NativeEndian
	for len(b)-n >= headerSize {
		kind, flags, size := ne.Uint32(b[n:]), ne.Uint16(b[n+4:]), int(ne.Uint16(b[n+6:]))
		if size < headerSize || size > len(b)-n {
			break
		}
		body := b[n+headerSize : n+size]
		n += size
		switch {
		case kind == recordSample:
			d.sample(body, flags&modeMask == modeKernel)
		case kind == recordLost && len(body) >= 16:
			d.lost += int(ne.Uint64(body[8:]))
		}
	}
	return n
}

// sample takes a sample apart: the address, then, if there are chains, how many addresses follow, and these.
func (d *decoder) sample(b []byte, kernel bool) {
	ne := binary.NativeEndian
	if len(b) < 8 {
		return
	}
	s := Sample{IP: ne.Uint64(b), Kernel: kernel}
	if b = b[8:]; d.calls && len(b) >= 8 {
		n := ne.Uint64(b)
		for b = b[8:]; n > 0 && len(b) >= 8; n, b = n-1, b[8:] {
			if at := ne.Uint64(b); at < chainMarks && (len(s.Chain) > 0 || at != s.IP) {
				s.Chain = append(s.Chain, at)
			}
		}
	}
	d.out = append(d.out, s)
}
