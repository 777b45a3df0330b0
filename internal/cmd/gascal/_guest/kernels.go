package guest

import (
	"bytes"
	"compress/flate"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"hash/crc64"
	"hash/fnv"
	"hash/maphash"
	"io"
	"math"
	"math/big"
	"math/bits"
	"math/cmplx"
	mathrand "math/rand/v2"
	"os"
	"time"
)

var (
	seed     = maphash.MakeSeed()
	block, _ = aes.NewCipher(make([]byte, 16))
	gcm, _   = cipher.NewGCM(block)
	x, y, z  big.Int
	file     *os.File
)

func hashing(name string, h hash.Hash, n int) row {
	return each(fmt.Sprintf("kernels: %s of %d bytes", name, n), func() { bytesOf(n) }, func(int) {
		h.Reset()
		h.Write(from)
		raw = h.Sum(raw[:0])
	})
}

// integers makes two integers of n bits.
func integers(n int) {
	x.Lsh(big.NewInt(3), uint(n-2)).Sub(&x, big.NewInt(12345))
	y.Lsh(big.NewInt(2), uint(n-2)).Sub(&y, big.NewInt(54321))
	z.Lsh(big.NewInt(1), uint(2*n+1))
}

// kernelRows are functions that have kernels of their own here, and those of which one might think that they have.
func kernelRows() []row {
	var list []row
	for _, n := range []int{64, 64 << 10, 8 << 20} {
		list = append(list, hashing("SHA-256", sha256.New(), n), hashing("CRC-32", crc32.NewIEEE(), n))
	}
	const n = 4 << 10
	list = append(list,
		hashing("CRC-32C", crc32.New(crc32.MakeTable(crc32.Castagnoli)), n),
		hashing("CRC-64", crc64.New(crc64.MakeTable(crc64.ECMA)), n),
		hashing("Adler-32", adler32.New(), n),
		hashing("FNV-1a", fnv.New64a(), n),
		hashing("MD5", md5.New(), n),
		hashing("SHA-1", sha1.New(), n),
		hashing("SHA-512", sha512.New(), n),
		hashing("SHA3-256", sha3.New256(), n),
		hashing("HMAC of SHA-256", hmac.New(sha256.New, make([]byte, 32)), n),
		each("kernels: maphash of 4096 bytes", func() { bytesOf(n) }, func(int) { num += int(maphash.Bytes(seed, from)) }),
		each("kernels: AES block", func() { bytesOf(16) }, func(int) { block.Encrypt(to, from) }),
		each("kernels: AES-GCM of 4096 bytes", func() { bytesOf(n) }, func(int) { raw = gcm.Seal(raw[:0], make([]byte, 12), from, nil) }),
		each("kernels: Ed25519, sign", func() { key = ed25519.NewKeyFromSeed(make([]byte, 32)); bytesOf(64) }, func(int) { raw = ed25519.Sign(key, from) }),
		each("kernels: P-256, scalar base multiplication", func() { bytesOf(32) }, func(i int) {
			k, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), from)
			if err != nil {
				panic(err)
			}
			num += k.X.Sign()
		}),
		each("kernels: deflate 64 KiB", func() { texts(64 << 10); raw = []byte(text) }, func(int) {
			w, _ := flate.NewWriter(io.Discard, 6)
			w.Write(raw)
			w.Close()
		}),
		each("kernels: inflate 64 KiB", func() {
			texts(64 << 10)
			var b bytes.Buffer
			w, _ := flate.NewWriter(&b, 6)
			io.WriteString(w, text)
			w.Close()
			raw = b.Bytes()
		}, func(int) { k, _ := io.Copy(io.Discard, flate.NewReader(bytes.NewReader(raw))); num += int(k) }),
		each("kernels: base64 of 4096 bytes", func() { bytesOf(n) }, func(int) { str = base64.StdEncoding.EncodeToString(from) }),
		each("kernels: hex of 4096 bytes", func() { bytesOf(n) }, func(int) { str = hex.EncodeToString(from) }),
		each("kernels: binary.Uvarint", func() { raw = binary.AppendUvarint(nil, 1<<40) }, func(int) { v, _ := binary.Uvarint(raw); num += int(v) }))
	for _, bits := range []int{256, 4096, 262144} {
		set := func() { integers(bits) }
		of := fmt.Sprintf(" of %d bits", bits)
		list = append(list,
			each("big: Add"+of, set, func(int) { z.Add(&x, &y) }),
			each("big: Sub"+of, set, func(int) { z.Sub(&x, &y) }),
			each("big: Mul"+of, set, func(int) { z.Mul(&x, &y) }),
			each("big: Lsh"+of, set, func(int) { z.Lsh(&x, 7) }),
			each("big: Rsh"+of, set, func(int) { z.Rsh(&x, 7) }),
			each("big: Cmp"+of, set, func(int) { num += x.Cmp(&y) }))
	}
	return append(list,
		each("big: Quo of 4096 by 2048 bits", func() { integers(4096); y.Rsh(&y, 2048) }, func(int) { z.Quo(&x, &y) }),
		each("big: Exp of 512 bits", func() { integers(512) }, func(int) { z.Exp(&x, &y, modulus) }),
		each("big: text of 4096 bits", func() { integers(4096) }, func(int) { str = x.String() }),
		each("big: text of 262144 bits", func() { integers(262144) }, func(int) { str = x.String() }),
		each("big: SetString of 1000 digits", func() { integers(3322); str = x.String() }, func(int) { z.SetString(str, 10) }))
}

