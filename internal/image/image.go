// Package image is the binary form of an [ir.Module]: the output of `gyr build` and the content of
// the cache.
//
// # Forms
//
// A [Lowered] image is portable and untrusted: IR as lowered, with every check and without charges.
// A reader verifies it ([ir.VerifyModule]), places the gas and optimises. An [Optimised] image
// holds IR after phase A, charges included. No verifier can restore a missing check or charge, so
// such an image is only as good as the file that it comes from: the cache keeps it under a MAC, and
// nothing else reads it.
//
// Images of modules that have a base ([ir.Module.Base]), the precompiled standard library, have
// forms of their own: [LoweredOn] for Lowered, [Continued] for Optimised. Such an image holds the
// part of each table that follows the base's, the difference of the data to the base's, and the
// lengths of the base's tables. The reader makes sure that it has the very base: a LoweredOn image
// names it by a hash ([Header].Std), for others the cache knows it.
//
// # File
//
// A header of fixed size says what the file is. The sections follow, one after the other in the
// order of [section], each with its length and CRC-32C in the header. Nothing else is in the file.
// Checksums find damage; they are no defence against an attacker.
//
// Numbers are varints as in encoding/binary, signed ones in zigzag. References
// go backwards by few places, so most take one byte.
//
// Function bodies are one by one in a section of their own, after the table of functions that has
// their lengths (funcs.go). [Image.Module] decodes the tables and leaves every function without a
// body; [Bodies.Decode] decodes one. Values and blocks have no numbers in a body: they are numbered
// in their order, as in [ir.Func.Renumber].
//
// # Trust
//
// The reader trusts nothing. Every count is checked against the remaining bytes before anything is
// allocated for it, so memory stays a small multiple of the file; every reference is checked
// against its table. The result is a module whose pointers all lead somewhere, no more: the
// verifier judges its meaning.
package image

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"sync"

	"github.com/gyrvm/gyr/internal/ir"
)

// Version is the version of the format.
const Version = 9

// A Form says how far the IR in an image is.
type Form uint32

const (
	Lowered   Form = 1 + iota // as lowered: no gas, no sets of live locals
	Optimised                 // after phase A
	Continued                 // after phase A, of a module with a base
	LoweredOn                 // as lowered, of a module with a base
	numForms
)

func (f Form) String() string {
	switch f {
	case Lowered:
		return "lowered"
	case Optimised:
		return "optimised"
	case Continued:
		return "continued"
	case LoweredOn:
		return "lowered on a standard library"
	}
	return fmt.Sprintf("form %d", uint32(f))
}

// A Header says what a program in an image was made from.
type Header struct {
	Form        Form
	Determinism uint32 // gyr.DeterminismVersion of the writer
	Go          string // release of the standard library, go1.26
	FrontEnd    string // what lowered the program beside gyr, for people: "go1.26.8, golang.org/x/tools v0.52.0"
	Tags        []string
	Unsafe      bool // a package of the program, outside the standard library, imports unsafe

	// Of a LoweredOn image: the standard library, by a hash of what it is made from, and the number of its last layer.
	Std   []byte
	Layer int
}

// Layers returns the images of the layers of the standard library that the image carries, the first layer first.
func (im *Image) Layers() ([][]byte, error) {
	c := cursor{b: im.sections[secStd]}
	var list [][]byte
	if c.left() > 0 {
		for range c.count(1) {
			list = append(list, c.bytes())
		}
	}
	return list, c.end("standard library")
}

// hasBase reports whether images of a form are of modules with a base.
func (f Form) hasBase() bool { return f == Continued || f == LoweredOn }

// magic is found at the start of an image. As in PNG, transfers as text change it.
const magic = "\x89gyr\r\n\x1a\n"

// A section is a part of the file.
type section int

const (
	secMeta   section = iota // Go release, front end, tags, counts of the tables
	secSigs                  // signatures, each once
	secFuncs                 // name, signature, flags, …, length of the body
	secBodies                // function bodies
	secFiles                 // names of source files
	secSites                 // Module.Sites
	secPos                   // Module.Pos
	secTables                // layouts, roots, types, hosts, shapes, entry, runtime, variables
	secData                  // the data segment
	secStd                   // of a LoweredOn image: the images of the layers that it continues, or nothing
	numSections
)

var sectionNames = [numSections]string{"meta", "signatures", "functions", "bodies", "files", "sites", "positions",
	"tables", "data", "standard library"}

// The header of the file, in little-endian words of 4 bytes after the magic:
// format version, determinism version, form, CRC of the header with zero in this
// place; then for each section its length (8 bytes) and CRC.
const (
	offVersion     = 8
	offDeterminism = 12
	offForm        = 16
	offCRC         = 20
	offSections    = 24
	sectionEntry   = 12
	headerSize     = offSections + int(numSections)*sectionEntry
)

// A FormatError says why a file is no image that can be read.
type FormatError struct{ Reason string }

func (e *FormatError) Error() string { return "image: " + e.Reason }

func formatError(format string, args ...any) error {
	return &FormatError{fmt.Sprintf(format, args...)}
}

// Is reports whether data begins like an image, of any version.
func Is(data []byte) bool { return len(data) >= len(magic) && string(data[:len(magic)]) == magic }

