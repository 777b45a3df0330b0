package main

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/hostfile"
	"github.com/gyrvm/gyr/internal/printable"
)

var buildCmd = &command{
	name:  "build",
	usage: "[flags] [packages|files.go]",
	short: "compile a program into a portable image",
	long: `Build compiles the main package named by an import path, a directory or a list
of .go files into a portable image, which run and disasm take in the place of the
package on any machine, without a Go installation. Without a name it is the package in the
current directory. An image holds no checks less than the source: whoever runs it
verifies it, so it need not be trusted.

Several packages, like those of ./..., and packages that are no programs are compiled and
nothing is written, unless -o names a directory: then there is an image for each program.

Only a gyr of the same determinism version reads an image (see gyr version).`,
	run:     build,
	goflags: true,
}

// imageSuffix ends the names of portable images.
const imageSuffix = ".gyr"

func build(c *command, args []string) error {
	fs := c.flags()
	b := &builder{}
	b.flags.register(fs, onBuild)
	b.flags.registerKind(fs)
	b.flags.registerCache(fs)
	b.flags.registerJSON(fs)
	fs.BoolVar(&b.standalone, "standalone", false, "put the standard library into the image, for machines that have no other")
	fs.StringVar(&b.out, "o", "", "write to `FILE`, or into it if it is a directory or ends with a slash; default: the package's name with .gyr")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	patterns := fs.Args()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if b.flags.exports || b.flags.test || load.NamesFiles(patterns, os.Stat) {
		return b.one(ctx, patterns)
	}
	return b.packages(ctx, patterns)
}

// A builder makes images.
type builder struct {
	flags      buildFlags
	standalone bool
	out        string // the value of -o
}

// one compiles the one package that patterns name. It writes an image if the package can have one.
func (b *builder) one(ctx context.Context, patterns []string) error {
	if !b.flags.exports && !b.flags.test && isLibrary(patterns) {
		if b.out != "" && b.out != os.DevNull {
			return usageError{fmt.Sprintf("build: -o %s: %s is of no main package; -exports makes an image of it that a host calls", b.out,
				printable.Line(patterns[0]))}
		}
		if err := b.check(ctx, patterns); err != nil && !errors.Is(err, engine.ErrPlanned) {
			return b.flags.failed(err, patterns)
		}
		return nil
	}
	data, err := b.image(ctx, patterns)
	if err != nil && !errors.Is(err, engine.ErrPlanned) {
		return b.flags.failed(err, patterns)
	}
	return b.write(imageName(b.out, patterns[0], ""), data)
}

// isLibrary reports whether the first of a list of files belongs to a package other than main.
func isLibrary(files []string) bool {
	f, err := parser.ParseFile(token.NewFileSet(), files[0], nil, parser.PackageClauseOnly)
	return err == nil && f.Name.Name != "main"
}

// source returns the source that compiles the packages of patterns.
func (b *builder) source(patterns []string) (engine.Source, error) {
	src := b.flags.source(patterns)
	src.Standalone = b.standalone
	b.flags.useCache(&src)
	var err error
	src.Base, err = b.flags.std.base(&src)
	return src, err
}

// image compiles one package.
func (b *builder) image(ctx context.Context, patterns []string) ([]byte, error) {
	src, err := b.source(patterns)
	if err != nil {
		return nil, err
	}
	src, done := b.flags.progress(src)
	defer done()
	data, err := engine.Build(ctx, src)
	b.flags.warning.base(src)
	return data, err
}

// write writes an image, or with -n only reports that.
func (b *builder) write(name string, data []byte) error {
	b.flags.gof.trace.step("write", name)
	if b.flags.gof.trace.dry {
		return nil
	}
	return writeImage(b.out, name, data)
}

// imageName returns the file for an image. It is out, or a name made of the pattern's and a suffix
// if out is a directory or empty.
func imageName(out, pattern, suffix string) string {
	if out == "" || namesDir(out) {
		return filepath.Join(out, defaultImage(pattern)+suffix+imageSuffix)
	}
	return out
}

// namesDir reports whether the value of -o is a directory, or ends with a slash, which asks for a
// new directory.
func namesDir(out string) bool {
	if strings.HasSuffix(out, "/") || strings.HasSuffix(out, string(filepath.Separator)) {
		return true
	}
	st, err := os.Stat(out)
	return err == nil && st.IsDir()
}

// writeImage writes the image that imageName named. It makes the directory if -o names one.
func writeImage(out, name string, data []byte) error {
	if out != "" && namesDir(out) {
		if err := os.MkdirAll(out, 0o777); err != nil {
			return newFileError(out, err)
		}
	}
	if isOther(name) {
		return newFileError(name, errors.New("there is a file already that is no image of gyr build; remove it, or write to another name"))
	}
	return writeFile(name, data)
}

// isOther reports whether a file exists, is not empty and is no image. go build checks for files
// that are no program in the same way.
func isOther(name string) bool {
	st, err := os.Stat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() == 0 {
		return false
	}
	head, err := readHead(name)
	return err == nil && !gyr.IsImage(head)
}

// defaultImage names the image of a package, without suffix, as go build names its binary.
func defaultImage(pattern string) string {
	if load.NamesFiles([]string{pattern}, os.Stat) {
		return strings.TrimSuffix(filepath.Base(pattern), ".go")
	}
	if abs, err := filepath.Abs(strings.TrimSuffix(pattern, "...")); err == nil {
		pattern = abs
	}
	return filepath.Base(pattern)
}

// writeFile writes a file so that it appears whole or not at all: it writes another file in the
// same directory and renames it. It writes into a device or pipe and does not replace it.
func writeFile(name string, data []byte) (err error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			return newFileError(name, err)
		}
		return nil
	}
	temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%08x", filepath.Base(name), rand.Uint32()))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return newFileError(name, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		os.Remove(temp)
		return newFileError(name, err)
	}
	return nil
}

// A fileError says why an image could not be written or read.
type fileError struct {
	name string
	err  error
}

func (e *fileError) Error() string { return e.name + ": " + e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }

// newFileError names the file that the user named, which may not be the file that failed.
func newFileError(name string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fileError{name, err}
}

// maxImage is the size of the largest image that is read.
const maxImage = 4 << 30

// imageFile reads the file that a pattern names if its name or its first bytes say that it is a
// portable image.
func imageFile(pattern string) (data []byte, ok bool, err error) {
	named := strings.HasSuffix(pattern, imageSuffix)
	st, err := os.Stat(pattern)
	if err != nil && named {
		return nil, true, newFileError(pattern, err)
	}
	if err != nil || !st.Mode().IsRegular() {
		return nil, false, nil
	}
	if !named {
		head, err := readHead(pattern)
		if err != nil || !gyr.IsImage(head) {
			return nil, false, nil // the loader reports it
		}
	}
	if data, err = hostfile.Read(pattern, maxImage); err != nil {
		return nil, true, newFileError(pattern, err)
	}
	return data, true, nil
}

// readHead reads enough bytes of a file to tell whether it is an image.
func readHead(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 8)
	n, err := io.ReadFull(f, head)
	if err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:n], err
}
