package wasi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// mkdir makes a directory in /tmp.
func mkdir(g *guest, name string) {
	g.sys.tree().root.kids["tmp"].link(name, g.sys.tree().add(typeDirectory))
}

// TestForgedTrees: a section of files that no guest can have is refused.
func TestForgedTrees(t *testing.T) {
	g := treeGuest(t)
	g.call("fd_close", uint64(g.make("tmp/f", 0o640)))
	mkdir(g, "g")
	truth, err := g.sys.AppendState(nil)
	if err != nil {
		t.Fatal(err)
	}
	set := func(b []byte, stop error) error {
		_, err := treeGuest(t).sys.SetState(b, func() error { return stop })
		return err
	}
	if err := set(truth, nil); err != nil {
		t.Fatal(err)
	}
	at := func(name string, kind byte) int { // after an entry's name and kind
		i := strings.LastIndex(string(truth), fmt.Sprintf("%c%s%c", len(name), name, kind))
		if i < 0 {
			t.Fatalf("there is no entry %s", name)
		}
		return i + len(name) + 2
	}
	dev := truth[len(truth)-1:]
	last := at("g", kidNew) // g is the last entry of tmp, which is the last one of the root
	for name, b := range map[string][]byte{
		"a directory that contains the root":  slices.Concat(truth[:last-1], []byte{kidKnown, 0}, dev),
		"a file twice, with one name":         slices.Concat(truth[:last-1], []byte{kidKnown, truth[last] + 100}, dev),
		"a name with a slash":                 slices.Concat(truth[:last-2], []byte("/"), truth[last-1:]),
		"names that do not stand in order":    slices.Concat(truth[:last-2], []byte("a"), truth[last-1:]),
		"a type that nobody knows":            slices.Concat(truth[:last], []byte{9}, truth[last+1:]),
		"a directory that cannot be changed":  slices.Concat(truth[:last+1], []byte{1}, truth[last+2:]),
		"a file where a mount is":             slices.Concat(truth[:last+1], []byte{2}, truth[last+2:]),
		"names that nothing has":              slices.Concat(truth[:last+2], []byte{7}, truth[last+3:]),
		"a number that another file has":      slices.Concat(truth[:last+3], []byte{1}, truth[last+4:]),
		"another entry of a fixed directory":  slices.Concat(truth[:at("dev", kidNew)-4], []byte("dew"), truth[at("dev", kidNew)-1:]),
		"a device that is none":               slices.Concat(truth[:at("null", kidNew)], []byte{typeRegular}, truth[at("null", kidNew)+1:]),
		"as many blocks as there can be":      slices.Concat(truth[:at("f", kidNew)+3], binary.AppendUvarint(nil, 1<<62), truth[at("f", kidNew)+4:]),
		"a root that is no directory of /dev": slices.Concat(truth[:len(truth)-1], []byte{0}),
		"nothing":                             nil,
		"something behind the end":            append(slices.Clone(truth), 0),
	} {
		if err := set(b, nil); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for n := range truth {
		if err := set(truth[:n], nil); err == nil {
			t.Errorf("%d of %d bytes are accepted", n, len(truth))
		}
	}
	// What is accepted is written again unchanged: the format has one spelling for each tree.
	for i := range truth {
		for _, x := range []byte{0, 1, 2, 3, 0x7f, 0x80, 0xff, truth[i] ^ 1, truth[i] ^ 4, truth[i] + 1} {
			b := slices.Clone(truth)
			b[i] = x
			sys := treeGuest(t).sys
			if _, err := sys.SetState(b, func() error { return nil }); err != nil {
				continue
			}
			if again, err := sys.AppendState(nil); err != nil || string(again) != string(b) {
				t.Errorf("%#x in the place of %#x at %d is read as something else: %v", x, truth[i], i, err)
			}
		}
	}
	// A descriptor has no right that the guest was not given.
	_, w := binary.Uvarint(truth) // bytes written
	fds, n := binary.Uvarint(truth[w:])
	n += w
	rights, k := binary.Uvarint(truth[n+1:])
	if fds == 0 || truth[n] != 1 {
		t.Fatal("the first descriptor is closed")
	}
	if err := set(slices.Concat(truth[:n+1], binary.AppendUvarint(nil, rights|1<<40), truth[n+1+k:]), nil); err == nil {
		t.Error("a descriptor has another right")
	}
	// The reading of a large tree can be cancelled.
	for i := range 100 {
		mkdir(g, fmt.Sprint("d", i))
	}
	many, err := g.sys.AppendState(nil)
	if err != nil {
		t.Fatal(err)
	}
	over := errors.New("over")
	if err := set(many, over); err != over {
		t.Errorf("called off: %v", err)
	}
}

// TestDeepTrees: any number of nested directories is copied, and a state has none that cannot be
// read again.
func TestDeepTrees(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(4 << 20)) // the guest's depth does not cost the host stack
	g := treeGuest(t)
	dir := g.sys.tree().root.kids["tmp"]
	for range 20_000 {
		kid := g.sys.tree().add(typeDirectory)
		dir.link("d", kid)
		dir = kid
	}
	g.sys.touched = true
	var m Mark
	g.sys.Mark(&m)
	g.sys.touched = true
	g.sys.Back(&m)
	if b, err := g.sys.AppendState(nil); err == nil {
		t.Errorf("a state of %d bytes", len(b))
	}
}
