package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"time"
)

// folder is what archives unpack into.
const folder = "gyr"

// archiveTime is the time of all files in archives, so that two builds are equal.
var archiveTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// An archived file is a file in an archive, whose contents come from another file.
type archived struct {
	name, from string
	executable bool
}

// mode returns the permissions that the file is unpacked with.
func (a archived) mode() os.FileMode {
	if a.executable {
		return 0o755
	}
	return 0o644
}

// archive writes an archive of files.
func archive(name string, files []archived, write func(io.Writer, []archived) error) error {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(out, files), out.Close())
}

func writeTar(w io.Writer, files []archived) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: path.Join(folder, f.name), Mode: int64(f.mode()), Size: int64(len(data)), ModTime: archiveTime}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func writeZip(w io.Writer, files []archived) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: archiveTime}
		h.SetMode(f.mode())
		out, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := out.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}
