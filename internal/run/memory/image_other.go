//go:build !linux

package memory

import "errors"

// An image is made on Linux only. Other systems copy the memory of a snapshot.
type image struct{}

func (*image) openFrom(*Snapshot, func(func(uint64, []byte) error) error) error { return errNoImages }

var errNoImages = errors.New("memory: the system has no images")

func (*Snapshot) mapInto(*Space) (bool, error) { return false, nil }

func (*Snapshot) page(uint64) []byte { return nil }

func (*Space) rewind() bool { return false }

func (*Space) ownPages(span, func(span)) bool { return false }

func (*Space) moveTables([3]span) error { return nil }

func (*Checkpoint) sync(uint64) bool { return false }

func (*Snapshot) mapAgain(s, from *Space) (bool, int, error) { return false, 0, nil }

func (*Heap) setBase(uint64, func(func(at uint64, b []byte) error) error) (bool, error) {
	return false, nil
}

func (*Space) unwatch() {}

type (
	pageRegion struct{}
	watch      struct{}
)
