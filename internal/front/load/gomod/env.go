package gomod

import (
	"context"
	"sync"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/release"
)

// An Env says where the sources of a build are.
type Env struct {
	Ctx       context.Context
	GOROOT    string           // the Go installation
	GoVersion string           // its release: "go1.26.8"
	Release   *release.Release // of GoVersion
	NoGo      bool             // no installation exists: GOROOT stands for one
	Dir       string           // the base of relative names: absolute, or in the uploaded tree
	User      filetree.Tree    // the files of the main module
	Machine   filetree.Tree    // the files of the standard library and the module cache

	Getenv     func(string) string
	ModFlag    string   // -mod of the go command
	ModFile    string   // -modfile of the go command
	ModulesDir string   // directory of the module cache; empty: the user's, or none for an uploaded tree
	TreeSums   TreeSums // nil: no sums are remembered

	trees *treeWatch // nil: files of the module cache are trusted
	Roots filetree.Roots

	goenvOnce sync.Once
	goenv     map[string]string // the file of settings of the go command
}

// Close waits for the sums that are being computed, and releases open files.
func (e *Env) Close() {
	if e.trees != nil {
		e.trees.wg.Wait()
	}
	e.Roots.Close()
}

// WatchTrees makes loads compare the files of modules with their sums, n modules at a time.
func (e *Env) WatchTrees(n int) { e.trees = &treeWatch{slots: make(chan struct{}, n)} }
