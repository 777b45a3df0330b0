//go:build ignore

package main

type Reader interface {
	Read() string
	Close()
}

type Writer interface {
	Write(string)
	Close()
}

type ReadWriter interface {
	Reader
	Writer
}

type buf struct{ s string }

func (b *buf) Read() string   { return b.s }
func (b *buf) Write(s string) { b.s += s }
func (b *buf) Close()         { b.s = "closed" }

func main() {
	var rw ReadWriter = &buf{}
	rw.Write("a")
	rw.Write("b")
	var r Reader = rw
	println(r.Read())
	r.Close()
	println(r.(Writer) != nil, rw.Read())
}

// Stderr:
// ab
// true closed
