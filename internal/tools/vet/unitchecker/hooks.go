//go:build wasip1

package unitchecker

import (
	"encoding/binary"
	"fmt"
	"go/token"
	"go/types"
	"os"
)

// makeTypesImporter reads what exportTypes wrote of other packages.
var makeTypesImporter = func(cfg *Config, fset *token.FileSet) types.Importer {
	r := newGyrReader(fset)
	done := map[string]*types.Package{}
	return importerFunc(func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		of, ok := cfg.ImportMap[path]
		if !ok {
			return nil, fmt.Errorf("can't resolve import %q", path)
		}
		if pkg := done[of]; pkg != nil {
			return pkg, nil
		}
		data, err := os.ReadFile(cfg.PackageFile[of])
		if err != nil {
			return nil, err
		}
		pkg, err := r.read(data)
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", of, err)
		}
		done[of] = pkg
		return pkg, nil
	})
}

// exportFacts and exportTypes write to the standard output, before what was found.
var exportFacts = func(cfg *Config, data []byte) error { return gyrSend(data) }

var exportTypes = func(cfg *Config, fset *token.FileSet, pkg *types.Package) error {
	if cfg.VetxOutput == "" { // nobody imports the package
		return gyrSend(nil)
	}
	return gyrSend(gyrWriteTypes(fset, pkg))
}

// gyrSend writes data behind its length.
func gyrSend(data []byte) error {
	_, err := os.Stdout.Write(append(binary.AppendUvarint(nil, uint64(len(data))), data...))
	return err
}
