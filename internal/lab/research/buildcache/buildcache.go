// Package buildcache is a build cache with layers for the go command. It keeps builds of candidates
// out of the user's cache.
package buildcache

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Serve is a build cache for the go command (GOCACHEPROG) made of several directories in the format
// of GOCACHE. It puts entries into the first directory, and gets each from the first directory that
// has it. It only reads the other directories. It answers requests until the input ends.
func Serve(dirs []string, in io.Reader, out io.Writer) error {
	c := &layers{dirs}
	r, w := bufio.NewReader(in), json.NewEncoder(out)
	if err := w.Encode(response{KnownCommands: []string{"get", "put", "close"}}); err != nil {
		return err
	}
	d := json.NewDecoder(r)
	for {
		var q request
		if err := d.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		a := response{ID: q.ID}
		var err error
		switch q.Command {
		case "get":
			err = c.get(&q, &a)
		case "put":
			var body []byte
			if q.BodySize > 0 {
				err = d.Decode(&body)
			}
			if err == nil {
				a.DiskPath, err = c.put(&q, body)
			}
		}
		if err != nil {
			a.Err = err.Error()
		}
		if err := w.Encode(a); err != nil || q.Command == "close" {
			return err
		}
	}
}

// A request and a response are lines of the protocol that the go command's package cacheprog
// documents.
type request struct {
	ID       int64
	Command  string
	ActionID []byte
	OutputID []byte
	BodySize int64
}

type response struct {
	ID            int64
	Err           string     `json:",omitempty"`
	KnownCommands []string   `json:",omitempty"`
	Miss          bool       `json:",omitempty"`
	OutputID      []byte     `json:",omitempty"`
	Size          int64      `json:",omitempty"`
	Time          *time.Time `json:",omitempty"`
	DiskPath      string     `json:",omitempty"`
}

type layers struct{ dirs []string } // the first one is written to

// cacheFile is the file of an entry (a) or of an output's data (d) in a cache directory.
func cacheFile(dir string, id []byte, kind string) string {
	name := hex.EncodeToString(id)
	return filepath.Join(dir, name[:2], name+"-"+kind)
}

func (c *layers) get(q *request, a *response) error {
	if len(q.ActionID) == 0 {
		return errors.New("no action")
	}
	for _, dir := range c.dirs {
		text, err := os.ReadFile(cacheFile(dir, q.ActionID, "a"))
		if err != nil {
			continue
		}
		var action, output string
		var size, stamp int64
		if _, err := fmt.Sscanf(string(text), "v1 %s %s %d %d\n", &action, &output, &size, &stamp); err != nil ||
			action != hex.EncodeToString(q.ActionID) {
			continue
		}
		id, err := hex.DecodeString(output)
		if err != nil || len(id) == 0 {
			continue
		}
		file := cacheFile(dir, id, "d")
		if fi, err := os.Stat(file); err != nil || !fi.Mode().IsRegular() || fi.Size() != size {
			continue
		}
		at := time.Unix(0, stamp)
		a.OutputID, a.Size, a.Time, a.DiskPath = id, size, &at, file
		return nil
	}
	a.Miss = true
	return nil
}

func (c *layers) put(q *request, body []byte) (string, error) {
	if len(q.ActionID) == 0 || len(q.OutputID) == 0 || int64(len(body)) != q.BodySize {
		return "", errors.New("half a request")
	}
	file := cacheFile(c.dirs[0], q.OutputID, "d")
	entry := fmt.Sprintf("v1 %x %x %20d %20d\n", q.ActionID, q.OutputID, len(body), time.Now().UnixNano())
	return file, errors.Join(writeWhole(file, body), writeWhole(cacheFile(c.dirs[0], q.ActionID, "a"), []byte(entry)))
}

// writeWhole writes a file atomically: others see all of it or nothing.
func writeWhole(name string, text []byte) error {
	if was, err := os.ReadFile(name); err == nil && bytes.Equal(was, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), name)
}

// Verb is the verb of gyr research by which a go command in the box runs Serve. The help does not
// list it.
const Verb = "gocache"
