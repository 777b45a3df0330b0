package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"runtime"
)

// buildID returns an identity of the running executable's code: different builds have different
// identities.
//
// The go command writes a build ID into executables, a hash of the contents, near the beginning of
// the file. If the file has none, it is hashed whole.
func buildID() (string, error) {
	f, err := openExecutable()
	if err != nil {
		return "", err
	}
	defer f.Close()
	var head []byte
	for _, size := range []int{4 << 10, 64 << 10} { // Go's linker writes it to the first page, others later in the file
		n := len(head)
		head = append(head, make([]byte, size-n)...)
		k, err := io.ReadFull(f, head[n:])
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return "", err
		}
		head = head[:n+k]
		if id := buildIDIn(head); id != "" {
			return id, nil
		}
	}
	h := sha256.New()
	h.Write(head)
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// openExecutable opens the file that this process runs, even if another file has since been put in
// its place.
func openExecutable() (*os.File, error) {
	if runtime.GOOS == "linux" {
		if f, err := os.Open("/proc/self/exe"); err == nil {
			return f, nil
		}
	}
	name, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.Open(name)
}

// buildIDIn finds Go's build identifier in the first bytes of an executable:
// the descriptor of an ELF note with the name "Go" and type 4, or a quoted string
// at the start of the code in other formats.
func buildIDIn(head []byte) string {
	note := []byte("\x04\x00\x00\x00Go\x00\x00") // type and name
	for at := 0; ; {
		i := bytes.Index(head[at:], note)
		if i < 0 {
			break
		}
		i += at
		at = i + 1
		if i < 8 || binary.LittleEndian.Uint32(head[i-8:]) != 4 {
			continue
		}
		n := int64(binary.LittleEndian.Uint32(head[i-4:]))
		if desc := head[i+len(note):]; n > 0 && n < 256 && n <= int64(len(desc)) {
			return string(desc[:n])
		}
	}
	_, rest, ok := bytes.Cut(head, []byte("\xff Go build ID: \""))
	if id, _, end := bytes.Cut(rest, []byte("\"\n \xff")); ok && end && len(id) > 0 && len(id) < 256 {
		return string(id)
	}
	return ""
}
