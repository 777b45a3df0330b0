package wasi

import (
	"encoding/binary"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
)

// sortedNames is the order in which the fuzzers number the functions.
var sortedNames = func() []string {
	names := slices.Collect(maps.Keys(Funcs))
	names = slices.AppendSeq(names, maps.Keys(FileFuncs))
	slices.Sort(names)
	return names
}()

// Every function that stores or reads through an address refuses one outside the memory with
// EFAULT, whatever the argument's position.
func TestBadAddresses(t *testing.T) {
	// ok is a good address, n a length or count, bad the one under test.
	const ok, bad = memStart + 64, 1 << 20 << 4
	edge := uint64(memEnd - 2)
	for _, c := range []struct {
		name string
		args []uint64
	}{
		{"args_get", []uint64{bad, ok}}, {"args_get", []uint64{ok, bad}}, {"args_get", []uint64{edge, ok}},
		{"args_sizes_get", []uint64{bad, ok}}, {"args_sizes_get", []uint64{ok, bad}},
		{"environ_get", []uint64{bad, ok}}, {"environ_get", []uint64{ok, edge}},
		{"environ_sizes_get", []uint64{bad, ok}}, {"environ_sizes_get", []uint64{ok, bad}},
		{"clock_time_get", []uint64{0, 0, bad}}, {"clock_time_get", []uint64{0, 0, edge}}, {"clock_time_get", []uint64{0, 0, 0}},
		{"poll_oneoff", []uint64{bad, ok, 1, ok}}, {"poll_oneoff", []uint64{ok, bad, 1, ok}}, {"poll_oneoff", []uint64{ok, ok, 1, bad}},
		{"poll_oneoff", []uint64{ok, ok, 60000, ok}},
		{"random_get", []uint64{bad, 1}}, {"random_get", []uint64{ok, 1 << 31}}, {"random_get", []uint64{^uint64(0), 16}},
		{"fd_fdstat_get", []uint64{1, bad}}, {"fd_filestat_get", []uint64{1, bad}}, {"fd_filestat_get", []uint64{3, edge}},
		{"fd_prestat_get", []uint64{3, bad}}, {"fd_prestat_dir_name", []uint64{3, bad, 100}},
		{"fd_read", []uint64{0, bad, 1, ok}}, {"fd_read", []uint64{0, ok, 1, bad}}, {"fd_read", []uint64{0, edge, 1, ok}},
		{"fd_write", []uint64{1, bad, 1, ok}}, {"fd_write", []uint64{1, ok, 1, bad}},
		{"fd_readdir", []uint64{3, bad, 100, 0, ok}}, {"fd_readdir", []uint64{3, ok, 100, 0, bad}}, {"fd_readdir", []uint64{3, ok, 1 << 31, 0, ok}},
		{"path_open", []uint64{3, 0, bad, 5, 0, 0, 0, 0, ok}}, {"path_open", []uint64{3, 0, ok, 5, 0, 0, 0, 0, bad}},
		{"path_filestat_get", []uint64{3, 0, bad, 4, ok}},
		{"path_create_directory", []uint64{3, bad, 4}}, {"path_unlink_file", []uint64{3, ok, 1 << 30}},
		{"path_symlink", []uint64{bad, 4, 3, ok, 4}},
		{"open", []uint64{3, 0, bad, 5, 0, 0, 0, 0, 0o600, ok}}, {"open", []uint64{3, 0, ok, 5, 0, 0, 0, 0, 0o600, bad}},
		{"mkdir", []uint64{3, bad, 4, 0o700}}, {"mkdir", []uint64{3, ok, 1 << 30, 0o700}}, {"chmod", []uint64{3, 0, bad, 4, 0}},
	} {
		g := newGuest(t, api.Config{Name: "a", Env: []string{"B=c"}, Dirs: []api.Dir{{Host: t.TempDir(), Guest: "/"}}})
		if e := g.call(c.name, c.args...); e != EFAULT {
			t.Errorf("%s%#x: errno %d, want EFAULT", c.name, c.args, e)
		}
	}
	var out calls
	g := newGuest(t, api.Config{Stdout: &out})
	v, n := g.iovec(ok, 10, bad, 10)
	g.wantErrno("a bad piece", g.call("fd_write", 1, v, n, ok), EFAULT)
	v, n = g.iovec(ok, 0xffffffff)
	g.wantErrno("a long piece", g.call("fd_write", 1, v, n, ok), EFAULT)
	g.wantErrno("many pieces", g.call("fd_write", 1, v, 1<<29, ok), EINVAL)
	if len(out.writes) != 0 {
		t.Errorf("written nevertheless: %q", out.writes)
	}
}

// hostileGuest is a system over a directory with a few files and links.
func hostileGuest(t testing.TB) (g *guest, outside string) {
	base := t.TempDir()
	dir := filepath.Join(base, "in")
	outside = filepath.Join(base, "out")
	writeFile(t, filepath.Join(outside, "secret"), "secret")
	writeFile(t, filepath.Join(dir, "a"), "aaaa")
	writeFile(t, filepath.Join(dir, "d/b"), "bbbb")
	os.Symlink("../out", filepath.Join(dir, "l"))
	ro := filepath.Join(base, "ro")
	writeFile(t, filepath.Join(ro, "r"), "r")
	g = newGuest(t, api.Config{
		Name: "prog", Args: []string{"x"}, Env: []string{"A=b"},
		Stdin: strings.NewReader(strings.Repeat("input", 100)), Stdout: io.Discard, Stderr: io.Discard,
		Dirs: []api.Dir{{Host: dir, Guest: "/"}, {Host: ro, Guest: "/ro", ReadOnly: true}},
	}, Setup{MaxFiles: 20})
	g.host.limit = 1 << 20
	return g, outside
}

