package directive

import (
	"go/ast"
	"go/parser"
	"go/types"
	"slices"
	"strings"
	"sync"
)

// Linknames into the standard library.
//
// A program may take only the symbols in this list from the standard library by go:linkname
// directives. Mostly a function or variable of the overlay's package runtime answers a symbol. It
// need not be the one that the standard library itself calls: the library's functions do not charge
// for work that their callers count, and they trust their operands. The functions of the overlay's
// pulled.go charge for all their work and check the operands that they count by.
//
// A new line needs guests that abuse it (internal/suites/hostile, family linknames).

// An Answer is the meaning of a symbol of the standard library for programs that name it in a
// directive.
type Answer struct {
	Symbol string
	Target string // in the overlay's package runtime, or with a dot: a symbol of another package, which the program must import
	Sig    string // of a function: the signature, whose layout a declaration must have; of a variable: "var" and its type
	Price  string // beside the 15 units of a call of the runtime
	Why    string // modules that pull it, according to the comments of the standard library
}

const (
	justCall  = "nothing"
	moved     = "1/128 unit a byte"
	allocated = "12/128 unit a byte"
	hashed    = "8/128 unit a byte"
	itself    = "what it does"

	jsonToo = "github.com/goccy/go-json, github.com/goccy/go-reflect and 2 more"
	bigfft  = "github.com/remyoudompheng/bigfft"
)

