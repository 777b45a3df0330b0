package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/hostfile"
)

var buildCmd = &command{
	name:  "build",
	usage: "[flags] package|files.go",
	short: "compile a program into a portable image",
	long: `Build compiles the main package named by an import path, a directory or a list
of .go files into a portable image, which run and disasm take in the place of the
package on any machine, without a Go installation. An image holds no checks less
than the source: whoever runs it verifies it, so it need not be trusted.

Only a gyr of the same determinism version reads it (see gyr version).`,
	run: build,
}

// imageSuffix ends the names of portable images.
const imageSuffix = ".gyr"

func build(c *command, args []string) error {
	fs := c.flags()
	var flags buildFlags
	flags.register(fs)
	flags.registerKind(fs)
	flags.registerCache(fs)
	flags.registerJSON(fs)
	standalone := fs.Bool("standalone", false, "put the standard library into the image, for machines that have no other")
	out := fs.String("o", "", "write to `FILE`, or into it if it is a directory; default: the package's name with .gyr")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return usageError{"build: no package or file named\nusage: gyr build " + c.usage}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	src := flags.source(fs.Args())
	src.Standalone = *standalone
	flags.useCache(&src)
	var err error
	if src.Base, err = flags.std.base(&src); err != nil {
		return err
	}
	src, done := flags.progress(src)
	data, err := engine.Build(ctx, src)
	done()
	flags.warning.base(src)
	if err != nil {
		return flags.failed(err, fs.Args())
	}
	return writeImage(*out, fs.Arg(0), "", data)
}

// writeImage writes an image to a file, or under a name made of the pattern's and a suffix if
// out is a directory or empty.
func writeImage(out, pattern, suffix string, data []byte) error {
	if st, err := os.Stat(out); out == "" || err == nil && st.IsDir() {
		out = filepath.Join(out, defaultImage(pattern)+suffix+imageSuffix)
	}
	return writeFile(out, data)
}

// defaultImage names the image of a package, without suffix, as go build names its binary.
func defaultImage(pattern string) string {
	if name, ok := strings.CutSuffix(pattern, ".go"); ok {
		return filepath.Base(name)
	}
	if abs, err := filepath.Abs(pattern); err == nil {
		pattern = abs
	}
	return filepath.Base(pattern)
}

// writeFile writes a file so that it appears whole or not at all: under another
// name in the same directory, which is then changed. A device or pipe is written to, and not replaced.
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

// newFileError names the file that the user named, which may not be the one
// that failed.
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

// imageFile reads the file that a pattern names if it is a portable image: by
// its name or by its first bytes.
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
		f, err := os.Open(pattern)
		if err != nil {
			return nil, false, nil // the loader's to report
		}
		var head [8]byte
		n, _ := f.Read(head[:])
		f.Close()
		if !engine.IsImage(head[:n]) {
			return nil, false, nil
		}
	}
	if data, err = hostfile.Read(pattern, maxImage); err != nil {
		return nil, true, newFileError(pattern, err)
	}
	return data, true, nil
}
