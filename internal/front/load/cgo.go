package load

import (
	xmodule "golang.org/x/mod/module"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// pureTwins are packages in pure Go that do what modules with C do, by the module's path without
// its version.
var pureTwins = map[string]string{
	"github.com/mattn/go-sqlite3":                "modernc.org/sqlite",
	"github.com/DataDog/zstd":                    "github.com/klauspost/compress/zstd",
	"github.com/valyala/gozstd":                  "github.com/klauspost/compress/zstd",
	"github.com/confluentinc/confluent-kafka-go": "github.com/twmb/franz-go",
	"github.com/godror/godror":                   "github.com/sijms/go-ora",
	"github.com/mattn/go-oci8":                   "github.com/sijms/go-ora",
	"github.com/linxGnu/grocksdb":                "github.com/cockroachdb/pebble",
	"github.com/tecbot/gorocksdb":                "github.com/cockroachdb/pebble",
	"github.com/bmatsuo/lmdb-go":                 "go.etcd.io/bbolt",
	"github.com/libgit2/git2go":                  "github.com/go-git/go-git",
	"github.com/pebbe/zmq4":                      "github.com/go-zeromq/zmq4",
	"github.com/bytecodealliance/wasmtime-go":    "github.com/tetratelabs/wazero",
	"github.com/wasmerio/wasmer-go":              "github.com/tetratelabs/wazero",
	"rogchap.com/v8go":                           "github.com/dop251/goja",
	"github.com/spacemonkeygo/openssl":           "crypto/tls",
}

// refuseCgo is the error of a file that imports "C".
func (l *loader) refuseCgo(p *pkg, f *file) *diag.Error {
	e := &diag.Error{Pos: l.importPos(f, "C"), Msg: "cgo is not supported"}
	if src, err := p.tree.ReadFile(f.name, filetree.MaxSource); err == nil {
		if tag := l.match.TagWithout(src); tag != "" {
			e.Msg += ": -tags=" + tag + " leaves this file out"
			return e
		}
	}
	if p.mod == nil || p.mod.Main {
		return e
	}
	module, _, _ := xmodule.SplitPathVersion(p.mod.Path)
	if twin := pureTwins[module]; twin != "" {
		e.Msg += ": " + twin + " does the same in pure Go"
	} else {
		e.Msg += ": ways out are a module in pure Go that does the same as " + p.mod.Path + ", or a replace directive in go.mod with one"
	}
	return e
}
