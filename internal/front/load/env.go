package load

import (
	"context"
	"sync"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/release"
)

// An env says where the sources of a build are.
type env struct {
	ctx       context.Context
	goroot    string           // the Go installation
	goVersion string           // its release: "go1.26.8"
	release   *release.Release // of goVersion
	noGo      bool             // there is no installation: goroot stands for one
	dir       string           // what relative names are relative to: absolute, or in the uploaded tree
	user      filetree.Tree    // the files of the main module
	machine   filetree.Tree    // the files of the standard library and the module cache

	getenv      func(string) string
	mod         string   // -mod of the go command
	modFileName string   // -modfile of the go command
	modulesDir  string   // directory of the module cache; empty: the user's, or for an uploaded tree none
	treeSums    TreeSums // nil: nothing is remembered

	trees *treeWatch // nil: files of the module cache are trusted
	roots filetree.Roots

	goenvOnce sync.Once
	goenv     map[string]string // the file of settings of the go command
}

// close waits for the sums that are being computed, and releases open files.
func (e *env) close() {
	if e.trees != nil {
		e.trees.wg.Wait()
	}
	e.roots.Close()
}

// watchTrees has the files of modules compared with their sums, so many modules at a time.
func (e *env) watchTrees(n int) { e.trees = &treeWatch{slots: make(chan struct{}, n)} }
