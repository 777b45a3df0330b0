// Guests that want out of their directories, or use up what the host has.
//
// The root is a directory with the file a, the directory d with the file b, a link
// "out" to a directory beside it that holds a file "secret", and a link "etc" to /etc.
// /ro is a directory that may only be read.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"dots": func() {
		for _, name := range []string{
			"../out/secret", "d/../../out/secret", "/../out/secret", "./../out/secret", "d/./../.././out/secret",
			"/../../../../../../etc/passwd", "..", "../", "../in/../out/secret", "d/../../in/a", strings.Repeat("../", 1000) + "etc/passwd",
			"/ro/../../out/secret", "/ro/../../../etc/passwd",
		} {
			try(name)
		}
	},
	"links": func() {
		for _, name := range []string{"out/secret", "out/../out/secret", "etc/passwd", "out", "etc", "d/up/out/secret"} {
			try(name)
		}
	},
	"links of its own": func() {
		for i, to := range []string{"../out", "/etc", "..", "../../../../../..", "d/../../out", "out", "/proc/self/root"} {
			name := fmt.Sprint("link", i)
			if err := os.Symlink(to, name); err == nil {
				try(name + "/secret")
				try(name + "/passwd")
				try(name + "/out/secret")
				try(name + "/../out/secret")
			}
		}
	},
	"circle of links": func() {
		os.Symlink("y", "x")
		os.Symlink("x", "y")
		os.Symlink("z/z", "z")
		for _, name := range []string{"x", "y", "z", "x/a", "z/a"} {
			_, err := os.ReadFile(name)
			if err == nil {
				fmt.Println(name, "can be read")
			}
		}
		refused(errors.New("all"))
	},
	"chain of links": func() {
		os.Symlink("a", "l0")
		for i := range 200 {
			os.Symlink(fmt.Sprint("l", i), fmt.Sprint("l", i+1))
		}
		_, err := os.ReadFile("l200")
		refused(err)
	},
	"rename out": func() {
		refused(os.Rename("a", "../out/a"))
		refused(os.Rename("a", "out/a"))
		refused(os.Rename("out/secret", "mine"))
		refused(os.Rename("../out/secret", "mine"))
		refused(os.Link("out/secret", "mine"))
		refused(os.Link("a", "out/mine"))
		refused(os.Remove("out/secret"))
		refused(os.Remove("../out/secret"))
		refused(os.Truncate("out/secret", 0))
		refused(os.Mkdir("out/dir", 0o777))
		refused(os.WriteFile("out/file", nil, 0o666))
		refused(os.RemoveAll("out/secret"))
		refused(os.Chtimes("out/secret", time.Time{}, time.Now()))
		refused(os.Chmod("out/secret", 0o777))
		refused(os.Chmod("../out/secret", 0o777))
		refused(os.Chmod("out", 0o777))
	},
	"rename of a directory that is open": func() {
		os.MkdirAll("x/y/z", 0o777)
		f, err := os.Open("x/y/z")
		if err != nil {
			panic(err)
		}
		root, err := os.OpenRoot("x/y")
		if err != nil {
			panic(err)
		}
		os.Rename("x/y", "d/y")
		_, err = root.Open("../../../out/secret")
		refused(err)
		_, err = root.Open("../a")
		refused(err)
		_, err = f.Readdirnames(-1)
		fmt.Println(err)
	},
	"absolute": func() {
		for _, name := range []string{"/etc/passwd", "/proc/self/mem", "/proc/self/environ", "/dev/mem", "//etc/passwd", "/out/secret"} {
			try(name)
		}
	},
	"zero bytes": func() {
		for _, name := range []string{"a\x00b", "\x00", "a\x00/../../out/secret", "d/\x00"} {
			_, err := os.Open(name)
			refused(err)
		}
	},
	"long names": func() {
		for _, n := range []int{255, 256, 4095, 4096, 1 << 16, 1 << 20} {
			if err := os.WriteFile(strings.Repeat("x", n), nil, 0o666); n > 255 {
				refused(err)
			}
			_, err := os.Open(strings.Repeat("d/", n) + "b")
			refused(err)
		}
	},
	"strange names": func() {
		for _, name := range []string{"", " ", "\xff\xfe", "a/", "a/.", "a/..", "d//b", "d/./b", "\n", "\\..\\out", "C:\\x", "d/b/"} {
			_, err := os.Open(name)
			fmt.Printf("%q %v\n", name, err == nil)
		}
	},
	"deep directories": func() {
		name := "x"
		for n := 0; ; n++ {
			if err := os.Mkdir(name, 0o777); err != nil {
				refused(err)
				return
			}
			name += "/" + strings.Repeat("y", 100)
		}
	},
	"only to be read": func() {
		refused(os.WriteFile("/ro/r", []byte("x"), 0o666))
		refused(os.WriteFile("/ro/new", nil, 0o666))
		refused(os.Remove("/ro/r"))
		refused(os.Mkdir("/ro/d", 0o777))
		refused(os.Rename("/ro/r", "/mine"))
		refused(os.Rename("a", "/ro/a"))
		refused(os.Symlink("r", "/ro/l"))
		refused(os.Truncate("/ro/r", 0))
		refused(os.Chtimes("/ro/r", time.Time{}, time.Now()))
		refused(os.Chmod("/ro/r", 0o777))
		refused(os.Chmod("/ro", 0o777))
		refused(os.Link("/ro/r", "/hard"))
		f, err := os.Open("/ro/r")
		if err == nil {
			_, err = f.Write([]byte("x"))
		}
		refused(err)
		refused(f.Truncate(0))
		refused(f.Chmod(0o777))
	},
	"descriptors": func() {
		for n := 0; ; n++ {
			if _, err := os.Open("a"); err != nil {
				fmt.Println(n > 10, n < 10_000)
				refused(err)
				break
			}
		}
		// What there is goes on working.
		fmt.Println(errors.Is(os.WriteFile("new", nil, 0o666), syscall.ENFILE) || true)
	},
	"descriptors of directories": func() {
		for {
			if _, err := os.OpenRoot("d"); err != nil {
				refused(err)
				return
			}
		}
	},
	"forged descriptors": func() {
		var b [10]byte
		for _, fd := range []int{-1, 99, 1 << 20, 1<<31 - 1, -1 << 31} {
			_, err := syscall.Read(fd, b[:])
			refused(err)
			_, err = syscall.Write(fd, b[:])
			refused(err)
			refused(syscall.Close(fd))
			_, err = syscall.Seek(fd, 0, 0)
			refused(err)
			var st syscall.Stat_t
			refused(syscall.Fstat(fd, &st))
			refused(syscall.Ftruncate(fd, 0))
			refused(syscall.Fchmod(fd, 0o777))
		}
		// Closing what belongs to the runtime of the program harms the program alone.
		for fd := range 10 {
			syscall.Close(fd)
		}
		_, err := os.Open("a")
		refused(err)
		os.Exit(9)
	},
	"sizes": func() {
		f, err := os.Create("big")
		if err != nil {
			panic(err)
		}
		refused(f.Truncate(1 << 62))
		refused(f.Truncate(-1))
		_, err = f.WriteAt([]byte("x"), 1<<63-1)
		refused(err)
		_, err = f.WriteAt([]byte("x"), -1)
		refused(err)
		_, err = f.ReadAt(make([]byte, 1), -1)
		refused(err)
		_, err = f.Seek(-1, io.SeekStart)
		refused(err)
		_, err = f.Seek(1<<63-1, io.SeekStart)
		if err == nil {
			_, err = f.Write([]byte("x"))
		}
		refused(err)
		_, err = f.Seek(1<<62, 77)
		refused(err)
	},
	"one file with itself": func() {
		f, _ := os.OpenFile("a", os.O_RDWR|os.O_APPEND, 0)
		n, err := io.CopyBuffer(f, io.LimitReader(f, 1<<20), make([]byte, 7))
		fmt.Println(n, err)
	},
	"list what changes": func() {
		d, _ := os.Open("/")
		for i := range 300 {
			os.WriteFile(fmt.Sprint("f", i), nil, 0o666)
			if i%3 == 0 {
				os.Remove(fmt.Sprint("f", i/2))
			}
			d.ReadDir(1)
		}
		list, err := os.ReadDir("/")
		fmt.Println(len(list) > 100, err)
	},
	"walk": func() {
		n := 0
		filepath.WalkDir("/", func(path string, d fs.DirEntry, err error) error {
			if strings.Contains(path, "secret") || strings.Contains(path, "passwd") {
				fmt.Println("escaped by", path)
			}
			n++
			return nil
		})
		fmt.Println(n > 3, n < 100)
	},
	"sockets and processes": func() {
		_, err := os.StartProcess("/bin/sh", []string{"sh"}, &os.ProcAttr{})
		refused(err)
		r, w, err := os.Pipe() // one of the guest's own
		if err == nil {
			go w.Write([]byte("pipe"))
			var b [4]byte
			_, err = r.Read(b[:])
		}
		if err != nil {
			fmt.Println(err)
		}
		refused(syscall.Kill(1, 9))
		fmt.Println(os.Getuid(), os.Getpid() > 0)
		h, err := os.Hostname()
		fmt.Println(h, err)
	},
	"link that changes": func() {
		// The host exchanges d for a link to the directory outside, again and again.
		for range 3000 {
			if b, err := os.ReadFile("race/secret"); err == nil && bytes.Contains(b, []byte("secret")) {
				fmt.Println("escaped")
			}
			os.WriteFile("race/mine", []byte("x"), 0o666)
			os.Chmod("race/secret", 0o777)
			os.Remove("race/secret")
		}
		fmt.Println("refused")
	},
	"write for ever": func() {
		for {
			os.Stdout.WriteString("x")
		}
	},
	"read for ever": func() { io.Copy(io.Discard, os.Stdin) },
	"environment": func() {
		fmt.Println(len(os.Environ()), len(os.Args), os.Getenv("HOME")+os.Getenv("PATH"))
		for i := range 1000 {
			os.Getenv(fmt.Sprint("SECRET", i))
		}
		os.Exit(3)
	},
	"arguments": func() { fmt.Println(len(os.Args), len(os.Args[len(os.Args)-1]), len(os.Environ())) },
}

// try does what it can with a file outside.
func try(name string) {
	if b, err := os.ReadFile(name); err == nil {
		fmt.Printf("escaped: %.40q has %.40q\n", name, b)
	}
	if f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666); err == nil {
		fmt.Printf("escaped: %.40q can be written\n", name)
		f.Close()
	}
	if list, err := os.ReadDir(name); err == nil {
		for _, e := range list {
			if e.Name() == "secret" || e.Name() == "passwd" {
				fmt.Printf("escaped: %.40q lists %q\n", name, e.Name())
			}
		}
	}
	if st, err := os.Stat(name); err == nil && !st.IsDir() {
		fmt.Printf("escaped: %.40q is %v\n", name, st.Mode())
	}
	fmt.Println("refused")
}

func refused(err error) {
	if err == nil {
		fmt.Println("escaped")
		panic("not refused")
	}
	fmt.Println("refused")
}
