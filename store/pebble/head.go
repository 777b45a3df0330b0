package pebble

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	db "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// A head is a file with the number of the last durable write. Pebble cannot tell a log with a
// damaged end from one that ends there. Each write also sets its number in the database; if the
// head is ahead of that number, writes have been lost. The head is written after the log and never
// synced. After a crash it either belongs to a durable write, or lacks its checksum and is ignored.
type head struct {
	file   vfs.File
	number uint64 // number of the last write
}

// headKey is the key of the number.
var headKey = []byte{0}

const headFile = "HEAD"

// openHead reads the number of the last write, and checks it against the file unless loss is
// accepted.
func openHead(disk vfs.FS, dir string, d *db.DB, accept bool) (h head, err error) {
	value, closer, err := d.Get(headKey)
	switch {
	case err == nil:
		if len(value) == 8 {
			h.number = binary.BigEndian.Uint64(value)
		}
		if err := closer.Close(); err != nil {
			return h, err
		}
	case err != db.ErrNotFound:
		return h, err
	}
	h.file, err = disk.OpenReadWrite(disk.PathJoin(dir, headFile), vfs.WriteCategoryUnspecified)
	if err != nil {
		return h, err
	}
	content := make([]byte, 13)
	n, err := h.file.ReadAt(content, 0)
	if err != nil && err != io.EOF {
		return h, err
	}
	durable, ok := decodeHead(content[:n])
	if !ok || durable <= h.number {
		return h, nil
	}
	if !accept {
		return h, &store.CorruptError{What: fmt.Sprintf("the end of the log, with %d writes that were durable", durable-h.number), Page: -1, Err: state.ErrDamaged}
	}
	return h, h.durable()
}

// durable notes that the last write is durable.
func (h *head) durable() error {
	_, err := h.file.WriteAt(encodeHead(h.number), 0)
	return err
}

func encodeHead(number uint64) []byte {
	b := binary.BigEndian.AppendUint64(nil, number)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func decodeHead(b []byte) (number uint64, ok bool) {
	if len(b) != 12 {
		return 0, false
	}
	return binary.BigEndian.Uint64(b), crc32.ChecksumIEEE(b[:8]) == binary.BigEndian.Uint32(b[8:])
}
