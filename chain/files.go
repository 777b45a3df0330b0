package chain

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gyrvm/gyr"
)

// ReadProgram reads a contract for a deployment: the Go files of a directory and of those below it,
// without tests, with its go.mod, go.sum and vendor directory if it has them. A file is an image.
func ReadProgram(dir string) (Program, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return Program{}, err
	}
	if !info.IsDir() {
		data, err := os.ReadFile(dir)
		if err == nil && !gyr.IsImage(data) {
			err = fmt.Errorf("chain: %s is neither a directory nor an image; gyr-chain build writes images", dir)
		}
		return Program{Image: data}, err
	}
	p := Program{Files: map[string][]byte{}}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() {
			if path != dir && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name, ".go") && name != "go.mod" && name != "go.sum" && name != "modules.txt" {
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		p.Files[filepath.ToSlash(rel)], err = os.ReadFile(path)
		return err
	})
	if err == nil && len(p.Files) == 0 {
		err = fmt.Errorf("chain: %s has no Go files", dir)
	}
	return p, err
}