// An Image is the content of a file whose frame is valid. It refers to the bytes that it was opened
// from, which must not change, and is safe for concurrent use.
type Image struct {
	header   Header
	sections [numSections][]byte
	sizes    [numSections]int
	late     func(from, to int) ([]byte, error) // reads a part of what Split took out; nil: all sections are here
	lateData func(dst []byte, at int) error     // and of the data
	trusted  bool
	counts   counts
	base     counts // of a continued image: what the base's part of the tables is
	sigs     []ir.Sig

	places     []byte // of an image that was split
	placesOnce sync.Once
	placesErr  error
	siteBlocks []place[ir.Site]
	posBlocks  []place[ir.PosEntry]
}

// Open reads the frame of an image and checks it against its checksums.
func Open(data []byte) (*Image, error) { return open(data, Late{}, false) }

// OpenTrusted opens an image that is as it was written. The caller vouches for that: its checksums
// are not checked, and parts of it are decoded late.
func OpenTrusted(data []byte) (*Image, error) { return open(data, Late{}, true) }

// A Late reads the parts that Split takes out of an image.
type Late struct {
	Code func(from, to int) ([]byte, error) // returns a part of the code, which must not change
	Data func(dst []byte, at int) error     // fills dst with data from a place on
}

// Split separates the parts of an image that are read lazily: the code, which is the bodies of functions and the places
// in the source, and the data without those of its base, below bytes. The rest is not an image by itself. The image
// must be one that can be opened.
func Split(image []byte, below int) (rest, code, data []byte, err error) {
	im, err := Open(image)
	if err != nil {
		return nil, nil, nil, err
	}
	patch, data, err := im.splitData(below)
	if err != nil {
		return nil, nil, nil, err
	}
	rest = slices.Clone(image[:headerSize])
	binary.LittleEndian.PutUint64(rest[offSections+int(secData)*sectionEntry:], uint64(len(patch)))
	binary.LittleEndian.PutUint32(rest[offCRC:], headerCRC(rest))
	im.sections[secData] = patch
	for s := range numSections {
		if !s.late() {
			rest = append(rest, im.sections[s]...)
		}
	}
	if rest, err = im.appendPlaces(rest); err != nil {
		return nil, nil, nil, err
	}
	return rest, slices.Concat(im.sections[secBodies], im.sections[secSites], im.sections[secPos]), data, nil
}

// WithoutVersion returns a copy of an image, or of the rest after Split, that names no determinism
// version. It serves to be hashed: its header has no checksum.
func WithoutVersion(image []byte) []byte {
	image = slices.Clone(image)
	clear(image[offDeterminism:offForm])
	clear(image[offCRC:offSections])
	return image
}

// late reports whether Split takes out the whole section.
func (s section) late() bool { return s == secBodies || s == secSites || s == secPos }

// latePart returns a part of a section that Split takes out of images, wherever it is.
func (im *Image) latePart(s section, from, to int) ([]byte, error) {
	if im.late == nil {
		return im.sections[s][from:to], nil
	}
	at := 0
	for _, t := range []section{secBodies, secSites, secPos} {
		if t == s {
			break
		}
		at += im.sizes[t]
	}
	return im.late(at+from, at+to)
}

// OpenSplit opens an image that was split, like OpenTrusted.
func OpenSplit(rest []byte, late Late) (*Image, error) { return open(rest, late, true) }

// open opens an image; late reads the missing parts of a split one.
func open(data []byte, late Late, trusted bool) (*Image, error) {
	if !Is(data) {
		return nil, formatError("not an image of gyr")
	}
	if len(data) < offSections {
		return nil, formatError("truncated header")
	}
	le := binary.LittleEndian
	if v := le.Uint32(data[offVersion:]); v != Version {
		return nil, formatError("format version %d, this gyr reads %d", v, Version)
	}
	if len(data) < headerSize {
		return nil, formatError("truncated header")
	}
	if le.Uint32(data[offCRC:]) != headerCRC(data[:headerSize]) {
		return nil, formatError("damaged: checksum of the header")
	}
	im := &Image{late: late.Code, lateData: late.Data, trusted: trusted,
		header: Header{Form: Form(le.Uint32(data[offForm:])), Determinism: le.Uint32(data[offDeterminism:])}}
	if f := im.header.Form; f < Lowered || f >= numForms {
		return nil, formatError("unknown %s", f)
	}
	rest := data[headerSize:]
	for s := range im.sections {
		e := data[offSections+s*sectionEntry:]
		n := le.Uint64(e)
		im.sizes[s] = int(min(n, math.MaxInt))
		if section(s).late() && late.Code != nil {
			continue
		}
		if n > uint64(len(rest)) {
			return nil, formatError("truncated: section %s ends behind the file", sectionNames[s])
		}
		im.sections[s], rest = rest[:n:n], rest[n:]
		if !trusted && crc32.Checksum(im.sections[s], castagnoli()) != le.Uint32(e[8:]) {
			return nil, formatError("damaged: checksum of section %s", sectionNames[s])
		}
	}
	if late.Code != nil {
		im.places = rest
	} else if len(rest) > 0 {
		return nil, formatError("%d bytes behind the end", len(rest))
	}
	if err := im.readMeta(); err != nil {
		return nil, err
	}
	return im, nil
}

// Header says what the program was made from.
func (im *Image) Header() Header {
	h := im.header
	h.Tags = slices.Clone(h.Tags)
	return h
}

// castagnoli returns the table of checksums, which takes time to make.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// headerCRC returns the checksum of a header. The checksum's own place counts as zero.
func headerCRC(h []byte) uint32 {
	c := crc32.Update(0, castagnoli(), h[:offCRC])
	c = crc32.Update(c, castagnoli(), make([]byte, 4))
	return crc32.Update(c, castagnoli(), h[offSections:])
}
