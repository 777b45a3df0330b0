package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// childVariable is the environment variable that makes the test binary fill and read the cache that
// it names.
const childVariable = "GYR_CACHE_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		if err := fillAndRead(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func openTest(t testing.TB) *Dir {
	t.Helper()
	d, err := Open(filepath.Join(t.TempDir(), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// contents returns bytes longer than one piece, different for each n.
func contents(n int) []byte {
	b := make([]byte, pieceSize*2+1000)
	for i := range b {
		b[i] = byte(i*7 + n + i>>8 + i>>16)
	}
	return b
}

// headerSize is the size of the header of an entry with one section.
const headerSize = tableOffset + sectionSize

func name(n int) Name { return NameOf([]string{"test", fmt.Sprint(n)}) }

func TestPutAndGet(t *testing.T) {
	d := openTest(t)
	if b, err := d.Get(name(1)); b != nil || err != nil {
		t.Fatalf("an empty cache has %d bytes, %v", len(b), err)
	}
	for i, b := range [][]byte{contents(1), {}, []byte("x"), contents(4)[:pieceSize]} {
		if err := d.Put(name(i), b); err != nil {
			t.Fatal(err)
		}
		again, err := Open(d.Path()) // as another process would open it
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Get(name(i))
		if err != nil || got == nil || !bytes.Equal(got, b) {
			t.Errorf("entry %d: %d bytes, %v", i, len(got), err)
		}
	}
	if info, err := os.Stat(d.Path()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	list, _ := os.ReadDir(d.Path())
	for _, e := range list {
		if info, _ := e.Info(); info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
		if strings.HasPrefix(e.Name(), tempName) {
			t.Errorf("%s was left", e.Name())
		}
	}
}

// However a file is damaged, it counts either as the entry with its contents or as no entry.
func TestDamage(t *testing.T) {
	want := contents(1)
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, d *Dir, file []byte) []byte
	}{
		{"empty", func(*testing.T, *Dir, []byte) []byte { return nil }},
		{"header cut off", func(_ *testing.T, _ *Dir, f []byte) []byte { return f[:headerSize-1] }},
		{"contents cut off", func(_ *testing.T, _ *Dir, f []byte) []byte { return f[:len(f)-1] }},
		{"a piece cut off", func(_ *testing.T, _ *Dir, f []byte) []byte { return f[:headerSize+pieceSize] }},
		{"cut off, with a length that fits", func(_ *testing.T, _ *Dir, f []byte) []byte {
			binary.LittleEndian.PutUint64(f[tableOffset:], pieceSize)
			return f[:headerSize+pieceSize]
		}},
		{"longer", func(_ *testing.T, _ *Dir, f []byte) []byte { return append(f, 0) }},
		{"other format", func(_ *testing.T, _ *Dir, f []byte) []byte { f[8]++; return f }},
		{"other magic", func(_ *testing.T, _ *Dir, f []byte) []byte { f[1] = 'G'; return f }},
		{"pieces exchanged", func(_ *testing.T, _ *Dir, f []byte) []byte {
			a, b := f[headerSize:headerSize+pieceSize], f[headerSize+pieceSize:headerSize+2*pieceSize]
			for i := range a {
				a[i], b[i] = b[i], a[i]
			}
			return f
		}},
		{"checksum instead of a MAC", func(_ *testing.T, _ *Dir, f []byte) []byte {
			f[headerSize] ^= 1
			sum := sumOf(f[headerSize:])
			copy(f[headerSize-len(sum):], sum[:])
			sum = sha256.Sum256(f[tableOffset:headerSize])
			copy(f[macOffset:], sum[:])
			return f
		}},
		{"of another machine", func(t *testing.T, _ *Dir, f []byte) []byte {
			other := openTest(t)
			return append(other.seal(name(1), [][]byte{want}), want...)
		}},
		{"of another name", func(_ *testing.T, d *Dir, f []byte) []byte { return append(d.seal(name(2), [][]byte{want}), want...) }},
		{"random", func(_ *testing.T, _ *Dir, f []byte) []byte { return contents(9) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openTest(t)
			if err := d.Put(name(1), want); err != nil {
				t.Fatal(err)
			}
			file := d.file(name(1))
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, c.damage(t, d, data), 0o600); err != nil {
				t.Fatal(err)
			}
			if b, err := d.Get(name(1)); b != nil || err == nil {
				t.Errorf("%d bytes, %v", len(b), err)
			}
			if err := d.Put(name(1), want); err != nil {
				t.Fatal(err)
			}
			if b, err := d.Get(name(1)); !bytes.Equal(b, want) || err != nil {
				t.Errorf("written again: %d bytes, %v", len(b), err)
			}
		})
	}
	t.Run("every bit", func(t *testing.T) {
		d := openTest(t)
		b := []byte("the contents")
		file := append(d.seal(name(1), [][]byte{b}), b...)
		for i := range len(file) * 8 {
			file[i/8] ^= 1 << (i % 8)
			list, err := d.readHeader(name(1), bytes.NewReader(file), int64(len(file)))
			if err == nil {
				e := &Entry{file: writeTemp(t, file), sections: list}
				_, err = e.Section(0)
				e.Close()
			}
			if err == nil {
				t.Fatalf("bit %d of byte %d does not matter", i%8, i/8)
			}
			file[i/8] ^= 1 << (i % 8)
		}
	})
}

