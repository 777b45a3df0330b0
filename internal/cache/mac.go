package cache

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// A file begins with a header:
//
//	magic, 8 bytes | version, 4 | number of sections, 4 | MAC, 32 | for each section: length, 8, and hash, 32
//
// The sections follow one after the other. The hash of a section is the SHA-256 of the SHA-256 of
// each of its pieces, which are computed in parallel. The MAC covers the header without the MAC,
// and the entry's name, so a section can be read, and checked, without the others.
const (
	magic         = "\x89gyrcach"
	formatVersion = 2
	macOffset     = 16
	tableOffset   = macOffset + sha256.Size
	sectionSize   = 8 + sha256.Size
	maxSections   = 1024
	pieceSize     = 256 << 10
)

// seal returns the header for the sections of an entry.
func (d *Dir) seal(n Name, sections [][]byte) []byte {
	h := make([]byte, tableOffset, tableOffset+len(sections)*sectionSize)
	copy(h, magic)
	binary.LittleEndian.PutUint32(h[8:], formatVersion)
	binary.LittleEndian.PutUint32(h[12:], uint32(len(sections)))
	for _, s := range sections {
		h = binary.LittleEndian.AppendUint64(h, uint64(len(s)))
		sum := sumOf(s)
		h = append(h, sum[:]...)
	}
	copy(h[macOffset:], d.mac(n, h))
	return h
}

var errNoEntry = errors.New("cache: the file is no entry")

// readHeader reads and checks the header of an entry's file of the given size, and returns its
// sections.
func (d *Dir) readHeader(n Name, r io.ReaderAt, size int64) ([]section, error) {
	h := make([]byte, tableOffset)
	if _, err := r.ReadAt(h, 0); err != nil {
		return nil, errNoEntry
	}
	if string(h[:len(magic)]) != magic {
		return nil, errNoEntry
	}
	if v := binary.LittleEndian.Uint32(h[8:]); v != formatVersion {
		return nil, fmt.Errorf("cache: an entry of format %d", v)
	}
	count := binary.LittleEndian.Uint32(h[12:])
	if count > maxSections {
		return nil, errNoEntry
	}
	h = append(h, make([]byte, count*sectionSize)...)
	if _, err := r.ReadAt(h[tableOffset:], tableOffset); err != nil && err != io.EOF {
		return nil, errNoEntry
	}
	if !hmac.Equal(d.mac(n, h), h[macOffset:tableOffset]) {
		return nil, errors.New("cache: an entry with a wrong MAC")
	}
	list := make([]section, count)
	at := int64(len(h))
	for i := range list {
		row := h[tableOffset+i*sectionSize:]
		list[i] = section{at, int64(binary.LittleEndian.Uint64(row)), [sha256.Size]byte(row[8:sectionSize])}
		at += list[i].size
	}
	if at != size {
		return nil, fmt.Errorf("cache: an entry of %d bytes with %d", at, size)
	}
	return list, nil
}

// mac returns the MAC of a header.
func (d *Dir) mac(n Name, h []byte) []byte {
	m := hmac.New(sha256.New, d.key[:])
	m.Write(h[:macOffset])
	m.Write(n[:])
	m.Write(h[tableOffset:])
	return m.Sum(nil)
}

// sumOf returns the hash of a section.
func sumOf(contents []byte) [sha256.Size]byte {
	pieces := (len(contents) + pieceSize - 1) / pieceSize
	sums := make([]byte, pieces*sha256.Size)
	sum := func(i int) {
		s := sha256.Sum256(contents[i*pieceSize : min((i+1)*pieceSize, len(contents))])
		copy(sums[i*sha256.Size:], s[:])
	}
	if pieces < 2 {
		for i := range pieces {
			sum(i)
		}
		return sha256.Sum256(sums)
	}
	workers := min(runtime.GOMAXPROCS(0), pieces)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < pieces; i += workers {
				sum(i)
			}
		})
	}
	wg.Wait()
	return sha256.Sum256(sums)
}
