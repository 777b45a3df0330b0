package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// makeFiles makes the files for guests of family files: their root "in", the directory "ro" that
// they may only read, and "out" next to them, which they must not reach.
func makeFiles(dir string) error {
	for name, text := range map[string]string{"in/a": "aaaa", "in/d/b": "bbbb", "ro/r": "rrrr", "out/secret": secret} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{"in/out": "../out", "in/etc": "/etc", "in/d/up": "../.."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

const secret = "secret"

// checkFiles checks that everything outside is unchanged.
func checkFiles(dir string) error {
	for name, want := range map[string]string{"out/secret": secret, "ro/r": "rrrr"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			return fmt.Errorf("%s is now %q, %v", name, got, err)
		}
		if fi, err := os.Stat(filepath.Join(dir, name)); err != nil || fi.Mode()&0o111 != 0 {
			return fmt.Errorf("%s has now mode %v, %v", name, fi.Mode(), err)
		}
	}
	for _, d := range []string{"out", "ro"} {
		if list, err := os.ReadDir(filepath.Join(dir, d)); err != nil || len(list) != 1 {
			return fmt.Errorf("%s has %v, %v", d, list, err)
		}
	}
	return nil
}

// exchange replaces the directory in/race by a link to out and back, as fast as it can, until the
// returned function is called.
func exchange(dir string) (stop func()) {
	race, spare, link := filepath.Join(dir, "in/race"), filepath.Join(dir, "in/spare"), filepath.Join(dir, "in/link")
	os.Mkdir(race, 0o777)
	os.Symlink("../out", link)
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			os.Rename(race, spare)
			os.Rename(link, race)
			time.Sleep(time.Microsecond)
			os.Rename(race, link)
			os.Rename(spare, race)
		}
	})
	return func() { close(done); wg.Wait() }
}

// big is n strings of n bytes.
func big(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = "V" + strings.Repeat("x", n) + "="
	}
	return list
}
