package research

import (
	"fmt"
	"io"
	"os"
)

// mostWritten bounds a foreign file that is read whole.
const mostWritten = 1 << 30

// readWritten reads a file of a directory that a candidate or a proposer writes to. The file may be
// a link to a file that the writer cannot read itself, a pipe without a writer, or endless.
func readWritten(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|writtenFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch fi, err := f.Stat(); {
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular() || fi.Size() > mostWritten:
		return nil, fmt.Errorf("%s is no file, or larger than %d MiB", name, mostWritten>>20)
	}
	return io.ReadAll(io.LimitReader(f, mostWritten))
}
