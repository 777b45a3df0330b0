package wasi

import (
	"io"
	"io/fs"
	"os"
	"time"
)

// A Blocking is code of the host that may block for ever: see Host.Block.
type Blocking interface {
	Do()
	Place() Place
}

// A Place is the code of the host that a run is in, for messages.
type Place uint32

// Places of this package.
const (
	InGuest Place = iota // not in code of the host
	InReader
	InWriter
	InFile
	InMount

	NumPlaces // the first place of other packages
)

// Places names the places of this package.
var Places = [NumPlaces]string{InReader: "the Reader of Config.Stdin", InWriter: "the Writer of Config.Stdout or Stderr",
	InFile: "a file of Config.Dirs", InMount: "a file system of Config.Mounts"}

// A callKind is what is called, and how.
type callKind struct {
	place Place
	do    func(c *hostCall)
}

var (
	callReader   = &callKind{InReader, (*hostCall).readStream}
	callWriter   = &callKind{InWriter, (*hostCall).writeStream}
	callVolume   = &callKind{InMount, (*hostCall).askVolume}
	callRead     = &callKind{InFile, (*hostCall).readFile}
	callWrite    = &callKind{InFile, (*hostCall).writeFile}
	callTransfer = &callKind{InFile, (*hostCall).transferFile}
	callReadDir  = &callKind{InFile, (*hostCall).readDir}
)

// A hostCall is a call of a Reader, a Writer, a file or a volume of the host, with its arguments
// and results. A System reuses one hostCall, so that reading and writing do not allocate. If a run
// ends while the call blocks, the call belongs to the goroutine that makes it, and the System can
// only be closed.
type hostCall struct {
	sys  *System
	kind *callKind

	// The target of the call: the field that kind uses.
	reader   io.Reader
	writer   io.Writer
	out      *output
	transfer func(p []byte, off int64) (int, error)
	dir      *os.File
	ask      func() error

	method string // method name for a panic, if kind recovers from one
	p      []byte // guest memory
	off    int64
	at     time.Time

	n       int
	err     error
	entries []fs.DirEntry
}

// Do implements Blocking.
func (c *hostCall) Do() { c.kind.do(c) }

// Place implements Blocking.
func (c *hostCall) Place() Place { return c.kind.place }

// block makes a call of the host. If ok is false, the run is over and the results belong to the
// call's goroutine.
func (s *System) block(c hostCall) (call *hostCall, ok bool) {
	c.sys = s
	s.call = c
	return &s.call, s.host.Block(&s.call)
}

// Calls of a Reader, a Writer and a volume record a panic of the host's code in System.crash.

func (c *hostCall) readStream() {
	defer c.sys.recovered("Read")
	c.n, c.err = c.reader.Read(c.p)
}

func (c *hostCall) writeStream() {
	if timed := c.out.timed; timed != nil {
		defer c.sys.recovered("WriteTimed")
		c.n, c.err = timed.WriteTimed(c.p, c.at)
		return
	}
	defer c.sys.recovered("Write")
	c.n, c.err = c.out.w.Write(c.p)
}

func (c *hostCall) askVolume() {
	defer c.sys.recovered(c.method)
	c.err = c.ask()
}

// Files of the operating system do not panic.

func (c *hostCall) readFile()     { c.n, c.err = c.reader.Read(c.p) }
func (c *hostCall) writeFile()    { c.n, c.err = c.writer.Write(c.p) }
func (c *hostCall) transferFile() { c.n, c.err = c.transfer(c.p, c.off) }
func (c *hostCall) readDir()      { c.entries, c.err = c.dir.ReadDir(256) }
