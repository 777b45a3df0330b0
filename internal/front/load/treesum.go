package load

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/dirhash"
	modzip "golang.org/x/mod/zip"
)

// The go command remembers the sum of a module beside the archive that it was extracted from (VERSION.ziphash), and trusts
// that and the files. Where a module cache has only the files, their sum is computed. This process remembers it with the
// stamps of all files. The files are not among the Inputs: those of the program's packages are, and other files of
// a module do not matter to a program.

// treeSums remembers sums of directories, by name.
var treeSums struct {
	sync.Mutex
	m map[string]treeSum
}

type treeSum struct {
	stamps [32]byte // of all files
	sum    string
}

// treeSum returns the sum of a module's files as go.sum records it.
func (d *mod) treeSum() (string, error) { return d.treeSumAt(time.Now()) }

// treeSumAt is treeSum at a time, on which it depends which stamps are relied on.
func (d *mod) treeSumAt(now time.Time) (string, error) {
	w := &sumWalk{mod: d, stamps: sha256.New(), now: now, settled: true}
	if err := w.walk(""); err != nil {
		return "", err
	}
	var stamps [32]byte
	w.stamps.Sum(stamps[:0])
	treeSums.Lock()
	old := treeSums.m[d.dir]
	treeSums.Unlock()
	if w.settled && old.stamps == stamps {
		return old.sum, nil
	}
	sum, err := dirhash.Hash1(w.files, w.open)
	if err == nil && w.settled {
		treeSums.Lock()
		defer treeSums.Unlock()
		if treeSums.m == nil {
			treeSums.m = map[string]treeSum{}
		}
		treeSums.m[d.dir] = treeSum{stamps, sum}
	}
	return sum, err
}

// A sumWalk finds the files of a module.
type sumWalk struct {
	mod     *mod
	files   []string // with the prefix that all files of an archive have
	stamps  hash.Hash
	now     time.Time
	settled bool // the stamps tell whether a file changes
}

// prefix is what the names of all files begin with in the archive of a module.
func (w *sumWalk) prefix() string { return w.mod.src.Path + "@" + w.mod.src.Version + "/" }

// walk adds the files below a directory of the module.
func (w *sumWalk) walk(dir string) error {
	d := w.mod
	list, err := d.tree.rawDir(d.tree.join(d.dir, dir))
	if err != nil {
		return err
	}
	for _, e := range list {
		name := d.tree.join(dir, e.Name())
		if e.IsDir() {
			if err := w.walk(name); err != nil {
				return err
			}
			continue
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		w.add(filepath.ToSlash(name), info)
	}
	return nil
}

func (w *sumWalk) add(name string, info fs.FileInfo) {
	stamp := stampOf(info, w.now)
	w.settled = w.settled && stamp != (Stamp{})
	fmt.Fprintf(w.stamps, "%q %v\n", name, stamp)
	w.files = append(w.files, w.prefix()+name)
}

// open reads a file for its sum.
func (w *sumWalk) open(name string) (io.ReadCloser, error) {
	d := w.mod
	data, err := d.tree.rawFile(d.tree.join(d.dir, strings.TrimPrefix(name, w.prefix())), modzip.MaxZipFile)
	return io.NopCloser(bytes.NewReader(data)), err
}

// goModSum returns the sum of a go.mod as go.sum records it.
func goModSum(data []byte) (string, error) {
	return dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	})
}
