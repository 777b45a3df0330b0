package wasi

import (
	"errors"
	"io"
	"slices"
)

// A program that a program starts has a system of its own, with its own descriptors, in the world of
// its parent: the tree, the granted directories, the numbers of files and the count of output are
// those of the first program.

// A Stream is a Reader or Writer of the machine's own that may wait for other programs of the run.
// It is called on the goroutine that runs the guest.
type Stream interface{ Waits() }

// Errors of a Stream.
var (
	EndOfStream    = io.EOF
	ErrInterrupted = errors.New("the run ends")
)

// An Inherited is one of the first three descriptors of a child. The zero value is an empty one.
type Inherited struct {
	Stream Stream

	file *file // of the parent
	in   *input
	out  *output
}

// A World is what a child gets from its parent.
type World struct {
	parent *System
	stdio  [3]Inherited
}

// Inherit returns a descriptor for a child.
func (s *System) Inherit(fd int32) (h Inherited, e Errno) {
	f, e := s.file(fd, 0)
	switch {
	case e != Success:
		return h, e
	case f.typ == typeDirectory:
		return h, EISDIR
	case f.stdio < 0:
		return Inherited{file: f}, Success
	case f.stdio == 0:
		h.in = s.stdin
		h.Stream, _ = s.stdin.r.(Stream)
	default:
		h.out = &s.out[f.stdio]
		h.Stream, _ = h.out.w.(Stream)
	}
	return h, Success
}

// World returns what a child with these descriptors gets.
func (s *System) World(stdio [3]Inherited) *World { return &World{s, stdio} }

// first returns the system of the first program of the run.
func (s *System) first() *System {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// inherit makes the descriptors of a child.
func (s *System) inherit(w *World) {
	s.parent, s.grants, s.mayBlock = w.parent, w.parent.grants, w.parent.mayBlock
	s.stdin = &input{}
	first := s.first()
	first.kids = append(first.kids, s)
	for fd, h := range w.stdio {
		if f := h.file; f != nil {
			f.shared++
			s.install(f)
			continue
		}
		s.install(stdioFile(int32(fd)))
		switch {
		case fd == 0 && h.Stream != nil:
			s.stdin.r, _ = h.Stream.(io.Reader)
		case fd == 0 && h.in != nil:
			s.stdin = h.in
		case fd > 0 && h.Stream != nil:
			s.out[fd].w, _ = h.Stream.(io.Writer)
		case fd > 0 && h.out != nil:
			s.out[fd] = *h.out
		}
	}
	top := !slices.ContainsFunc(s.grants, func(g *grant) bool { return g.guest == "/" })
	for _, g := range s.grants {
		switch {
		case g.dir == nil && top:
		case g.file == nil:
			s.install(treeFile(g.guest, func(*tree) *node { return g.node }))
		default:
			f := *g.file
			s.install(&f)
		}
	}
	if top {
		s.install(treeFile("/", func(t *tree) *node { return t.root }))
	} else {
		s.install(treeFile("/dev", func(t *tree) *node { return t.dev }))
	}
}
