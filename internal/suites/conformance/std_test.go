package conformance

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/release"
)

// stdEngine are the packages whose tests the engine was first tested with.
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

// stdMore are the packages of -std=more: others that work in the sandbox. No part of the engine was
// written for them.
var stdMore = []string{
	"archive/tar", "archive/zip", "compress/bzip2", "compress/lzw", "compress/zlib", "crypto/aes", "crypto/des", "crypto/hmac",
	"crypto/cipher", "crypto/ecdsa", "crypto/ed25519", "crypto/elliptic", "crypto/rand", "crypto/rsa", "crypto/sha1", "crypto/sha3", "crypto/sha512",
	"crypto/subtle", "database/sql", "debug/dwarf", "debug/elf", "encoding", "encoding/ascii85", "encoding/asn1", "encoding/base32", "encoding/pem",
	"expvar", "flag", "go/ast", "go/build/constraint", "go/constant", "go/doc", "go/printer", "go/token", "go/types", "go/version",
	"internal/diff", "internal/fmtsort", "internal/profile", "internal/zstd",
	"image", "image/color", "image/draw", "image/gif", "image/jpeg", "image/png", "index/suffixarray", "io/fs", "log", "log/slog",
	"mime", "mime/multipart", "mime/quotedprintable", "net", "net/http", "net/http/cookiejar", "net/http/fcgi", "net/http/httptest", "net/http/httputil",
	"net/rpc", "net/rpc/jsonrpc", "net/smtp", "os/exec", "os/user", "net/mail", "net/netip", "net/textproto",
	"testing/fstest", "testing/iotest", "testing/quick", "weak",
}

// stdDirs are directories, relative to GOROOT, that a package's tests read besides their own.
var stdDirs = map[string][]string{
	"compress/flate": {"src/testdata"},
	"compress/gzip":  {"src/testdata"},
	"path/filepath":  {"src"},
	"go/parser":      {"src/go"},
	"go/types":       {"src/cmd/compile/internal/types2", "src/internal/types/testdata"},
	"internal/zstd":  {"src/testdata"},
	"io/fs":          {"src/io"},
	"time":           {"lib/time"},
}

// stdPackage is a package of the standard library.
func stdPackage(goroot, path string) testPackage {
	dir := filepath.Join(goroot, "src", filepath.FromSlash(path))
	p := testPackage{path: path, dir: dir, dirs: []string{dir}}
	if shared := filepath.Join(filepath.Dir(dir), "testdata"); isDir(shared) {
		p.dirs = append(p.dirs, shared)
	}
	for _, d := range stdDirs[path] {
		p.dirs = append(p.dirs, filepath.Join(goroot, filepath.FromSlash(d)))
	}
	return p
}

func isDir(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

var stdFlag = flag.String("std", "", "run the tests of these packages of the standard library, `a,b,…`; engine, all, more: the lists of std.go")

// stdSample is the list that runs without a flag.
var stdSample = []string{"errors", "container/list", "container/heap", "sort"}

// installedRelease returns the release of the standard library under test. Each release has its own
// list of tests.
func installedRelease(t *testing.T) *release.Release {
	t.Helper()
	installed, err := gyr.FindGo("")
	if err != nil {
		t.Fatal(err)
	}
	return release.Of(installed.Release)
}

// TestStd runs the standard library's own tests in the sandbox.
func TestStd(t *testing.T) {
	s := newSuite(t, "testdata/std-passed_"+installedRelease(t).Name()+".txt", "testdata/std-excluded.txt", "testdata/std-alloc.txt")
	var list []testPackage
	for _, name := range stdNames(*stdFlag, stdSample) {
		list = append(list, stdPackage(s.run.goroot, name))
	}
	s.packages(t, list)
}

// stdNames returns the packages that a flag names, or the sample without it.
func stdNames(flag string, sample []string) []string {
	switch flag {
	case "":
		return sample
	case "engine":
		return stdEngine
	case "all":
		return stdAll
	case "more":
		return stdMore
	}
	return strings.Split(flag, ",")
}