// hostileTree is a system whose descriptors 3 and 4 are a granted directory, which is in the tree,
// and a copy. Descriptor 5 is the tree's root, with two mounts.
func hostileTree(t testing.TB) (g *guest, outside string) {
	base := t.TempDir()
	dir := filepath.Join(base, "in")
	outside = filepath.Join(base, "out")
	writeFile(t, filepath.Join(outside, "secret"), "secret")
	writeFile(t, filepath.Join(dir, "a"), "aaaa")
	writeFile(t, filepath.Join(dir, "d/b"), "bbbb")
	os.Symlink("../out", filepath.Join(dir, "l"))
	copied := filepath.Join(base, "copied")
	writeFile(t, filepath.Join(copied, "d/b"), "bbbb")
	os.Symlink("../../out", filepath.Join(copied, "d/l"))
	g = newGuest(t, api.Config{
		Name: "prog", Dirs: []api.Dir{{Host: dir, Guest: "/tmp/g"}, {Host: copied, Guest: "/c", Copy: true}},
		Mounts: []api.Mount{{Guest: "/m", FS: fstest.MapFS{"f": {Data: []byte("mmmm")}, "d/l": {Data: []byte("../f"), Mode: fs.ModeSymlink}}},
			{Guest: "/w", Write: true}},
	}, Setup{MaxFiles: 20})
	g.host.limit = 1 << 20
	return g, outside
}

// hostilePaths are in guest memory, for the fuzzers to point at.
var hostilePaths = []string{"a", "d", "d/b", "../out/secret", "l/secret", ".", "..", "/", "new", "d/../..", "l", "r", "x\x00y", "", "a/", "d//b",
	"tmp/new", "tmp/g/l/secret", "c/d/l/secret", "c/d/b", "m/d/l", "w/new", "dev/urandom", "tmp/g/../..", "home/", "/m/f", "c/d", "bin/prog"}

// run executes a program, a series of calls: a function number, then one byte for each argument
// that picks a value.
func run(g *guest, program []byte, words []uint64) {
	pick := func(b byte) uint64 {
		switch {
		case b < 16:
			return uint64(b)
		case b < 32:
			return memStart + 32*(2*uint64(b&15)%uint64(len(hostilePaths))+uint64(len(words)&1)) // a path
		case b < 48:
			return memStart + 4096 + 64*uint64(b&15) // scratch
		case b < 64:
			return []uint64{0, 1 << 16, memEnd, memEnd - 1, memEnd - 8, memEnd - 64, ^uint64(0), 1<<32 - 1, 1 << 31, 1<<31 - 1,
				1 << 63, 1<<63 - 1, 1 << 32, 4096, 1<<64 - 64, 255}[b&15]
		case len(words) > 0:
			return words[int(b)%len(words)]
		}
		return uint64(b) << 8
	}
	for len(program) > 0 {
		name := sortedNames[int(program[0])%len(sortedNames)]
		program = program[1:]
		var a ir.Args
		for i := 0; i < 10 && len(program) > 0; i++ {
			a[i] = pick(program[0])
			program = program[1:]
		}
		funcOf(name)(g.sys, &a)
	}
}

//fuzz:runs 1500
func FuzzCalls(f *testing.F) {
	for i := range sortedNames {
		f.Add([]byte{byte(i), 3, 16, 2, 32, 33, 34, 35, 36, 37, 38}, []byte("memory"))
		f.Add([]byte{byte(i), 0, 32, 1, 33, 48, 49, 50, 51, 52, 53}, []byte{0, 0, 1, 0, 255, 255, 255, 255})
	}
	f.Fuzz(func(t *testing.T, program, memory []byte) {
		if len(program) > 4096 {
			return
		}
		make := hostileGuest
		if len(memory)%2 == 1 {
			make = hostileTree
		}
		g, outside := make(t)
		fillHostile(g, memory)
		var words []uint64
		for m := memory; len(m) >= 8; m = m[8:] {
			words = append(words, le.Uint64(m))
		}
		run(g, program, words)
		checkOutside(t, outside)
	})
}

// fillHostile writes paths to the start of memory and the fuzzer's bytes after them.
func fillHostile(g *guest, memory []byte) {
	for i, p := range hostilePaths {
		copy(g.mem[32*i:], p)
	}
	for at := 4096; at < 8192 && len(memory) > 0; at += len(memory) {
		copy(g.mem[at:], memory)
	}
}

func checkOutside(t *testing.T, outside string) {
	t.Helper()
	if got := readFile(t, filepath.Join(outside, "secret")); got != "secret" {
		t.Fatalf("the secret is now %q", got)
	}
	if list, _ := os.ReadDir(outside); len(list) != 1 {
		t.Fatalf("outside: %v", list)
	}
}

// The same with random programs, in every test run.
func TestHostileCalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 30
	if testing.Short() {
		rounds = 5
	}
	for round := range 2 * rounds {
		system := hostileGuest
		if round%2 == 1 {
			system = hostileTree
		}
		g, outside := system(t)
		memory := make([]byte, 8*(1+rng.IntN(64)))
		for i := 0; i < len(memory); i += 8 {
			// Words that look like the parts of iovecs and subscriptions.
			var w uint64
			switch rng.IntN(4) {
			case 0:
				w = rng.Uint64()
			case 1:
				w = memStart + rng.Uint64N(1<<13) | uint64(rng.IntN(100))<<32
			case 2:
				w = rng.Uint64N(16)
			}
			binary.LittleEndian.PutUint64(memory[i:], w)
		}
		fillHostile(g, memory)
		program := make([]byte, 10*300)
		for i := range program {
			program[i] = byte(rng.IntN(72))
		}
		run(g, program, nil)
		checkOutside(t, outside)
		g.sys.Close()
	}
}
