package engine

import (
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/release"
)

// layers lists the packages of the precompiled standard library in the order in which they are
// compiled: all packages that programs for wasip1 can import. A layer includes the dependencies of
// its packages, unless an earlier layer has them.
//
// A layer continues those before it, and a program continues the last layer that it needs. So the
// addresses in a program follow only from that layer, not from which layers exist or when they were
// made. A program takes all layers up to the last one that it needs, so rarely needed packages are
// in the last layers.
//
// A name with @27 is a package that exists since go1.27.
var layers = [...][]string{
	strings.Fields(`
		bufio bytes cmp container/heap container/list container/ring context errors flag fmt io io/fs iter log maps
		math math/bits math/cmplx math/rand math/rand/v2 os path path/filepath reflect runtime runtime/debug slices
		sort strconv strings structs sync sync/atomic time unicode unicode/utf16 unicode/utf8 unique weak`),
	strings.Fields(`
		crypto crypto/md5 crypto/sha1 crypto/sha256 crypto/sha512 encoding encoding/base32 encoding/base64
		encoding/binary encoding/csv encoding/hex encoding/json encoding/json/jsontext@27 encoding/json/v2@27 hash hash/adler32 hash/crc32 hash/crc64 hash/fnv
		hash/maphash html io/ioutil log/slog math/big regexp regexp/syntax runtime/metrics runtime/pprof runtime/trace
		testing testing/fstest testing/internal/testdeps testing/iotest testing/quick text/tabwriter text/template
		text/template/parse`),
	strings.Fields(`
		archive/tar archive/zip compress/bzip2 compress/flate compress/gzip compress/lzw compress/zlib crypto/aes
		crypto/cipher crypto/des crypto/dsa crypto/ecdh crypto/ecdsa crypto/ed25519 crypto/elliptic crypto/fips140
		crypto/hkdf crypto/hmac crypto/hpke crypto/mldsa@27 crypto/mlkem crypto/mlkem/mlkemtest crypto/pbkdf2 crypto/rand crypto/rc4
		crypto/rsa crypto/sha3 crypto/subtle embed encoding/ascii85 encoding/asn1 encoding/gob encoding/pem
		encoding/xml html/template mime mime/quotedprintable net/netip net/textproto net/url os/exec os/signal os/user
		syscall testing/cryptotest testing/slogtest testing/synctest time/tzdata uuid@27`),
	strings.Fields(`
		crypto/tls crypto/x509 crypto/x509/pkix mime/multipart net net/mail net/smtp`),
	strings.Fields(`
		expvar net/http net/http/cgi net/http/cookiejar net/http/fcgi net/http/httptest net/http/httptrace
		net/http/httputil net/http/pprof net/rpc net/rpc/jsonrpc`),
	strings.Fields(`
		database/sql database/sql/driver debug/buildinfo debug/dwarf debug/elf debug/gosym debug/macho
		debug/pe debug/plan9obj go/ast go/build go/build/constraint go/constant go/doc go/doc/comment go/format
		go/importer go/parser go/printer go/scanner go/token go/types go/version image image/color
		image/color/palette image/draw image/gif image/jpeg image/png index/suffixarray log/syslog runtime/coverage
		runtime/race text/scanner`),
}

// layeredPackages are the layers of a release, and the layer of each package.
type layeredPackages struct {
	lists [len(layers)][]string
	of    map[string]int
}

// layersOf returns the layers of a release.
var layersOf = release.Each(func(r *release.Release) *layeredPackages {
	p := &layeredPackages{of: map[string]int{}}
	for k, list := range layers {
		for _, name := range list {
			path, since, _ := strings.Cut(name, "@")
			if minor, _ := strconv.Atoi(since); minor <= r.Minor {
				p.lists[k] = append(p.lists[k], path)
				p.of[path] = k
			}
		}
	}
	return p
})

// layersIn returns the layers of a Go installation's release. Without an installation no layer can
// be made, but an image may carry some.
func layersIn(goroot string) *layeredPackages {
	if _, version, err := gomod.FindGo(goroot); err == nil {
		return layersOf(release.Of(version))
	}
	return layersOf(release.Oldest())
}
