package gomod

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/dirhash"
	modzip "golang.org/x/mod/zip"

	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// The go command remembers the sum of a module beside its archive (VERSION.ziphash), and trusts
// that record and the files. A load that makes a program does not trust the files. While it goes
// on, it computes the sum of each module of the module cache in which it looks for packages. It
// ends with an error if a sum differs from the recorded one. Without a record, the computed sum
// replaces it. A sum is computed once: this process remembers it with the stamps of all files, and
// Options.TreeSums remembers it for other processes. The files are not among the Inputs: those of
// the program's packages are, and other files of a module do not matter to a program.

// TreeSums remembers the sums of directories of the module cache between processes. Its results are
// trusted. Several goroutines may call its methods.
type TreeSums interface {
	// Recall returns the data that were kept last for a directory, or nil.
	Recall(dir string) []byte
	// Keep keeps a few bytes for a directory, named by its absolute path.
	Keep(dir string, data []byte)
}

// A treeWatch computes sums of modules beside a load.
type treeWatch struct {
	wg    sync.WaitGroup
	slots chan struct{} // held while a module's files are read
	mu    sync.Mutex
	errs  []error // of modules whose files differ from their archive
}

// watch starts comparing a module's files with the sum that go.sum and the module cache have for
// it.
func (e *Env) watch(d *Module, want string) {
	if e.trees == nil {
		return
	}
	e.trees.wg.Go(func() {
		e.trees.slots <- struct{}{}
		defer func() { <-e.trees.slots }()
		if err := e.compare(d, want); err != nil && e.Ctx.Err() == nil {
			e.trees.mu.Lock()
			defer e.trees.mu.Unlock()
			e.trees.errs = append(e.trees.errs, err)
		}
	})
}

func (e *Env) compare(d *Module, want string) (err error) {
	defer failure.Recover(&err, "verifying "+d.Src.String(), nil)
	sum, err := d.treeSum(e.Ctx, e.TreeSums)
	switch {
	case err != nil:
		return diag.Errorf("verifying %s: %v", d.Src, filetree.Reason(err))
	case sum != want:
		return diag.Errorf(modified, d.Src, sum, want, d.Src)
	}
	return nil
}

const modified = `verifying %s: its directory in the module cache was modified
	files:   %s
	archive: %s
to restore it, remove the directory and run
	go mod download %s`

// Unmodified waits for the comparisons that watch started. It returns an error if a module's files
// differ from its archive.
func (e *Env) Unmodified() error {
	e.trees.wg.Wait()
	if len(e.trees.errs) == 0 {
		return nil
	}
	return slices.MinFunc(e.trees.errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
}

// treeSums remembers sums of directories, by name.
var treeSums struct {
	sync.Mutex
	m map[string]treeSum
}

type treeSum struct {
	stamps [32]byte // of all files
	sum    string
}

// encode makes the form of a sum that Recall returns.
func (t treeSum) encode() []byte { return append(t.stamps[:], t.sum...) }

func decodeTreeSum(b []byte) (t treeSum) {
	if len(b) > len(t.stamps) {
		t.sum = string(b[copy(t.stamps[:], b):])
	}
	return t
}

// treeSum returns the sum of a module's files as go.sum records it. kept may be nil.
func (d *Module) treeSum(ctx context.Context, kept TreeSums) (string, error) {
	return d.treeSumAt(ctx, kept, time.Now())
}

// treeSumAt is treeSum at a time, which decides which stamps are reliable.
func (d *Module) treeSumAt(ctx context.Context, kept TreeSums, now time.Time) (string, error) {
	w := &sumWalk{ctx: ctx, mod: d, stamps: sha256.New(), now: now, settled: true}
	if err := w.walk(""); err != nil {
		return "", err
	}
	t := treeSum{stamps: [32]byte(w.stamps.Sum(nil))}
	treeSums.Lock()
	old, found := treeSums.m[d.Dir]
	treeSums.Unlock()
	if !found && kept != nil {
		old = decodeTreeSum(kept.Recall(d.Dir))
	}
	switch {
	case !w.settled:
		return dirhash.Hash1(w.files, w.open)
	case old.stamps == t.stamps:
		t.sum = old.sum
	default:
		var err error
		if t.sum, err = dirhash.Hash1(w.files, w.open); err != nil {
			return "", err
		}
		if kept != nil {
			kept.Keep(d.Dir, t.encode())
		}
	}
	treeSums.Lock()
	defer treeSums.Unlock()
	if treeSums.m == nil {
		treeSums.m = map[string]treeSum{}
	}
	treeSums.m[d.Dir] = t
	return t.sum, nil
}

// A sumWalk finds the files of a module.
type sumWalk struct {
	ctx     context.Context
	mod     *Module
	files   []string // with the prefix that all files of an archive have
	stamps  hash.Hash
	now     time.Time
	settled bool // the stamps tell whether a file changes
}

// prefix returns the beginning of all file names in a module's archive.
func (w *sumWalk) prefix() string { return w.mod.Src.Path + "@" + w.mod.Src.Version + "/" }

// walk adds the files below a directory of the module.
func (w *sumWalk) walk(dir string) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	d := w.mod
	list, err := d.Tree.RawDir(d.Tree.Join(d.Dir, dir))
	if err != nil {
		return err
	}
	for _, e := range list {
		name := d.Tree.Join(dir, e.Name())
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
	stamp := filetree.StampOf(info, w.now)
	w.settled = w.settled && stamp != (filetree.Stamp{})
	fmt.Fprintf(w.stamps, "%q %v\n", name, stamp)
	w.files = append(w.files, w.prefix()+name)
}

// open reads a file for its sum.
func (w *sumWalk) open(name string) (io.ReadCloser, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	d := w.mod
	data, err := d.Tree.RawFile(d.Tree.Join(d.Dir, strings.TrimPrefix(name, w.prefix())), modzip.MaxZipFile)
	return io.NopCloser(bytes.NewReader(data)), err
}

// GoModSum returns the sum of a go.mod as go.sum records it.
func GoModSum(data []byte) (string, error) {
	return dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	})
}
