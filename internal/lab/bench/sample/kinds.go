package sample

import "strings"

// Kinds of places, for record.Share.Kind.
const (
	Guest    = "guest"    // the program: a guest's code and std's; in a native binary everything except Go's runtime
	Runtime  = "runtime"  // the guest's package runtime and the engine's work for it; in a native binary Go's runtime
	GC       = "gc"       // the collector of the guest's memory, or Go's
	Compiler = "compiler" // compilation of functions at their first call
	Host     = "host"     // the rest of this process
	Kernel   = "kernel"
)

const module = "github.com/gyrvm/gyr/"

// A rule gives functions of this process a kind, by the beginnings of their names and of their
// files' names.
type rule struct {
	prefix string
	file   string // empty: any
	kind   string
}

// hostRules are for this process, which runs a guest. The first match counts.
var hostRules = []rule{
	{module + "internal/run/memory.", "mark", GC},
	{module + "internal/run/memory.", "sweep", GC},
	{module + "internal/run/memory.", "pace", GC},
	{module + "internal/run/memory.", "special", GC},
	{module + "internal/run/rt.", "collect", GC},
	{module + "internal/run/exec.(*Core).Mark", "", GC},
	{module + "internal/back/native.(*tier).Mark", "", GC},
	{module + "internal/back/native.(*Machine).mark", "", GC},
	{module + "internal/back/native/", "", Compiler},
	{module + "internal/back/native.(*Module)", "", Compiler},
	{module + "internal/back/native.(*Arena)", "", Compiler},
	{module + "internal/back/native.maker", "", Compiler},
	{module + "internal/back/bytecode.(*FuncCode)", "", Runtime},
	{module + "internal/back/bytecode.(*Module).FuncAt", "", Runtime},
	{module + "internal/back/bytecode.", "", Compiler},
	{module + "internal/back/lazy.", "", Compiler},
	{module + "internal/opt", "", Compiler},
	{module + "internal/ir.", "", Compiler},
	{module + "internal/image.", "", Compiler},
	{module + "internal/back/", "", Runtime},
	{module + "internal/run/", "", Runtime},
	{"", "", Host},
}

// goRules are for binaries that Go's compiler made.
var goRules = append(gcOfGo[:len(gcOfGo):len(gcOfGo)],
	rule{"runtime.", "", Runtime}, rule{"internal/runtime/gc", "", GC}, rule{"internal/runtime/", "", Runtime},
	rule{"", "", Guest})

// gcOfGo are the files of Go's collector.
var gcOfGo = []rule{
	{"runtime.", "mgc", GC}, {"runtime.", "mark", GC}, {"runtime.", "mbitmap", GC}, {"runtime.", "mwbbuf", GC},
	{"runtime.", "mbarrier", GC}, {"runtime.gc", "asm", GC}, {"gcWriteBarrier", "", GC},
}

// kindOf applies rules to a function whose file has a name.
func kindOf(rules []rule, name, file string) string {
	if i := strings.LastIndexByte(file, '/'); i >= 0 {
		file = file[i+1:]
	}
	for _, r := range rules {
		if strings.HasPrefix(name, r.prefix) && strings.HasPrefix(file, r.file) {
			return r.kind
		}
	}
	return Host
}
