package load

import (
	"io/fs"
	"syscall"
)

// changeOf returns the time of a file's last change, of its contents or of what
// is known about it, and its inode.
func changeOf(info fs.FileInfo) (ctime int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano(), st.Ino
	}
	return 0, 0
}
