package wasi

import (
	"io/fs"
	"syscall"
)

type identity struct {
	id      fileID
	nlink   uint64
	atime   uint64
	hasTime bool
}

// identify reads what package io/fs does not offer.
func identify(fi fs.FileInfo) identity {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{nlink: 1}
	}
	return identity{
		id:      fileID{uint64(st.Dev), uint64(st.Ino)},
		nlink:   uint64(st.Nlink),
		atime:   timestamp(int64(st.Atim.Sec), int64(st.Atim.Nsec)),
		hasTime: true,
	}
}
