package gyrhttp

import (
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr"
)

// shimFile is the name of the file that withShim adds, and shimFunc that of the function in it.
const (
	shimFile = "gyrhttp_shim.go"
	shimFunc = "GyrServeHTTP"
)

// Shim returns the source of the file that a guest package of the given name needs in addition to
// its function Handler. It is for hosts that write this file into the guest's directory themselves,
// as gyrhttp_shim.go. They compile the directory with Exports and with [Host].
func Shim(name string) []byte { return []byte("package " + name + "\n" + shim) }

// shim calls the package's Handler. Its imports have names of their own, so that they collide with
// nothing.
const shim = `
import (
	gyrbytes "bytes"
	gyrio "io"
	gyrhttp "net/http"
	gyrurl "net/url"

	gyrstream "` + hostPath + `"
)

type gyrRequest struct {
	Method, URI, Proto, Host, Remote string
	Major, Minor                     int
	Header                           []gyrstream.Header
	Body                             []byte // all of it, unless there is more
	More                             bool   // the body comes from gyrstream.Read
	Length, Limit                    int64  // of the body: -1 if it is not known, and the largest that the host takes
}

type gyrResponse struct {
	Status  int
	Header  []gyrstream.Header // with the status, unless they have been sent
	Body    []byte             // what has not been sent
	Aborted bool               // the handler panicked with http.ErrAbortHandler
}

// gyrBody is a request's body.
type gyrBody struct {
	rest   []byte
	err    error // behind rest
	more   bool
	closed bool
	limit  int64
}

func (b *gyrBody) Read(p []byte) (int, error) {
	switch {
	case b.closed:
		return 0, gyrhttp.ErrBodyReadAfterClose
	case len(p) == 0:
		return 0, nil
	case len(b.rest) == 0 && b.err == nil && b.more:
		b.rest, b.err = gyrstream.Read(len(p))
		if b.err == gyrstream.ErrTooLarge {
			b.err = &gyrhttp.MaxBytesError{Limit: b.limit}
		}
	}
	if len(b.rest) > 0 {
		n := copy(p, b.rest)
		b.rest = b.rest[n:]
		return n, nil
	}
	if b.err == nil {
		b.err = gyrio.EOF
	}
	return 0, b.err
}

func (b *gyrBody) Close() error {
	b.closed = true
	return nil
}

// gyrPiece is how much of an answer's body is kept before it is sent.
const gyrPiece = 32 << 10

// gyrWriter is the ResponseWriter.
type gyrWriter struct {
	header, fixed gyrhttp.Header // fixed: as they were when the status was set
	status        int
	body          gyrbytes.Buffer // not sent
	started       bool            // status and headers are sent
	over          bool            // the handler has returned
	err           error           // of sending
}

func (w *gyrWriter) Header() gyrhttp.Header { return w.header }

func (w *gyrWriter) WriteHeader(status int) {
	if w.status == 0 && (status < 100 || status > 199) {
		w.status, w.fixed = status, w.header.Clone()
	}
}

func (w *gyrWriter) Write(p []byte) (written int, err error) {
	if w.over {
		return 0, gyrhttp.ErrHandlerTimeout
	}
	w.WriteHeader(gyrhttp.StatusOK)
	if w.status == gyrhttp.StatusNoContent || w.status == gyrhttp.StatusNotModified {
		return 0, gyrhttp.ErrBodyNotAllowed
	}
	for w.err == nil && len(p) > 0 {
		n := min(len(p), gyrPiece-w.body.Len())
		w.body.Write(p[:n])
		written, p = written+n, p[n:]
		if w.body.Len() == gyrPiece {
			w.send()
		}
	}
	return written, w.err
}

// send sends what is kept.
func (w *gyrWriter) send() {
	if !w.started && w.err == nil {
		w.started = true
		w.err = gyrstream.Head(w.status, w.headers())
	}
	if w.body.Len() > 0 && w.err == nil {
		w.err = gyrstream.Write(w.body.Bytes())
	}
	w.body.Reset()
}

func (w *gyrWriter) headers() (list []gyrstream.Header) {
	for k, v := range w.fixed {
		list = append(list, gyrstream.Header{Key: k, Values: v})
	}
	return list
}

func (w *gyrWriter) Flush() { w.FlushError() }

func (w *gyrWriter) FlushError() error {
	if w.over {
		return gyrhttp.ErrHandlerTimeout
	}
	w.WriteHeader(gyrhttp.StatusOK)
	w.send()
	if w.err == nil {
		w.err = gyrstream.Flush()
	}
	return w.err
}

var gyrHandler = Handler()

// GyrServeHTTP answers a request of the host.
func GyrServeHTTP(in gyrRequest) (out gyrResponse) {
	u, err := gyrurl.ParseRequestURI(in.URI)
	if err != nil {
		return gyrResponse{Status: gyrhttp.StatusBadRequest}
	}
	body := &gyrBody{rest: in.Body, more: in.More, limit: in.Limit}
	r := &gyrhttp.Request{
		Method: in.Method, URL: u, Proto: in.Proto, ProtoMajor: in.Major, ProtoMinor: in.Minor, Header: gyrhttp.Header{},
		Body: body, ContentLength: in.Length, Host: in.Host, RemoteAddr: in.Remote, RequestURI: in.URI,
	}
	if in.Length == 0 {
		r.Body = gyrhttp.NoBody
	}
	if in.Length < 0 {
		r.TransferEncoding = []string{"chunked"}
	}
	for _, h := range in.Header {
		r.Header[h.Key] = h.Values
	}
	w := &gyrWriter{header: gyrhttp.Header{}}
	func() {
		defer func() {
			body.closed, w.over = true, true // goroutines that go on see another request's stream
			switch e := recover(); e {
			case nil:
			case gyrhttp.ErrAbortHandler:
				out.Aborted = true
			default:
				panic(e)
			}
		}()
		gyrHandler.ServeHTTP(w, r)
	}()
	w.WriteHeader(gyrhttp.StatusOK)
	out.Status, out.Body = w.status, w.body.Bytes()
	if !w.started {
		out.Header = w.headers()
	}
	return out
}
`

