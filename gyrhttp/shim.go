package gyrhttp

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// shimFile is the name of the file that WithShim adds, and shimFunc that of the function in it.
const (
	shimFile = "gyrhttp_shim.go"
	shimFunc = "GyrServeHTTP"
)

// Shim returns the source of the file that a guest package of the given name needs beside its function Handler: for hosts that
// write it into the guest's directory themselves, as gyrhttp_shim.go.
func Shim(name string) []byte { return []byte("package " + name + "\n" + shim) }

// shim calls the package's Handler. Its imports have names of their own, so that they are in nobody's way.
const shim = `
import (
	gyrbytes "bytes"
	gyrio "io"
	gyrhttp "net/http"
	gyrurl "net/url"
)

type gyrHeader struct {
	Key    string
	Values []string
}

type gyrRequest struct {
	Method, URI, Proto, Host, Remote string
	Major, Minor                     int
	Header                           []gyrHeader
	Body                             []byte
	Limit                            int // bytes of the answer's body
}

type gyrResponse struct {
	Status  int
	Header  []gyrHeader
	Body    []byte
	TooLong bool
	Aborted bool // the handler panicked with http.ErrAbortHandler
}

// gyrWriter is the ResponseWriter.
type gyrWriter struct {
	header, sent gyrhttp.Header
	status       int
	body         gyrbytes.Buffer
	limit        int
	tooLong      bool
}

func (w *gyrWriter) Header() gyrhttp.Header { return w.header }

func (w *gyrWriter) WriteHeader(status int) {
	if w.status == 0 && (status < 100 || status > 199) {
		w.status, w.sent = status, w.header.Clone()
	}
}

func (w *gyrWriter) Write(p []byte) (int, error) {
	w.WriteHeader(gyrhttp.StatusOK)
	switch {
	case w.status == gyrhttp.StatusNoContent || w.status == gyrhttp.StatusNotModified:
		return 0, gyrhttp.ErrBodyNotAllowed
	case len(p) > w.limit-w.body.Len():
		w.tooLong = true
		return 0, gyrhttp.ErrContentLength
	}
	return w.body.Write(p)
}

var gyrHandler = Handler()

// GyrServeHTTP answers a request of the host.
func GyrServeHTTP(in gyrRequest) (out gyrResponse) {
	u, err := gyrurl.ParseRequestURI(in.URI)
	if err != nil {
		return gyrResponse{Status: gyrhttp.StatusBadRequest}
	}
	r := &gyrhttp.Request{
		Method: in.Method, URL: u, Proto: in.Proto, ProtoMajor: in.Major, ProtoMinor: in.Minor, Header: gyrhttp.Header{},
		Body: gyrio.NopCloser(gyrbytes.NewReader(in.Body)), ContentLength: int64(len(in.Body)),
		Host: in.Host, RemoteAddr: in.Remote, RequestURI: in.URI,
	}
	if len(in.Body) == 0 {
		r.Body = gyrhttp.NoBody
	}
	for _, h := range in.Header {
		r.Header[h.Key] = h.Values
	}
	w := &gyrWriter{header: gyrhttp.Header{}, limit: in.Limit}
	func() {
		defer func() {
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
	out.Status, out.Body, out.TooLong = w.status, w.body.Bytes(), w.tooLong
	for k, v := range w.sent {
		out.Header = append(out.Header, gyrHeader{k, v})
	}
	return out
}
`

// WithShim returns a file system with the files of fsys and, in a directory, the file that calls the package's Handler. It
// fails if there is no package in the directory, or a file of that name.
func WithShim(fsys fs.FS, dir string) (fs.FS, error) {
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

// ReadDir lists the file too.
func (s *shimmed) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(s.fs, name)
	if err != nil || path.Clean(name) != s.dir {
		return list, err
	}
	list = append(list, fs.FileInfoToDirEntry(&openShim{size: len(s.text)}))
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

// openShim is the file when it is open, and what it tells about itself.
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

// openDir is the directory that has the file, when it is open.
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

var errNoInstances = errors.New("gyrhttp: Config.Instances is nil")
