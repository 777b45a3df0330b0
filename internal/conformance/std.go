package conformance

import (
	"path/filepath"
	"slices"
)

// stdEngine are the packages whose tests the engine was first held against.
var stdEngine = []string{
	"bytes", "strings", "strconv", "sort", "errors", "io", "bufio", "unicode/utf8",
	"container/heap", "container/list", "math", "math/bits", "fmt",
}

// stdAll are the packages of -std=all.
var stdAll = append(slices.Clone(stdEngine),
	"slices", "maps", "cmp", "unicode", "unicode/utf16", "math/cmplx", "math/big", "math/rand", "math/rand/v2",
	"container/ring", "regexp", "regexp/syntax", "encoding/json", "encoding/binary", "encoding/base64", "encoding/hex",
	"encoding/csv", "encoding/xml", "encoding/gob", "text/template", "text/template/parse", "text/tabwriter", "text/scanner", "html", "html/template",
	"path", "path/filepath", "net/url", "hash", "hash/adler32", "hash/crc32", "hash/crc64", "hash/fnv", "hash/maphash",
	"crypto/sha256", "crypto/md5", "compress/flate", "compress/gzip", "time", "sync", "sync/atomic", "context", "iter", "unique",
	"reflect", "go/scanner", "go/parser", "go/format", "testing/synctest", "internal/synctest",
)

// stdDirs are directories outside of their own that the tests of a package read,
// below GOROOT.
var stdDirs = map[string][]string{
	"compress/flate": {"src/compress/testdata", "src/testdata"},
	"compress/gzip":  {"src/compress/testdata", "src/testdata"},
	"path/filepath":  {"src"},
	"go/parser":      {"src/go"},
	"time":           {"lib/time"},
}

// stdPackage is a package of the standard library.
func stdPackage(goroot, path string) testPackage {
	dir := filepath.Join(goroot, "src", filepath.FromSlash(path))
	p := testPackage{path: path, dir: dir, dirs: []string{dir}}
	for _, d := range stdDirs[path] {
		p.dirs = append(p.dirs, filepath.Join(goroot, filepath.FromSlash(d)))
	}
	return p
}
