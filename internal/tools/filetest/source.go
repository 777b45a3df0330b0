package filetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/engine"
)

// A source provides the program of a filetest.
type source interface {
	// main returns the file with the directives.
	main() []byte
	// firstLine returns how many lines of the filetest precede main.
	firstLine() int
	// shift moves errors from main's lines to the filetest's lines.
	shift(err error) error
	// prepare fills in what to compile. It returns the directory that the program sees and the
	// import path of its main package. It may create the directory work.
	prepare(src *engine.Source, work string) (dir, pkg string, err error)
	// splice returns the filetest with another main.
	splice(main []byte) []byte
}

func open(name string, data []byte) (source, error) {
	if strings.HasSuffix(name, ".txtar") {
		return openArchive(name, data)
	}
	return &goFile{name, data}, nil
}

// A goFile is a filetest that is a Go file.
type goFile struct {
	name string
	data []byte
}

func (f *goFile) main() []byte              { return f.data }
func (f *goFile) firstLine() int            { return 0 }
func (f *goFile) shift(err error) error     { return err }
func (f *goFile) splice(main []byte) []byte { return main }

func (f *goFile) prepare(src *engine.Source, _ string) (dir, pkg string, err error) {
	dir, err = filepath.Abs(filepath.Dir(f.name))
	src.Dir, src.Patterns = dir, []string{filepath.Base(f.name)}
	return dir, "command-line-arguments", err
}

// mainName is the file of an archive that has the directives.
const mainName = "main.go"

// An archive is a filetest that is a txtar archive.
type archive struct {
	name       string
	data       []byte
	ar         *txtar.Archive
	start, end int // of main.go in data
}

func openArchive(name string, data []byte) (*archive, error) {
	a := &archive{name: name, data: data, ar: txtar.Parse(data), start: -1}
	index := -1
	for i, f := range a.ar.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return nil, fmt.Errorf("file %s of the archive is not below it", f.Name)
		}
		for _, g := range a.ar.Files[:i] {
			if f.Name == g.Name {
				return nil, fmt.Errorf("the archive has two files %s", f.Name)
			}
		}
		if f.Name == mainName {
			index = i
		}
	}
	if index < 0 {
		return nil, fmt.Errorf("the archive has no file %s, where the directives would be", mainName)
	}
	// Files are counted by their marker lines, as txtar.Parse finds them.
	at, n := 0, -1
	for l := range bytes.Lines(data) {
		if m := txtar.Parse(l); len(m.Files) > 0 {
			if n++; n == index {
				a.start = at + len(l)
			} else if n == index+1 {
				a.end = at
			}
		}
		at += len(l)
	}
	if n == index {
		a.end = len(data)
	}
	return a, nil
}

func (a *archive) main() []byte   { return a.data[a.start:a.end] }
func (a *archive) firstLine() int { return bytes.Count(a.data[:a.start], []byte("\n")) }

func (a *archive) shift(err error) error {
	list, ok := err.(Errors)
	for i := range list {
		list[i].Line += a.firstLine()
	}
	if !ok {
		return err
	}
	return list
}

func (a *archive) splice(main []byte) []byte {
	return bytes.Join([][]byte{a.data[:a.start], main, a.data[a.end:]}, nil)
}

// prepare compiles from memory, so that the program contains no name of the machine. It writes the
// files for the program to read.
func (a *archive) prepare(src *engine.Source, work string) (dir, pkg string, err error) {
	files := append([]txtar.File{}, a.ar.Files...)
	for _, f := range files {
		if f.Name == "go.mod" {
			pkg = modfile.ModulePath(f.Data)
		}
	}
	if pkg == "" {
		pkg = "filetest"
		files = append(files, txtar.File{Name: "go.mod", Data: []byte("module filetest\n\ngo 1.26\n")})
	}
	fsys, err := txtar.FS(&txtar.Archive{Files: files})
	if err != nil {
		return "", "", err
	}
	src.FS, src.Dir, src.Patterns = fsys, "", []string{"."}
	if err := os.Mkdir(work, 0o777); err != nil {
		return "", "", err
	}
	for _, f := range a.ar.Files {
		name := filepath.Join(work, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return "", "", err
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			return "", "", err
		}
	}
	return work, pkg, nil
}
