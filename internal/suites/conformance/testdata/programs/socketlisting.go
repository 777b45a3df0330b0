package main

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
)

// A listing says of the file of a Unix socket that it is one, as Stat does.
func main() {
	dir, err := os.MkdirTemp("", "gyr-test-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", filepath.Join(dir, "b.sock"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	os.WriteFile(filepath.Join(dir, "a"), nil, 0o666)
	os.Mkdir(filepath.Join(dir, "c"), 0o777)
	os.Symlink("a", filepath.Join(dir, "d"))
	for i := range 300 {
		os.WriteFile(filepath.Join(dir, fmt.Sprintf("file number %d", i)), []byte("x"), 0o666)
	}
	list, err := os.ReadDir(dir)
	fmt.Println(len(list), err)
	if root, err := os.OpenRoot(dir); err == nil {
		for _, name := range []string{"a", "b.sock", "c", "d"} {
			in, err1 := root.Lstat(name)
			info, err2 := os.Lstat(filepath.Join(dir, name))
			fmt.Println(name, in.Mode() == info.Mode(), err1, err2)
		}
		root.Close()
	}
	regular := 0
	for _, e := range list {
		info, err := e.Info()
		if err != nil || info.Mode().Type() != e.Type() {
			fmt.Println(e, info, err)
		}
		if e.Type().IsRegular() {
			regular++
		} else {
			fmt.Println(e.Name(), e.Type(), info.Mode().Type())
		}
	}
	fmt.Println(regular)
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if e.Type()&fs.ModeSocket != 0 {
			fmt.Println(filepath.Base(path))
		}
		return err
	})
}
