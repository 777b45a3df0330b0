//go:build !linux

package memory

type snapshotFile struct{}

// mapInto reports that segments have to be copied.
func (sn *Snapshot) mapInto(*Space) (bool, error) { return false, nil }

func (s *Space) unmapFile() error { return nil }