var (
	key     ed25519.PrivateKey
	modulus = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 512), big.NewInt(569))
)

// mathRows are functions of package math and its neighbours.
func mathRows() []row {
	var list []row
	for _, f := range []struct {
		name string
		f    func(float64) float64
	}{{"Sqrt", math.Sqrt}, {"Floor", math.Floor}, {"Exp", math.Exp}, {"Log", math.Log}, {"Sin", math.Sin}, {"Tan", math.Tan}, {"Atan", math.Atan},
		{"Sinh", math.Sinh}, {"Cbrt", math.Cbrt}, {"Gamma", math.Gamma}, {"Erf", math.Erf}, {"J0", math.J0}, {"Round", math.Round}} {
		list = append(list, each("math: "+f.name, nil, func(i int) { fl += f.f(float64(i&1023) / 7) }))
	}
	return append(list,
		each("math: Sin of a large number", nil, func(i int) { fl += math.Sin(1e300 + float64(i)*1e290) }),
		each("math: Pow", nil, func(i int) { fl += math.Pow(float64(i&1023)/7, 1.37) }),
		each("math: Mod", nil, func(i int) { fl += math.Mod(float64(i), 1.37) }),
		each("math: Mod, far apart", nil, func(i int) { fl += math.Mod(1e300+float64(i)*1e290, 3e-300) }),
		each("math: Hypot", nil, func(i int) { fl += math.Hypot(float64(i&1023), 3) }),
		loop("math: FMA", nil, func(n int) {
			for i := range n {
				fl = math.FMA(fl, 0.5, float64(i&1023))
			}
		}),
		each("math: subnormal product", func() { fl = 5e-310 }, func(int) { fl = fl * 0.9999999; fl += 1e-312 }),
		each("math: Frexp and Ldexp", nil, func(i int) { f, e := math.Frexp(float64(i)); fl += math.Ldexp(f, e&7) }),
		each("math: cmplx.Pow", nil, func(i int) { fl += real(cmplx.Pow(complex(float64(i&15), 2), 1.5)) }),
		each("math: bits.Div64", nil, func(i int) { q, r := bits.Div64(3, uint64(i), 7919); num += int(q + r) }),
		loop("math: bits.Mul64", nil, func(n int) {
			for i := range n {
				h, l := bits.Mul64(uint64(i), uint64(num))
				num += int(h ^ l)
			}
		}),
		each("math: complex division", nil, func(i int) { c := complex(float64(i), 2) / complex(3, fl); fl = real(c) }),
		each("math: rand.Uint64", nil, func(int) { num += int(mathrand.Uint64()) }),
		each("math: rand.NormFloat64", nil, func(int) { fl += mathrand.NormFloat64() }),
		each("math: ChaCha8", func() { thing = mathrand.NewChaCha8([32]byte{}) }, func(int) { num += int(thing.(*mathrand.ChaCha8).Uint64()) }))
}

// hostRows are functions of the host.
func hostRows() []row {
	open := func() {
		f, err := os.CreateTemp("", "")
		if err != nil {
			panic(err)
		}
		file = f
		raw = make([]byte, 64<<10)
		f.Write(raw)
	}
	list := []row{
		each("host: time.Now", nil, func(int) { num += time.Now().Nanosecond() }),
		each("host: time.Since", func() { thing = time.Now() }, func(int) { num += int(time.Since(thing.(time.Time))) }),
		each("host: Getenv", nil, func(int) { num += len(os.Getenv("NOTHING")) }),
		each("host: Getwd", nil, func(int) { d, _ := os.Getwd(); num += len(d) }),
		each("host: Stat", open, func(int) { i, _ := os.Stat(file.Name()); num += int(i.Size()) }),
		each("host: open and close", open, func(int) {
			f, err := os.Open(file.Name())
			if err != nil {
				panic(err)
			}
			f.Close()
		}),
		each("host: create and remove a file", nil, func(int) {
			f, err := os.CreateTemp("", "")
			if err != nil {
				panic(err)
			}
			f.Close()
			os.Remove(f.Name())
		}),
		each("host: ReadDir of 100", func() {
			for i := range 100 {
				os.WriteFile(fmt.Sprintf("%s/entry%d", os.TempDir(), i), nil, 0o600)
			}
		}, func(int) { e, _ := os.ReadDir(os.TempDir()); num += len(e) }),
	}
	for _, n := range []int{16, 64 << 10} {
		list = append(list,
			each(fmt.Sprintf("host: read %d bytes of a file", n), open, func(int) { k, _ := file.ReadAt(raw[:n], 0); num += k }),
			each(fmt.Sprintf("host: write %d bytes of a file", n), open, func(int) { k, _ := file.WriteAt(raw[:n], 0); num += k }),
			each(fmt.Sprintf("host: crypto/rand of %d bytes", n), open, func(int) { rand.Read(raw[:n]) }),
			each(fmt.Sprintf("host: write %d bytes to stdout", n), open, func(int) { os.Stdout.Write(raw[:n]) }))
	}
	return list
}
