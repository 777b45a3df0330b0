package load

import (
	"io/fs"
	"syscall"
)

// changeOf returns the time when a file's contents or metadata last changed, and its inode.
func changeOf(info fs.FileInfo) (ctime int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano(), st.Ino
	}
	return 0, 0
}
