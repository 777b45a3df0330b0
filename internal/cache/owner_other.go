//go:build !unix

package cache

import "io/fs"

// ownedByUser is for systems that say who owns a file.
func ownedByUser(fs.FileInfo) bool { return false }
