package cache

import (
	"cmp"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A directory is trimmed once an hour, and when its entries exceed the limit. Listing thousands of
// files takes longer than compiling a small program, so a process must not list them to find out
// whether trimming is due. A file beside the entries tells it. It has the time of the last listing,
// the total size of the entries then, and the size of each entry written since, by any process. An
// entry that replaced another counts twice until the next listing.
const (
	usedFile   = "gyr.used"
	usedRecord = 8        // bytes of each number in it: Unix seconds, bytes, bytes, …
	usedLimit  = 64 << 10 // beyond this size the directory must be listed

	maxAge   = 30 * 24 * time.Hour // entries that were not used for this long are removed
	tempLife = time.Hour           // temporary files older than this are abandoned
	// claimed is how long other processes leave the trimming to one that has begun it.
	claimed = time.Minute
)

// written notes that an entry was written, and trims the directory if that is due. Except for the
// first time, when a directory is small, trimming runs in the background.
func (d *Dir) written(n Name, size int64) {
	due, first := d.note(size, time.Now())
	switch {
	case first:
		d.trim(d.file(n), time.Now())
	case due:
		d.trimming.Go(func() { d.trim(d.file(n), time.Now()) })
	}
}

// note adds an entry's size to the file of sizes. It reports whether it is time to trim the
// directory, and whether the file is missing or damaged, so that nothing is known. If it is time,
// the other processes do not trim for a while.
func (d *Dir) note(size int64, now time.Time) (due, first bool) {
	name := filepath.Join(d.path, usedFile)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return true, true
	}
	defer f.Close()
	if _, err := f.Write(binary.LittleEndian.AppendUint64(nil, uint64(size))); err != nil {
		return false, false // the directory is read-only
	}
	b := make([]byte, usedLimit+1)
	k, _ := f.ReadAt(b, 0)
	if k < 2*usedRecord || k%usedRecord != 0 {
		return true, k <= usedLimit
	}
	looked := time.Unix(int64(binary.LittleEndian.Uint64(b)), 0)
	total := int64(0)
	for at := usedRecord; at < k; at += usedRecord {
		total += int64(binary.LittleEndian.Uint64(b[at:]))
	}
	due = k > usedLimit || total > d.Limit || total < 0 || now.Sub(looked) > useStep || looked.After(now)
	if due {
		d.setUsed(now.Add(claimed-useStep), 0)
	}
	return due, false
}

// setUsed writes the file of sizes.
func (d *Dir) setUsed(looked time.Time, total int64) {
	b := binary.LittleEndian.AppendUint64(nil, uint64(looked.Unix()))
	temp, err := d.temp(binary.LittleEndian.AppendUint64(b, uint64(total)))
	if err == nil && os.Rename(temp, filepath.Join(d.path, usedFile)) != nil {
		os.Remove(temp)
	}
}

// trim removes entries that are too old. If the others exceed the limit it removes the oldest of
// them until the rest takes three quarters of the limit. It never removes the file keep.
func (d *Dir) trim(keep string, now time.Time) {
	infos, err := files(d.path)
	if err != nil {
		return
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	total := int64(0)
	for _, i := range infos {
		total += i.Size()
	}
	over := total > d.Limit
	for _, i := range infos {
		name := filepath.Join(d.path, i.Name())
		age := now.Sub(i.ModTime())
		switch {
		case i.Name() == keyFile || i.Name() == usedFile || name == keep:
			continue
		case strings.HasPrefix(i.Name(), tempName):
			if age < tempLife {
				continue
			}
		case age < maxAge && (!over || total <= d.Limit/4*3):
			continue
		}
		if os.Remove(name) == nil {
			total -= i.Size()
		}
	}
	d.setUsed(now, total)
}