// writeTemp returns an open file with contents.
func writeTemp(t *testing.T, contents []byte) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, contents, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSections reads sections one by one. A damaged section does not affect the others.
func TestSections(t *testing.T) {
	d := openTest(t)
	want := [][]byte{[]byte("first"), contents(1), {}, contents(2)}
	if err := d.Put(name(1), want...); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(d.file(name(1)))
	if err != nil {
		t.Fatal(err)
	}
	file[len(file)-1] ^= 1
	if err := os.WriteFile(d.file(name(1)), file, 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := d.Open(name(1))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.Len() != len(want) {
		t.Fatalf("%d sections, want %d", e.Len(), len(want))
	}
	for i := range want {
		got, err := e.Section(i)
		if damaged := i == len(want)-1; damaged != (err != nil) || !damaged && !bytes.Equal(got, want[i]) {
			t.Errorf("section %d: %d bytes, %v", i, len(got), err)
		}
	}
	if _, err := e.Section(len(want)); err == nil {
		t.Error("a section that is not there")
	}
}

// A directory that another user owns or can enter is not used.
func TestOpenRefuses(t *testing.T) {
	dir := func(t *testing.T, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "cache")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := func(t *testing.T, data string, mode os.FileMode) string {
		path := dir(t, 0o700)
		file := filepath.Join(path, keyFile)
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := strings.Repeat("k", keySize)
	for name, path := range map[string]func(t *testing.T) string{
		"nowhere": func(t *testing.T) string {
			t.Chdir(dir(t, 0o700))
			return ""
		},
		"group may read": func(t *testing.T) string { return dir(t, 0o750) },
		"all may enter":  func(t *testing.T) string { return dir(t, 0o701) },
		"all may write":  func(t *testing.T) string { return dir(t, 0o777) },
		"a file":         func(t *testing.T) string { return filepath.Join(key(t, good, 0o600), keyFile) },
		"below a file":   func(t *testing.T) string { return filepath.Join(key(t, good, 0o600), keyFile, "x") },
		"short key":      func(t *testing.T) string { return key(t, "short", 0o600) },
		"open key":       func(t *testing.T) string { return key(t, good, 0o640) },
		"key is a link": func(t *testing.T) string {
			path := dir(t, 0o700)
			if err := os.Symlink(filepath.Join(key(t, good, 0o600), keyFile), filepath.Join(path, keyFile)); err != nil {
				t.Fatal(err)
			}
			return path
		},
		"of another user": func(t *testing.T) string {
			path := dir(t, 0o700)
			if err := os.Chown(path, 12345, 12345); err != nil {
				t.Skip(err)
			}
			return path
		},
		"key of another user": func(t *testing.T) string {
			path := key(t, good, 0o600)
			if err := os.Chown(filepath.Join(path, keyFile), 12345, 12345); err != nil {
				t.Skip(err)
			}
			return path
		},
		"read-only": func(t *testing.T) string {
			if os.Geteuid() == 0 {
				t.Skip("root may write everywhere")
			}
			return filepath.Join(dir(t, 0o500), "cache")
		},
	} {
		t.Run(name, func(t *testing.T) {
			if d, err := Open(path(t)); err == nil {
				t.Errorf("%s is opened", d.Path())
			}
		})
	}
}

// When the entries together are too large the oldest go; a recently read entry stays.
func TestTrim(t *testing.T) {
	d := openTest(t)
	size := int64(len(contents(0))) + headerSize
	d.Limit = 8*size + 4*keySize
	now := time.Now()
	for i := range 8 {
		if err := d.Put(name(i), contents(i)); err != nil {
			t.Fatal(err)
		}
		at := now.Add(time.Duration(i-100) * useStep)
		if err := os.Chtimes(d.file(name(i)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	d.Get(name(0)) // the oldest entry is read
	if err := d.Put(name(8), contents(8)); err != nil {
		t.Fatal(err)
	}
	d.trimming.Wait()
	var left []int
	for i := range 9 {
		if b, _ := d.Get(name(i)); b != nil {
			left = append(left, i)
		}
	}
	if want := []int{0, 4, 5, 6, 7, 8}; !reflect.DeepEqual(left, want) {
		t.Errorf("left: %v, want %v", left, want)
	}
	// Entries without a use for a long time go even if space is left. So do temporary files of a
	// process that died while it wrote.
	stray := filepath.Join(d.Path(), tempName+"1")
	if err := os.WriteFile(stray, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.trim("", now.Add(maxAge+time.Hour*24))
	if list, _ := os.ReadDir(d.Path()); len(list) != 2 || list[0].Name() != keyFile || list[1].Name() != usedFile {
		t.Errorf("left: %v", list)
	}
	// An entry that would displace all others is not written.
	d.Limit = size
	if err := d.Put(name(1), contents(1)); err != nil {
		t.Fatal(err)
	}
	if b, _ := d.Get(name(1)); b != nil {
		t.Error("an entry of the whole limit was written")
	}
}

// The directory is listed the first time, once an hour, when the writes of all processes may exceed
// the limit, and when the file of sizes is useless; and by one process at a time.
func TestDueTrim(t *testing.T) {
	d := openTest(t)
	used := filepath.Join(d.Path(), usedFile)
	now := time.Now()
	note := func(size int64, at time.Time, due, first bool) {
		t.Helper()
		if gotDue, gotFirst := d.note(size, at); gotDue != due || gotFirst != first {
			t.Errorf("due %t, first %t", gotDue, gotFirst)
		}
	}
	note(1, now, true, true)
	if err := d.Put(name(1), contents(1)); err != nil {
		t.Fatal(err)
	}
	note(1, now, false, false)
	other, err := Open(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Put(name(2), contents(2)); err != nil {
		t.Fatal(err)
	}
	infos, err := files(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	left := d.Limit
	for _, i := range infos {
		if i.Name() != usedFile {
			left -= i.Size()
		}
	}
	note(left-1, now, false, false)
	note(1, now, true, false)                          // with the other's writes it is too much
	note(1, now, false, false)                         // another process is trimming
	note(1, now.Add(claimed+time.Second), true, false) // and takes long
	d.trim("", now)
	note(1, now.Add(useStep-time.Second), false, false)
	note(1, now.Add(useStep+2*time.Second), true, false)
	d.trim("", now)
	note(1, now.Add(-time.Minute), true, false) // the clock was set back
	for _, damage := range []string{"", "short", strings.Repeat("x", 17)} {
		if err := os.WriteFile(used, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		note(1, now, true, true)
	}
	d.setUsed(now, 0)
	for range usedLimit/usedRecord - 2 {
		note(0, now, false, false)
	}
	note(0, now, true, false)
	if err := os.Remove(used); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(used, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.Put(name(3), contents(3)); err != nil { // nothing can be noted, without further effect
		t.Fatal(err)
	}
	if b, _ := d.Get(name(3)); b == nil {
		t.Error("the entry is gone")
	}
}

// Clean leaves files that are not the cache's.
func TestClean(t *testing.T) {
	d := openTest(t)
	foreign := []string{"notes.txt", "key", "short.entry", strings.Repeat("g", 64) + ".entry", "sub"}
	for _, f := range foreign {
		if f == "sub" {
			os.Mkdir(filepath.Join(d.Path(), f), 0o700)
			continue
		}
		if err := os.WriteFile(filepath.Join(d.Path(), f), []byte(f), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		if err := d.Put(name(i), contents(i)); err != nil {
			t.Fatal(err)
		}
	}
	if u, err := UsageOf(d.Path()); err != nil || u.Entries != 3 || u.Bytes < 3*pieceSize*2 {
		t.Errorf("usage %+v, %v", u, err)
	}
	u, err := Clean(d.Path())
	if err != nil || u.Entries != 3 {
		t.Errorf("cleaned %+v, %v", u, err)
	}
	list, err := os.ReadDir(d.Path())
	if err != nil || len(list) != len(foreign) {
		t.Errorf("left: %v, %v", list, err)
	}
	for _, f := range foreign {
		os.Remove(filepath.Join(d.Path(), f))
	}
	if _, err := Clean(d.Path()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(d.Path()); err == nil {
		t.Error("the empty directory is left")
	}
	if _, err := Clean(d.Path()); err != nil {
		t.Errorf("nothing to clean: %v", err)
	}
}

// fillAndRead writes and reads the same entries as every other process and goroutine of the test.
func fillAndRead(dir string) error {
	for range 20 {
		d, err := Open(dir)
		if err != nil {
			return err
		}
		for i := range 4 {
			want := contents(i)
			if b, err := d.Get(name(i)); err != nil || b != nil && !bytes.Equal(b, want) {
				return fmt.Errorf("entry %d: %d bytes, %w", i, len(b), err)
			}
			if err := d.Put(name(i), want); err != nil {
				return err
			}
		}
	}
	return nil
}

// Processes and goroutines that share a directory from the start see whole entries under one key.
func TestConcurrentUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "cache")
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childVariable+"="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
		wg.Go(func() {
			if err := fillAndRead(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if u, err := UsageOf(dir); err != nil || u.Entries != 4 {
		t.Errorf("usage %+v, %v", u, err)
	}
}

func TestNameOf(t *testing.T) {
	seen := map[Name][]string{}
	for _, parts := range [][]string{nil, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"b", "a"}, {"a\x00b"}, {"a", "", "b"}} {
		n := NameOf(parts)
		if other, ok := seen[n]; ok {
			t.Errorf("%q and %q have one name", parts, other)
		}
		seen[n] = parts
	}
}

// The identity of this test binary is the one that the go command wrote into it. The identity of a
// file without one is not empty.
func TestBuildID(t *testing.T) {
	id, err := buildID()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "buildid", os.Args[0]).Output()
	if err != nil {
		t.Skip(err)
	}
	if want := strings.TrimSpace(string(out)); want != "" && id != want {
		t.Errorf("build identifier %q, want %q", id, want)
	}
	for text, want := range map[string]string{
		"": "", "Go": "", "\xff Go build ID: \"abc\"\n \xff": "abc", "\xff Go build ID: \"abc": "",
		"\x04\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00Go\x00\x00xyz...": "xyz",
		"\x04\x00\x00\x00\xff\xff\xff\xff\x04\x00\x00\x00Go\x00\x00xyz":    "",
		"\x04\x00\x00\x00Go\x00\x00":                                       "",
	} {
		if got := buildIDIn([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func testProgram() *ProgramEntry {
	return &ProgramEntry{
		Inputs: []filetree.Input{
			{Kind: filetree.InputFile, Name: "/a/b.go", Stamp: filetree.Stamp{Size: 10, MTime: 1 << 60, CTime: -5, Inode: 1 << 63}, Sum: sha256.Sum256([]byte("x"))},
			{Kind: filetree.InputGoList, Name: "/a/bc", Sum: sha256.Sum256([]byte("y"))},
			{Kind: filetree.InputLink, Name: "z", FS: true},
		},
		Packages: 50, Functions: 2000, Base: []byte("base"), Image: []byte("image"), Identity: []byte("identity"), Plan: []byte("plan"), Snapshot: []byte("snapshot"), Code: []byte{}, Native: [2][]byte{[]byte("head"), []byte("native")},
	}
}

func TestEncode(t *testing.T) {
	want := testProgram()
	b := want.Encode()
	got, err := Decode(b)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range len(b) {
		if _, err := Decode(b[:i]); err == nil {
			t.Errorf("%d of %d bytes are an entry", i, len(b))
		}
	}
	if _, err := Decode(append(b, 0)); err == nil {
		t.Error("a byte too many is accepted")
	}
}

func TestCurrent(t *testing.T) {
	p := testProgram()
	if ok, _ := p.Current(nil); ok {
		t.Error("files that do not exist are current")
	}
	if ok, renewed := (&ProgramEntry{}).Current(nil); !ok || renewed {
		t.Error("nothing is not current")
	}
}

// Whatever the bytes, they decode as an entry or are refused.
//
//fuzz:runs 30000
func FuzzDecode(f *testing.F) {
	f.Add(testProgram().Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := Decode(b); err == nil {
			if _, err := Decode(p.Encode()); err != nil {
				t.Error(err)
			}
		}
	})
}
