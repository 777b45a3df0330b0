package main

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
)

// A store keeps shared programs. Its methods may be called concurrently.
type store interface {
	// put keeps a program and returns its ID.
	put(source string) (id string, err error)
	// get returns a program, or fs.ErrNotExist.
	get(id string) (source string, err error)
}

// idOf returns the ID of a program: 96 bits of the hash of its text.
func idOf(source string) string {
	sum := sha256.Sum256([]byte(source))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// isID reports whether a string has the form of an ID, so that it may be the name of a file.
var isID = regexp.MustCompile(`^[A-Za-z0-9_-]{16}$`).MatchString

// maxShared is the largest number of programs in memory.
const maxShared = 10_000

// inMemory is a store that forgets the oldest programs when it has too many.
type inMemory struct {
	mu     sync.Mutex
	byID   map[string]string
	oldest []string
}

func memoryStore() store { return &inMemory{byID: map[string]string{}} }

func (m *inMemory) put(source string) (string, error) {
	id := idOf(source)
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.byID[id]; !ok {
		if len(m.oldest) == maxShared {
			delete(m.byID, m.oldest[0])
			m.oldest = m.oldest[1:]
		}
		m.byID[id] = source
		m.oldest = append(m.oldest, id)
	}
	return id, nil
}

func (m *inMemory) get(id string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	source, ok := m.byID[id]
	if !ok {
		return "", fs.ErrNotExist
	}
	return source, nil
}

// inDirectory is a store with a file for each program.
type inDirectory struct{ dir string }

func directoryStore(dir string) (store, error) { return inDirectory{dir}, os.MkdirAll(dir, 0o777) }

func (d inDirectory) file(id string) string { return filepath.Join(d.dir, id+".go") }

// put writes the complete file before it gets its name, so that no reader sees a part of it.
func (d inDirectory) put(source string) (string, error) {
	id := idOf(source)
	if _, err := os.Stat(d.file(id)); err == nil {
		return id, nil
	}
	f, err := os.CreateTemp(d.dir, "new-")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(source)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), d.file(id))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return id, err
}

func (d inDirectory) get(id string) (string, error) {
	if !isID(id) {
		return "", fs.ErrNotExist
	}
	data, err := os.ReadFile(d.file(id))
	return string(data), err
}
