package sample

import "encoding/binary"

// The kernel's records (linux/perf_event.h): a header of 8 bytes with type, flags and size, then
// the type's data. Numbers are in the machine's byte order.
const (
	recordLost   = 2
	recordSample = 9
	headerSize   = 8

	// Flags that tell the processor's mode.
	modeMask   = 7
	modeKernel = 1

	// Addresses from here on are marks in a chain: kernel or user addresses follow.
	chainMarks = ^uint64(4095) + 1
)

// A decoder decodes records.
type decoder struct {
	calls  bool                                       // samples have chains
	unwind func(ip, sp uint64, stack []byte) []uint64 // nil: samples have neither stack pointer nor piece of the stack
	out    []Sample
	lost   int
}

// records decodes all complete records and returns their length in bytes.
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

// sample decodes a sample: the address; with chains, the number of addresses in the chain, and
// those; with a piece of the stack, the set of registers, the stack pointer, and the piece: its
// size, the bytes, and how many of them are valid.
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
	if d.unwind != nil && !kernel && len(b) >= 24 && ne.Uint64(b) != 0 {
		sp, size := ne.Uint64(b[8:]), ne.Uint64(b[16:])
		if b = b[24:]; size > 0 && size <= uint64(len(b)) && len(b)-int(size) >= 8 {
			valid := min(ne.Uint64(b[size:]), size)
			if chain := d.unwind(s.IP, sp, b[:valid]); chain != nil {
				s.Chain = chain
			}
		}
	}
	d.out = append(d.out, s)
}