// answers is the list, by subject.
var answers = []Answer{
	// The machine and the time.
	{"runtime.getAuxv", "pulled_getAuxv", "func() []uintptr", justCall, "golang.org/x/sys/cpu; there is none: nil"},
	{"runtime.nanotime", "pulled_nanotime", "func() int64", justCall, "github.com/ethereum/go-ethereum and many others, for a monotonic clock"},
	{"runtime.nanotime1", "pulled_nanotime", "func() int64", justCall, "as runtime.nanotime"},
	{"runtime.cputicks", "pulled_nanotime", "func() int64", justCall, "github.com/dgraph-io/ristretto, github.com/outcaste-io/ristretto and 1 more; nanoseconds"},
	{"runtime.walltime", "pulled_walltime", "func() (sec int64, nsec int32)", justCall, "gitee.com/quant1x/gox"},
	{"time.now", "pulled_now", "func() (sec int64, nsec int32, mono int64)", justCall, "gitee.com/quant1x/gox, github.com/phuslu/log and 2 more"},
	{"time.runtimeNano", "pulled_nanotime", "func() int64", justCall, "gitee.com/quant1x/gox, github.com/phuslu/log and 2 more"},
	{"time.runtimeNow", "pulled_now", "func() (sec int64, nsec int32, mono int64)", justCall, "gitee.com/quant1x/gox, github.com/phuslu/log and 2 more"},

	// Random numbers, from the instance's seed.
	{"runtime.rand", "rand", "func() uint64", justCall, "as runtime.cheaprand"},
	{"runtime.rand32", "rand32", "func() uint32", justCall, "as runtime.cheaprand"},
	{"runtime.cheaprand", "cheaprand", "func() uint32", justCall, "github.com/bytedance/gopkg"},
	{"runtime.cheaprand64", "cheaprand64", "func() int64", justCall, "github.com/zhangyunhao116/fastrand"},
	{"runtime.cheaprandn", "cheaprandn", "func(n uint32) uint32", justCall, "github.com/phuslu/log"},
	{"runtime.fastrand", "legacy_fastrand", "func() uint32", justCall, "github.com/phuslu/log"},
	{"runtime.fastrandn", "legacy_fastrandn", "func(n uint32) uint32", justCall, "as runtime.fastrand"},
	{"runtime.fastrand64", "legacy_fastrand64", "func() uint64", justCall, "as runtime.fastrand"},
	{"runtime.fastrandu", "pulled_fastrandu", "func() uint", justCall, "as runtime.fastrand"},

	// Memory and hashing.
	{"runtime.memmove", "pulled_memmove", "func(to, from unsafe.Pointer, n uintptr)", moved, "github.com/bytedance/sonic, github.com/cloudwego/dynamicgo and 5 more"},
	{"reflect.memmove", "pulled_memmove", "func(to, from unsafe.Pointer, n uintptr)", moved, "github.com/bytedance/sonic, github.com/cloudwego/dynamicgo and 5 more"},
	{"runtime.memclrNoHeapPointers", "pulled_memclr", "func(p unsafe.Pointer, n uintptr)", moved, "github.com/bytedance/sonic, github.com/chenzhuoyu/iasm and 2 more"},
	{"runtime.memclrHasPointers", "pulled_memclr", "func(p unsafe.Pointer, n uintptr)", moved, "github.com/bytedance/sonic"},
	{"reflect.memclrNoHeapPointers", "pulled_memclr", "func(p unsafe.Pointer, n uintptr)", moved, "github.com/bytedance/sonic, github.com/chenzhuoyu/iasm and 2 more"},
	{"runtime.memequal", "pulled_memequal", "func(p, q unsafe.Pointer, n uintptr) bool", moved, "github.com/bytedance/sonic"},
	{"runtime.memhash", "pulled_memhash", "func(p unsafe.Pointer, h, n uintptr) uintptr", hashed, "github.com/aacfactory/fns, github.com/dgraph-io/ristretto and 7 more"},
	{"runtime.memhash32", "pulled_memhash32", "func(p unsafe.Pointer, h uintptr) uintptr", justCall, "as runtime.memhash"},
	{"runtime.memhash64", "pulled_memhash64", "func(p unsafe.Pointer, h uintptr) uintptr", justCall, "as runtime.memhash"},
	{"runtime.strhash", "pulled_strhash", "func(p unsafe.Pointer, h uintptr) uintptr", hashed, "github.com/aristanetworks/goarista, github.com/bytedance/sonic and 3 more"},
	{"runtime.stringHash", "pulled_stringHash", "func(s string, h uintptr) uintptr", hashed, "github.com/k14s/starlark-go"},
	{"runtime.nilinterhash", "pulled_nilinterhash", "func(p unsafe.Pointer, h uintptr) uintptr", hashed, "github.com/anacrolix/stm, github.com/aristanetworks/goarista"},
	{"runtime.typehash", "pulled_typehash", "func(t, p unsafe.Pointer, h uintptr) uintptr", hashed, "github.com/puzpuzpuz/xsync/v2, github.com/puzpuzpuz/xsync/v3"},
	{"runtime.noescape", "noescape", "func(p unsafe.Pointer) unsafe.Pointer", justCall, "github.com/bytedance/gopkg, github.com/ebitengine/purego and 3 more"},
	{"runtime.add", "add", "func(p unsafe.Pointer, x uintptr) unsafe.Pointer", justCall, "fortio.org/log"},

	// Objects.
	{"runtime.mallocgc", "pulled_mallocgc", "func(size uintptr, t unsafe.Pointer, zero bool) unsafe.Pointer", allocated, "github.com/bytedance/gopkg, github.com/bytedance/sonic and 4 more"},
	{"runtime.newobject", "pulled_newobject", "func(t unsafe.Pointer) unsafe.Pointer", allocated, "as runtime.newarray"},
	{"runtime.newarray", "pulled_newarray", "func(t unsafe.Pointer, n int) unsafe.Pointer", allocated, "github.com/RomiChan/protobuf, github.com/segmentio/encoding and 1 more"},
	{"runtime.makeslice", "pulled_makeslice", "func(t unsafe.Pointer, n, c int) unsafe.Pointer", allocated, "github.com/bytedance/sonic"},
	{"runtime.growslice", "pulled_growslice", "func(old unsafe.Pointer, newLen, oldCap, num int, t unsafe.Pointer) (unsafe.Pointer, int, int)", allocated, "github.com/bytedance/sonic, github.com/chenzhuoyu/iasm and 2 more"},
	{"runtime.typedmemmove", "pulled_typedmemmove", "func(t, dst, src unsafe.Pointer)", moved, "github.com/RomiChan/protobuf, github.com/segmentio/encoding"},
	{"runtime.typedslicecopy", "pulled_typedslicecopy", "func(t, dst unsafe.Pointer, dstLen int, src unsafe.Pointer, srcLen int) int", moved, "github.com/segmentio/encoding"},
	{"reflect.unsafe_New", "pulled_newobject", "func(t unsafe.Pointer) unsafe.Pointer", allocated, "gitee.com/quant1x/gox, github.com/goccy/json and 2 more"},
	{"reflect.unsafe_NewArray", "pulled_newarray", "func(t unsafe.Pointer, n int) unsafe.Pointer", allocated, "gitee.com/quant1x/gox, github.com/bytedance/sonic and 5 more"},
	{"reflect.typedmemmove", "pulled_typedmemmove", "func(t, dst, src unsafe.Pointer)", moved, "gitee.com/quant1x/gox, github.com/goccy/json and 3 more"},
	{"reflect.typedmemclr", "pulled_typedmemclr", "func(t, p unsafe.Pointer)", moved, "github.com/ugorji/go/codec"},
	{"reflect.typedslicecopy", "pulled_reflect_typedslicecopy", "func(t unsafe.Pointer, dst, src []byte) int", moved, "gitee.com/quant1x/gox, github.com/modern-go/reflect2 and 3 more"},
	{"reflect.growslice", "pulled_reflect_growslice", "func(t unsafe.Pointer, old []byte, num int) []byte", allocated, "github.com/cloudwego/dynamicgo"},

	// Maps.
	{"runtime.makemap", "pulled_makemap", "func(t unsafe.Pointer, hint int, m unsafe.Pointer) unsafe.Pointer", "45 units and 2 an entry", "github.com/ugorji/go/codec"},
	{"runtime.makemap_small", "pulled_makemap_small", "func() unsafe.Pointer", "25 units", "github.com/bytedance/sonic"},
	{"runtime.mapaccess1", "pulled_mapaccess1", "func(t, m, key unsafe.Pointer) unsafe.Pointer", "15 units, and the key's", "github.com/ugorji/go/codec"},
	{"runtime.mapaccess2", "pulled_mapaccess2", "func(t, m, key unsafe.Pointer) (unsafe.Pointer, bool)", "15 units, and the key's", "github.com/ugorji/go/codec"},
	{"runtime.mapassign", "pulled_mapassign", "func(t, m, key unsafe.Pointer) unsafe.Pointer", "65 units, and the key's", "github.com/bytedance/sonic, github.com/RomiChan/protobuf and 2 more"},
	{"runtime.mapassign_fast32", "pulled_mapassign_fast32", "func(t, m unsafe.Pointer, key uint32) unsafe.Pointer", "65 units", "github.com/bytedance/sonic, github.com/ugorji/go/codec"},
	{"runtime.mapassign_fast32ptr", "pulled_mapassign_fast64ptr", "func(t, m, key unsafe.Pointer) unsafe.Pointer", "65 units", "github.com/ugorji/go/codec; pointers have 8 bytes, so it is runtime.mapassign_fast64ptr"},
	{"runtime.mapassign_fast64", "pulled_mapassign_fast64", "func(t, m unsafe.Pointer, key uint64) unsafe.Pointer", "65 units", "github.com/bytedance/sonic, github.com/ugorji/go/codec"},
	{"runtime.mapassign_fast64ptr", "pulled_mapassign_fast64ptr", "func(t, m, key unsafe.Pointer) unsafe.Pointer", "65 units", "github.com/bytedance/sonic, github.com/ugorji/go/codec"},
	{"runtime.mapassign_faststr", "pulled_mapassign_faststr", "func(t, m unsafe.Pointer, key string) unsafe.Pointer", "65 units, and the key's", "github.com/bytedance/sonic, github.com/ugorji/go/codec"},
	{"runtime.mapaccess2_fast32", "pulled_mapaccess2_fast32", "func(t, m unsafe.Pointer, key uint32) (unsafe.Pointer, bool)", "15 units", "github.com/ugorji/go/codec"},
	{"runtime.mapaccess2_fast64", "pulled_mapaccess2_fast64", "func(t, m unsafe.Pointer, key uint64) (unsafe.Pointer, bool)", "15 units", "github.com/ugorji/go/codec"},
	{"runtime.mapaccess2_faststr", "pulled_mapaccess2_faststr", "func(t, m unsafe.Pointer, key string) (unsafe.Pointer, bool)", "15 units, and the key's", "github.com/ugorji/go/codec"},
	{"runtime.mapdelete", "pulled_mapdelete", "func(t, m, key unsafe.Pointer)", "45 units, and the key's", "github.com/ugorji/go/codec"},
	{"runtime.mapdelete_fast32", "pulled_mapdelete_fast32", "func(t, m unsafe.Pointer, key uint32)", "45 units", "github.com/ugorji/go/codec"},
	{"runtime.mapdelete_fast64", "pulled_mapdelete_fast64", "func(t, m unsafe.Pointer, key uint64)", "45 units", "github.com/bytedance/sonic, github.com/ugorji/go/codec"},
	{"runtime.mapdelete_faststr", "pulled_mapdelete_faststr", "func(t, m unsafe.Pointer, key string)", "45 units, and the key's", "github.com/bytedance/sonic, github.com/ugorji/go/codec"},
	{"runtime.mapiterinit", "pulled_mapiterinit", "func(t, m, it unsafe.Pointer)", "45 units", "github.com/bytedance/sonic, github.com/goccy/go-json and 4 more"},
	{"runtime.mapiternext", "pulled_mapiternext", "func(it unsafe.Pointer)", "15 units", "github.com/bytedance/sonic, github.com/RomiChan/protobuf and 3 more"},
	{"runtime.mapiternext", "pulled_mapiternext2", "func(it unsafe.Pointer) unsafe.Pointer", "15 units", "github.com/ugorji/go/codec, which declares a result: the key"},
	{"reflect.makemap", "pulled_reflect_makemap", "func(t unsafe.Pointer, hint int) unsafe.Pointer", "45 units and 2 an entry", "gitee.com/quant1x/gox, github.com/modern-go/reflect2 and 4 more"},
	{"reflect.mapaccess", "pulled_reflect_mapaccess", "func(t, m, key unsafe.Pointer) unsafe.Pointer", "15 units, and the key's", "gitee.com/quant1x/gox, github.com/modern-go/reflect2 and 1 more"},
	{"reflect.mapaccess_faststr", "pulled_reflect_mapaccess_faststr", "func(t, m unsafe.Pointer, key string) unsafe.Pointer", "15 units, and the key's", "gitee.com/quant1x/gox, github.com/modern-go/reflect2 and 1 more"},
	{"reflect.mapassign", "pulled_reflect_mapassign", "func(t, m, key, elem unsafe.Pointer)", "65 units, and the key's and the element's", "github.com/modern-go/reflect2, github.com/goccy/go-json"},
	{"reflect.mapassign0", "pulled_reflect_mapassign", "func(t, m, key, elem unsafe.Pointer)", "65 units, and the key's and the element's", "gitee.com/quant1x/gox, github.com/v2pro/plz"},
	{"reflect.mapassign_faststr", "pulled_reflect_mapassign_faststr", "func(t, m unsafe.Pointer, key string, elem unsafe.Pointer)", "65 units, and the key's and the element's", "as reflect.mapassign"},
	{"reflect.mapassign_faststr0", "pulled_reflect_mapassign_faststr", "func(t, m unsafe.Pointer, key string, elem unsafe.Pointer)", "65 units, and the key's and the element's", "gitee.com/quant1x/gox, github.com/v2pro/plz"},
	{"reflect.mapdelete", "pulled_mapdelete", "func(t, m, key unsafe.Pointer)", "45 units, and the key's", "gitee.com/quant1x/gox, github.com/v2pro/plz"},
	{"reflect.mapdelete_faststr", "pulled_mapdelete_faststr", "func(t, m unsafe.Pointer, key string)", "45 units, and the key's", "gitee.com/quant1x/gox, github.com/v2pro/plz"},
	{"reflect.mapclear", "pulled_mapclear", "func(t, m unsafe.Pointer)", "45 units and 2 an entry", "github.com/goccy/go-json, github.com/wI2L/jettison"},
	{"reflect.mapiterinit", "pulled_mapiterinit", "func(t, m, it unsafe.Pointer)", "45 units", "github.com/modern-go/reflect2, gitee.com/quant1x/gox and 2 more"},
	{"reflect.mapiterinit", "pulled_mapiterinit2", "func(t, m unsafe.Pointer) unsafe.Pointer", "48 units", "github.com/modern-go/reflect2 before v1.0.2, which has it as it was before Go 1.18"},
	{"reflect.mapiternext", "pulled_mapiternext", "func(it unsafe.Pointer)", "15 units", "gitee.com/quant1x/gox, github.com/modern-go/reflect2 and 3 more"},
	{"reflect.mapiterkey", "pulled_mapiterkey", "func(it unsafe.Pointer) unsafe.Pointer", justCall, "github.com/goccy/go-json, gonum.org/v1/gonum"},
	{"reflect.mapiterelem", "pulled_mapiterelem", "func(it unsafe.Pointer) unsafe.Pointer", justCall, "github.com/goccy/go-json, gonum.org/v1/gonum"},
	{"reflect.maplen", "pulled_maplen", "func(m unsafe.Pointer) int", justCall, "github.com/goccy/go-json, github.com/wI2L/jettison"},

	// Interfaces and types.
	{"runtime.convT64", "pulled_convT64", "func(x uint64) unsafe.Pointer", "1 unit", "github.com/bytedance/sonic"},
	{"runtime.convTstring", "pulled_convTstring", "func(s string) unsafe.Pointer", "1 unit", "github.com/bytedance/sonic"},
	{"runtime.convTslice", "pulled_convTslice", "func(s []byte) unsafe.Pointer", "2 units", "github.com/bytedance/sonic"},
	{"runtime.getitab", "pulled_getitab", "func(inter, t unsafe.Pointer, canfail bool) unsafe.Pointer", "methods are looked at", "github.com/bytedance/sonic"},
	{"reflect.ifaceE2I", "pulled_ifaceE2I", "func(inter unsafe.Pointer, e any, dst unsafe.Pointer)", "methods are looked at", "gitee.com/quant1x/gox, github.com/modern-go/reflect2 and 1 more"},
	{"reflect.typelinks", "pulled_typelinks", "func() ([]unsafe.Pointer, [][]int32)", "1 unit", "gitee.com/quant1x/gox, github.com/goccy/json and 5 more"},
	{"reflect.resolveNameOff", "reflect_resolveNameOff", "func(base unsafe.Pointer, off int32) unsafe.Pointer", justCall, "github.com/agiledragon/gomonkey/v2"},
	{"reflect.resolveTypeOff", "reflect_resolveTypeOff", "func(t unsafe.Pointer, off int32) unsafe.Pointer", justCall, "gitee.com/quant1x/gox, github.com/modern-go/reflect2 and 2 more"},
	{"reflect.rtypeOff", "pulled_rtypeOff", "func(section unsafe.Pointer, off int32) unsafe.Pointer", justCall, "github.com/goccy/go-json"},

	// Goroutines.
	{"runtime.procPin", "procPin", "func() int", justCall, "github.com/bytedance/gopkg, github.com/choleraehyq/pid and 1 more; there is one processor, 0"},
	{"runtime.procUnpin", "procUnpin", "func()", justCall, "github.com/bytedance/gopkg, github.com/choleraehyq/pid and 1 more"},
	{"sync.runtime_procPin", "procPin", "func() int", justCall, "github.com/bytedance/gopkg, github.com/choleraehyq/pid and 1 more"},
	{"sync.runtime_procUnpin", "procUnpin", "func()", justCall, "github.com/bytedance/gopkg, github.com/choleraehyq/pid and 1 more"},
	{"runtime.procyield", "pulled_procyield", "func(cycles uint32)", justCall, "github.com/sagernet/sing-tun, github.com/slackhq/nebula and 1 more; nothing runs meanwhile"},
	{"runtime.osyield", "pulled_osyield", "func()", "45 units", "as runtime.procyield; other goroutines get their turn"},
	{"runtime.goyield", "pulled_osyield", "func()", "45 units", "gvisor.dev/gvisor, github.com/sagernet/gvisor; other goroutines get their turn"},
	{"runtime.entersyscall", "pulled_nothing", "func()", justCall, "gvisor.dev/gvisor"},
	{"runtime.exitsyscall", "pulled_nothing", "func()", justCall, "gvisor.dev/gvisor"},
	{"sync.runtime_canSpin", "sync_runtime_canSpin", "func(i int) bool", justCall, "github.com/livekit/protocol, github.com/sagernet/gvisor and 1 more"},
	{"sync.runtime_doSpin", "sync_runtime_doSpin", "func()", justCall, "github.com/livekit/protocol, github.com/sagernet/gvisor and 1 more"},
	{"sync.runtime_Semacquire", "sync_runtime_Semacquire", "func(addr *uint32)", justCall, "gvisor.dev/gvisor, github.com/sagernet/gvisor"},
	{"sync.runtime_Semrelease", "sync_runtime_Semrelease", "func(addr *uint32, handoff bool, skipframes int)", justCall, "gvisor.dev/gvisor, github.com/sagernet/gvisor"},
	{"runtime.throw", "throw", "func(s string)", justCall, "github.com/bytedance/sonic, github.com/cockroachdb/pebble and 5 more; the program ends"},

	// Types of reflect. The answers are reflect's own functions, which charge and check as for any
	// caller.
	{"reflect.(*rtype).Align", "reflect.(*rtype).Align", "func(t unsafe.Pointer) int", itself, jsonToo},
	{"reflect.(*rtype).AssignableTo", "reflect.(*rtype).AssignableTo", "func(t unsafe.Pointer, u reflect.Type) bool", itself, jsonToo},
	{"reflect.(*rtype).Bits", "reflect.(*rtype).Bits", "func(t unsafe.Pointer) int", itself, jsonToo},
	{"reflect.(*rtype).ChanDir", "reflect.(*rtype).ChanDir", "func(t unsafe.Pointer) reflect.ChanDir", itself, jsonToo},
	{"reflect.(*rtype).Comparable", "reflect.(*rtype).Comparable", "func(t unsafe.Pointer) bool", itself, jsonToo},
	{"reflect.(*rtype).ConvertibleTo", "reflect.(*rtype).ConvertibleTo", "func(t unsafe.Pointer, u reflect.Type) bool", itself, jsonToo},
	{"reflect.(*rtype).Elem", "reflect.(*rtype).Elem", "func(t unsafe.Pointer) reflect.Type", itself, jsonToo},
	{"reflect.(*rtype).Field", "reflect.(*rtype).Field", "func(t unsafe.Pointer, i int) reflect.StructField", itself, jsonToo},
	{"reflect.(*rtype).FieldAlign", "reflect.(*rtype).FieldAlign", "func(t unsafe.Pointer) int", itself, jsonToo},
	{"reflect.(*rtype).FieldByIndex", "reflect.(*rtype).FieldByIndex", "func(t unsafe.Pointer, index []int) reflect.StructField", itself, jsonToo},
	{"reflect.(*rtype).FieldByName", "reflect.(*rtype).FieldByName", "func(t unsafe.Pointer, name string) (reflect.StructField, bool)", itself, jsonToo},
	{"reflect.(*rtype).FieldByNameFunc", "reflect.(*rtype).FieldByNameFunc", "func(t unsafe.Pointer, match func(string) bool) (reflect.StructField, bool)", itself, jsonToo},
	{"reflect.(*rtype).Implements", "reflect.(*rtype).Implements", "func(t unsafe.Pointer, u reflect.Type) bool", itself, jsonToo},
	{"reflect.(*rtype).In", "reflect.(*rtype).In", "func(t unsafe.Pointer, i int) reflect.Type", itself, jsonToo},
	{"reflect.(*rtype).IsVariadic", "reflect.(*rtype).IsVariadic", "func(t unsafe.Pointer) bool", itself, jsonToo},
	{"reflect.(*rtype).Key", "reflect.(*rtype).Key", "func(t unsafe.Pointer) reflect.Type", itself, jsonToo},
	{"reflect.(*rtype).Kind", "reflect.(*rtype).Kind", "func(t unsafe.Pointer) reflect.Kind", itself, jsonToo},
	{"reflect.(*rtype).Len", "reflect.(*rtype).Len", "func(t unsafe.Pointer) int", itself, jsonToo},
	{"reflect.(*rtype).Method", "reflect.(*rtype).Method", "func(t unsafe.Pointer, i int) reflect.Method", itself, jsonToo},
	{"reflect.(*rtype).MethodByName", "reflect.(*rtype).MethodByName", "func(t unsafe.Pointer, name string) (reflect.Method, bool)", itself, jsonToo},
	{"reflect.(*rtype).Name", "reflect.(*rtype).Name", "func(t unsafe.Pointer) string", itself, jsonToo},
	{"reflect.(*rtype).NumField", "reflect.(*rtype).NumField", "func(t unsafe.Pointer) int", itself, jsonToo},
	{"reflect.(*rtype).NumIn", "reflect.(*rtype).NumIn", "func(t unsafe.Pointer) int", itself, jsonToo},
	{"reflect.(*rtype).NumMethod", "reflect.(*rtype).NumMethod", "func(t unsafe.Pointer) int", itself, jsonToo},
	{"reflect.(*rtype).NumOut", "reflect.(*rtype).NumOut", "func(t unsafe.Pointer) int", itself, jsonToo},
	{"reflect.(*rtype).Out", "reflect.(*rtype).Out", "func(t unsafe.Pointer, i int) reflect.Type", itself, jsonToo},
	{"reflect.(*rtype).PkgPath", "reflect.(*rtype).PkgPath", "func(t unsafe.Pointer) string", itself, jsonToo},
	{"reflect.(*rtype).Size", "reflect.(*rtype).Size", "func(t unsafe.Pointer) uintptr", itself, jsonToo},
	{"reflect.(*rtype).String", "reflect.(*rtype).String", "func(t unsafe.Pointer) string", itself, jsonToo},
	{"reflect.(*rtype).ptrTo", "reflect.(*rtype).ptrTo", "func(t unsafe.Pointer) unsafe.Pointer", itself, jsonToo},
	{"reflect.toType", "reflect.toType", "func(t unsafe.Pointer) reflect.Type", itself, "fortio.org/log, github.com/goccy/go-json and 2 more"},
	{"reflect.ifaceIndir", "reflect.unusedIfaceIndir", "func(t unsafe.Pointer) bool", itself, jsonToo},

	// Vectors of words. The answers are math/big's own functions without assembly, which charge and
	// check as for any caller.
	{"math/big.addVV", "math/big.addVV", "func(z, x, y []uint) uint", itself, bigfft},
	{"math/big.subVV", "math/big.subVV", "func(z, x, y []uint) uint", itself, bigfft},
	{"math/big.addVW", "math/big.addVW", "func(z, x []uint, y uint) uint", itself, bigfft},
	{"math/big.subVW", "math/big.subVW", "func(z, x []uint, y uint) uint", itself, bigfft},
	{"math/big.shlVU", "math/big.lshVU", "func(z, x []uint, s uint) uint", itself, bigfft},
	{"math/big.mulAddVWW", "math/big.mulAddVWW", "func(z, x []uint, m, a uint) uint", itself, bigfft},
	{"math/big.addMulVVW", "math/big.gyrAddMulVVW", "func(z, x []uint, y uint) uint", itself, bigfft},

	// Variables.
	{"runtime.zeroVal", "zeroVal", "var [1024]byte", justCall, "github.com/ugorji/go/codec"},
	{"crypto/tls.cipherSuitesTLS13", "crypto/tls.cipherSuitesTLS13", "var []unsafe.Pointer", justCall, "github.com/quic-go/quic-go, github.com/sagernet/quic-go"},
	{"crypto/tls.defaultCipherSuitesTLS13", "crypto/tls.defaultCipherSuitesTLS13", "var []uint16", justCall, "github.com/quic-go/quic-go, github.com/sagernet/quic-go"},
	{"crypto/tls.defaultCipherSuitesTLS13NoAES", "crypto/tls.defaultCipherSuitesTLS13NoAES", "var []uint16", justCall, "github.com/quic-go/quic-go, github.com/sagernet/quic-go"},
}

