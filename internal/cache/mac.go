package cache

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// A file begins with a header:
//
//	magic, 8 bytes | version, 4 | zero, 4 | length of the contents, 8 | MAC, 32
//
// The MAC covers the header up to it, the entry's name, and the SHA-256 of each piece of the
// contents. The hashes of the pieces are computed in parallel.
const (
	magic         = "\x89gyrcach"
	formatVersion = 1
	macOffset     = 24
	headerSize    = macOffset + sha256.Size
	pieceSize     = 256 << 10
)

// seal returns the header for the contents of an entry.
func (d *Dir) seal(n Name, contents []byte) []byte {
	h := make([]byte, headerSize)
	copy(h, magic)
	binary.LittleEndian.PutUint32(h[8:], formatVersion)
	binary.LittleEndian.PutUint64(h[16:], uint64(len(contents)))
	copy(h[macOffset:], d.mac(n, h[:macOffset], contents))
	return h
}

var errNoEntry = errors.New("cache: the file is no entry")

// open checks a file and returns its contents.
func (d *Dir) open(n Name, file []byte) ([]byte, error) {
	if len(file) < headerSize || string(file[:len(magic)]) != magic {
		return nil, errNoEntry
	}
	if v := binary.LittleEndian.Uint32(file[8:]); v != formatVersion {
		return nil, fmt.Errorf("cache: an entry of format %d", v)
	}
	contents := file[headerSize:]
	if uint64(len(contents)) != binary.LittleEndian.Uint64(file[16:]) {
		return nil, fmt.Errorf("cache: an entry of %d bytes with %d", binary.LittleEndian.Uint64(file[16:]), len(contents))
	}
	if !hmac.Equal(d.mac(n, file[:macOffset], contents), file[macOffset:headerSize]) {
		return nil, errors.New("cache: an entry with a wrong MAC")
	}
	return contents, nil
}

func (d *Dir) mac(n Name, head, contents []byte) []byte {
	pieces := (len(contents) + pieceSize - 1) / pieceSize
	sums := make([][sha256.Size]byte, pieces)
	workers := min(runtime.GOMAXPROCS(0), pieces)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < pieces; i += workers {
				sums[i] = sha256.Sum256(contents[i*pieceSize : min((i+1)*pieceSize, len(contents))])
			}
		})
	}
	wg.Wait()
	m := hmac.New(sha256.New, d.key[:])
	m.Write(head)
	m.Write(n[:])
	for i := range sums {
		m.Write(sums[i][:])
	}
	return m.Sum(nil)
}
