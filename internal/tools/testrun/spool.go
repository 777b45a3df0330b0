package testrun

import (
	"bytes"
	"io"
	"os"
	"sync"
)

// spoolMemory is how many bytes a spool keeps in memory.
const spoolMemory = 1 << 20

// A spool keeps what is written to it until it is opened. From then on it passes everything on. It
// is safe for concurrent use.
type spool struct {
	mu   sync.Mutex
	dst  io.Writer // nil: not open
	buf  bytes.Buffer
	file *os.File // all contents, once they no longer fit into memory
	err  error    // an error of the file: what was written is lost
}

func (s *spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dst != nil {
		return s.dst.Write(p)
	}
	if s.file == nil && s.buf.Len()+len(p) > spoolMemory && s.err == nil {
		if s.file, s.err = os.CreateTemp("", "gyr-test-output"); s.err == nil {
			os.Remove(s.file.Name()) // the file disappears with the process, where the system allows it
			_, s.err = s.file.Write(s.buf.Bytes())
			s.buf = bytes.Buffer{}
		}
	}
	if s.file != nil {
		n, err := s.file.Write(p)
		if err != nil {
			s.err = err
		}
		return n, err
	}
	return s.buf.Write(p)
}

// open passes on what has been written so far, and later everything at once.
func (s *spool) open(dst io.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dst = dst
	_, err := s.copyTo(dst)
	return err
}

// copyTo writes what was kept, and keeps it no longer.
func (s *spool) copyTo(dst io.Writer) (n int64, err error) {
	if s.file != nil {
		if _, err = s.file.Seek(0, io.SeekStart); err == nil {
			n, err = io.Copy(dst, s.file)
		}
		s.drop()
		return n, err
	}
	n, err = s.buf.WriteTo(dst)
	s.buf = bytes.Buffer{}
	return n, err
}

func (s *spool) drop() {
	if s.file != nil {
		name := s.file.Name()
		s.file.Close()
		os.Remove(name)
		s.file = nil
	}
}

// close discards what was never passed on.
func (s *spool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	s.buf = bytes.Buffer{}
	s.dst = io.Discard
}