// Source returns the source of a guest whose package is in a directory of fsys: the package with
// one more file, which calls its Handler. It fails if the directory has no package, or has a file
// of that name. The caller may set other fields of the source. The options that compile it must
// have [Host] among their host packages.
func Source(fsys fs.FS, dir string) (gyr.Source, error) {
	files, err := withShim(fsys, dir)
	if err != nil {
		return gyr.Source{}, err
	}
	return gyr.Source{FS: files, Patterns: []string{"./" + path.Clean(dir)}, Exports: true}, nil
}

// withShim returns a file system with the files of fsys and that file in a directory.
func withShim(fsys fs.FS, dir string) (fs.FS, error) {
	dir = path.Clean(dir)
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("gyrhttp: %w", err)
	}
	name := ""
	for _, e := range entries {
		switch {
		case e.Name() == shimFile:
			return nil, fmt.Errorf("gyrhttp: there is a %s already", path.Join(dir, shimFile))
		case name != "" || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") || !e.Type().IsRegular():
			continue
		}
		text, err := fs.ReadFile(fsys, path.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("gyrhttp: %w", err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), text, parser.PackageClauseOnly)
		if err != nil {
			return nil, fmt.Errorf("gyrhttp: %w", err)
		}
		name = f.Name.Name
	}
	if name == "" {
		return nil, fmt.Errorf("gyrhttp: no Go files in %s", dir)
	}
	return &shimmed{fsys, dir, Shim(name)}, nil
}

// shimmed is a file system with one more file.
type shimmed struct {
	fs   fs.FS
	dir  string
	text []byte
}

func (s *shimmed) Open(name string) (fs.File, error) {
	switch name {
	case path.Join(s.dir, shimFile):
		return &openShim{Reader: strings.NewReader(string(s.text)), size: len(s.text)}, nil
	case s.dir:
		f, err := s.fs.Open(name)
		if err != nil {
			return nil, err
		}
		return &openDir{File: f, s: s}, nil
	}
	return s.fs.Open(name)
}

// ReadDir lists the extra file too.
func (s *shimmed) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(s.fs, name)
	if err != nil || path.Clean(name) != s.dir {
		return list, err
	}
	list = append(list, fs.FileInfoToDirEntry(&openShim{size: len(s.text)}))
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

// openShim is the extra file when it is open, and its fs.FileInfo.
type openShim struct {
	*strings.Reader
	size int
}

func (f *openShim) Stat() (fs.FileInfo, error) { return f, nil }
func (f *openShim) Close() error               { return nil }
func (f *openShim) Name() string               { return shimFile }
func (f *openShim) Size() int64                { return int64(f.size) }
func (f *openShim) Mode() fs.FileMode          { return 0o444 }
func (f *openShim) ModTime() time.Time         { return time.Time{} }
func (f *openShim) IsDir() bool                { return false }
func (f *openShim) Sys() any                   { return nil }

// openDir is the open directory that has the extra file.
type openDir struct {
	fs.File
	s    *shimmed
	rest []fs.DirEntry
	read bool
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if !d.read {
		var err error
		if d.rest, err = d.s.ReadDir(d.s.dir); err != nil {
			return nil, err
		}
		d.read = true
	}
	if n <= 0 {
		n = len(d.rest)
	} else if len(d.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.rest))
	list := d.rest[:n]
	d.rest = d.rest[n:]
	return list, nil
}