// AnswersTo returns the answers to a symbol, one for each signature that a program may declare it
// with.
func AnswersTo(symbol string) []*Answer { return theAnswers()[symbol] }

var theAnswers = sync.OnceValue(func() map[string][]*Answer {
	m := make(map[string][]*Answer, len(answers))
	for _, a := range answers {
		m[a.Symbol] = append(m[a.Symbol], &a)
	}
	return m
})

// Link returns the link symbol of the answering function or variable.
func (a *Answer) Link() string {
	if strings.Contains(a.Target, ".") {
		return a.Target
	}
	return "runtime." + a.Target
}

// Pkg returns the path of the package that has the answering function or variable.
func (a *Answer) Pkg() string {
	path, _, _ := SplitSymbol(a.Link())
	return path
}

// IsVar reports whether the answer is a variable.
func (a *Answer) IsVar() bool { return strings.HasPrefix(a.Sig, "var ") }

// Leaves spells the layout of the answer, like FuncLeaves and the function Leaves.
func (a *Answer) Leaves() string {
	if t, ok := strings.CutPrefix(a.Sig, "var "); ok {
		return strings.Join(answerTypes[t], " ")
	}
	e, err := parser.ParseExpr(a.Sig)
	if err != nil {
		panic(err) // the list is constant
	}
	fn := e.(*ast.FuncType)
	return strings.Join(fieldLeaves(fn.Params), " ") + " -> " + strings.Join(fieldLeaves(fn.Results), " ")
}

