//go:build ignore

package main

type File interface {
	Read([]byte) int
	Close() error
}

type mem struct{ n int }

func (m *mem) Read(p []byte) int { m.n += len(p); return m.n }
func (m *mem) Close() error      { return nil }

func main() {
	var f File = &mem{}
	f.Read(make([]byte, 3))
	println(f.Read(make([]byte, 4)), f.Close() == nil)
}

// Gas: 183

// Stderr:
// 7 true
