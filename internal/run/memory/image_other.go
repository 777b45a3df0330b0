//go:build !linux

package memory

// An image is made on Linux only. Other systems copy the memory of a snapshot.
type image struct{}

func (*Snapshot) mapInto(*Space) (bool, error) { return false, nil }

func (*Snapshot) page(uint64) []byte { return nil }

func (*Space) rewind() bool { return false }

func (*Space) moveTables([3]span) error { return nil }

type pageRegion struct{}
