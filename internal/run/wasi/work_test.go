package wasi

import (
	"fmt"
	"strings"
	"testing"
)

// TestWork: work whose amount the tree decides is counted. Each call costs units that grow with it.
func TestWork(t *testing.T) {
	g := treeGuest(t)
	spent := func(do func()) int64 {
		before := g.host.spent
		do()
		return g.host.spent - before
	}
	check := func(what string, got, least int64) {
		t.Helper()
		if got < least || got > 4*least {
			t.Errorf("%s: %d units, want about %d", what, got, least)
		}
	}
	const files = 300
	for i := range files {
		g.call("fd_close", uint64(g.open(fmt.Sprint("tmp/", i), oWronly|oCreate)))
	}
	dir := g.open("tmp", oRdonly)
	check("list", spent(func() { g.names(dir, 1<<14) }), files*workEntry)

	target := strings.Repeat("./", 500) + "0"
	if e := g.two("path_symlink", target, "tmp/link"); e != Success {
		t.Fatal(e)
	}
	check("follow a link", spent(func() { g.stat(root, "tmp/link", true) }), workLink+workByte*int64(len(target)))

	fd := g.open("tmp/big", oRdwr|oCreate)
	for range 50 {
		g.write(fd, strings.Repeat("x", blockSize))
	}
	g.call("fd_filestat_set_size", uint64(fd), 1<<39)
	check("cut, many places", spent(func() { g.call("fd_filestat_set_size", uint64(fd), 1<<38) }), 50*workBlock)
	g.call("fd_filestat_set_size", uint64(fd), 50*blockSize)
	check("cut, few places", spent(func() { g.call("fd_filestat_set_size", uint64(fd), 10*blockSize) }), 40*workBlock)
	if s, _ := g.fstat(fd); s.size != 10*blockSize {
		t.Errorf("the file has %d bytes", s.size)
	}

	deep := "tmp/d"
	for range 100 {
		if e := g.on("path_create_directory", root, deep); e != Success {
			t.Fatal(e)
		}
		deep += "/d"
	}
	deep = strings.TrimSuffix(deep, "/d")
	check("move into a deep directory", spent(func() {
		if e := g.two("path_rename", "tmp/1", deep+"/x"); e != Success {
			t.Fatal(e)
		}
	}), 100*workStep)
}
