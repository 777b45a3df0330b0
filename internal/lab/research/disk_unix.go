//go:build linux || darwin

package research

import "syscall"

// freeDisk is how many bytes may be written where a directory is, if the system tells.
func freeDisk(dir string) (int64, bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
