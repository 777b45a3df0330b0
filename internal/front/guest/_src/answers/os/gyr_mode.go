package os

import (
	"internal/filepathlite"
	"syscall"
	"time"
)

// gyrTypes are the types of files, as syscall.Stat_t numbers them.
var gyrTypes = [...]FileMode{
	syscall.FILETYPE_BLOCK_DEVICE:     ModeDevice,
	syscall.FILETYPE_CHARACTER_DEVICE: ModeDevice | ModeCharDevice,
	syscall.FILETYPE_DIRECTORY:        ModeDir,
	syscall.FILETYPE_SOCKET_DGRAM:     ModeSocket,
	syscall.FILETYPE_SOCKET_STREAM:    ModeSocket,
	syscall.FILETYPE_SYMBOLIC_LINK:    ModeSymlink,
}

// fillFileStatFromSys has the permissions that the host tells.
func fillFileStatFromSys(fs *fileStat, name string) {
	fs.name = filepathlite.Base(name)
	fs.size = int64(fs.sys.Size)
	fs.modTime = time.Unix(0, int64(fs.sys.Mtime))
	fs.mode = FileMode(fs.sys.Mode) & ModePerm
	if t := int(fs.sys.Filetype); t < len(gyrTypes) {
		fs.mode |= gyrTypes[t]
	}
	if fs.sys.Mode&syscall.S_ISUID != 0 {
		fs.mode |= ModeSetuid
	}
	if fs.sys.Mode&syscall.S_ISGID != 0 {
		fs.mode |= ModeSetgid
	}
	if fs.sys.Mode&syscall.S_ISVTX != 0 {
		fs.mode |= ModeSticky
	}
}