func fieldLeaves(fields *ast.FieldList) (list []string) {
	if fields == nil {
		return nil
	}
	for _, f := range fields.List {
		for range max(1, len(f.Names)) {
			list = append(list, answerTypes[types.ExprString(f.Type)]...)
		}
	}
	return list
}

// answerTypes are the layouts of the types in the list.
var answerTypes = map[string][]string{
	"unsafe.Pointer": {"p"}, "*uint32": {"p"}, "uintptr": {"8"}, "int": {"8"}, "uint": {"8"}, "int64": {"8"}, "uint64": {"8"},
	"int32": {"4"}, "uint32": {"4"}, "bool": {"1"}, "string": {"p", "8"}, "any": {"p", "p"},
	"[]byte": {"p", "8", "8"}, "[]uintptr": {"p", "8", "8"}, "[]unsafe.Pointer": {"p", "8", "8"}, "[][]int32": {"p", "8", "8"},
	"[1024]byte": {"[1024](1)"}, "[]int": {"p", "8", "8"}, "[]uint": {"p", "8", "8"}, "[]uint16": {"p", "8", "8"}, "func(string) bool": {"p"},
	"reflect.Type": {"p", "p"}, "reflect.Kind": {"8"}, "reflect.ChanDir": {"8"},
	"reflect.StructField": {"{p 8 p 8 p p p 8 8 p 8 8 1}"},
	"reflect.Method":      {"{p 8 p 8 p p p p 8 8}"},
}

// Answers returns the list of what programs may take from the standard library by go:linkname.
func Answers() []Answer { return slices.Clone(answers) }
