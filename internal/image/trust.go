package image

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/release"
)

// Functions of the runtime are free of gas inside, since their price is charged at their calls. An
// image may claim that for any function, so it is believed only for those whose lowered form is
// known: runtime_go1.26.txt has, for that release, the fingerprint of every function of the runtime
// that is the same in all programs (lower.Fixed). Everything else is charged like the program's own
// code.

// A Fingerprint distinguishes functions by everything that they do. It excludes what differs
// between programs: the addresses of data, the numbers of functions, shapes and layouts, and
// positions. So a function of an image may match the known one and work on other data, but it does
// to them what the known one does, and calls functions of the same names.
type Fingerprint [12]byte

func (p Fingerprint) String() string { return hex.EncodeToString(p[:]) }

// FingerprintOf returns the fingerprint of a function as lowered.
func FingerprintOf(f *ir.Func) Fingerprint {
	var w writer
	w.string(f.Name)
	w.string(f.Sig.Key())
	// matters of who declares it too, and of how images run: checked
	w.uvarint(uint64(f.Flags &^ (ir.NoEscape | ir.Unsafe)))
	w.uint(len(f.Locals))
	for i := range f.Locals {
		l := &f.Locals[i]
		w.uvarint(uint64(l.Size))
		w.uvarint(uint64(l.Align))
		w.words(l.Ptrs)
	}
	w.bool(f.Recover != nil)
	if f.Recover != nil {
		w.uint(int(f.Recover.ID))
	}
	words := functionWords(f)
	w.uint(len(f.Blocks))
	for _, b := range f.Blocks {
		w.uint(int(b.ID))
		w.uint(len(b.Values))
		for _, v := range b.Values {
			fingerprintValue(&w, v, words)
		}
		w.uint(int(b.Kind))
		refs(&w, b.Rets)
		if b.Ctrl != nil {
			w.uint(int(b.Ctrl.ID))
		}
		w.uint(len(b.Cases))
		for _, c := range b.Cases {
			w.varint(c)
		}
		for _, bs := range [][]*ir.Block{b.Succs, b.Preds} {
			w.uint(len(bs))
			for _, x := range bs {
				w.uint(int(x.ID))
			}
		}
	}
	sum := sha256.Sum256(w.b)
	return Fingerprint(sum[:12])
}

func refs(w *writer, vs []*ir.Value) {
	w.uint(len(vs))
	for _, v := range vs {
		w.uint(int(v.ID))
	}
}

func fingerprintValue(w *writer, v *ir.Value, words map[*ir.Value]bool) {
	w.uint(int(v.ID))
	w.uint(int(v.Op))
	w.uint(int(v.Type))
	refs(w, v.Args)
	aux, m := v.Aux, v.Block.Func.Module
	switch v.Op {
	case ir.OpConst:
		if v.Type == ir.Ptr && aux != 0 || words[v] {
			aux = 1 // an address of data, the number of a function
		}
	case ir.OpNew, ir.OpNewArray:
		l := &m.Layouts[aux]
		aux = l.Size
		w.words(l.Ptrs)
	case ir.OpHost:
		w.string(m.Primitives[aux].Name)
		aux = 0
	case ir.OpCall:
		w.string(v.Fn.Name)
	}
	if v.Sig != nil {
		w.string(v.Sig.Key())
	}
	w.varint(aux)
	w.varint(v.Aux2)
}

// functionWords finds the constants that are only stored as the first words of
// new closures.
func functionWords(f *ir.Func) map[*ir.Value]bool {
	var words map[*ir.Value]bool
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != ir.OpStore || v.Aux != 0 || v.Args[0].Op != ir.OpNew || v.Args[1].Op != ir.OpConst ||
				v.Args[1].Type != ir.I64 {
				continue
			}
			if words == nil {
				words = map[*ir.Value]bool{}
			}
			words[v.Args[1]] = true
		}
	}
	if words == nil {
		return nil
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				if words[a] && (v.Op != ir.OpStore || v.Aux != 0 || i != 1 || v.Args[0].Op != ir.OpNew) {
					delete(words, a)
				}
			}
		}
		delete(words, b.Ctrl)
		for _, r := range b.Rets {
			delete(words, r)
		}
	}
	return words
}

//go:embed runtime_go1.*.txt
var runtimeTexts embed.FS

// runtimeName is the file of a release.
func runtimeName(r *release.Release) string { return "runtime_" + r.Name() + ".txt" }

// runtimeKnown returns the fingerprints of the runtime of a release.
var runtimeKnown = release.Each(func(r *release.Release) map[string]bool {
	prints := map[string]bool{}
	text, _ := runtimeTexts.ReadFile(runtimeName(r)) // a release without a file has no function that is free
	for line := range strings.Lines(string(text)) {
		if print, name, _ := strings.Cut(line, " "); name != "" && print != "release" {
			prints[print] = true
		}
	}
	return prints
})

// CheckRuntime reports a function of a module as lowered that claims to be free of gas and is not
// one of the runtime's, or has a loop that no charge ends. The module has been verified, and its
// base, if it has one, is trusted.
func CheckRuntime(m *ir.Module) error {
	r := release.OfModule(m.Go)
	prints := runtimeKnown(r)
	for _, f := range m.Own() {
		if f.Flags&ir.Measured != 0 {
			return fmt.Errorf("function %s is a measured loop, which is for benchmarks alone: it cannot be stopped", f.Name)
		}
		if f.Flags&ir.Runtime != 0 && !prints[FingerprintOf(f).String()] {
			return fmt.Errorf("function %s is not that of the runtime for %s", f.Name, r.Name())
		}
	}
	return nil
}
