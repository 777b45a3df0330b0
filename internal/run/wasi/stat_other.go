//go:build !linux

package wasi

import (
	"hash/fnv"
	"io/fs"
)

type identity struct {
	id      fileID
	nlink   uint64
	atime   uint64
	hasTime bool
}

// identify distinguishes files by name, size and time, where the host's numbers are not available.
// os.SameFile is then an approximation.
func identify(fi fs.FileInfo) identity {
	h := fnv.New64a()
	h.Write([]byte(fi.Name()))
	return identity{id: fileID{h.Sum64(), uint64(fi.ModTime().UnixNano())}, nlink: 1}
}
