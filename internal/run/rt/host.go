package rt

import (
	"maps"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Host has the implementation of each line of ir.Primitives, by its name there, which is also the
// name in Module.Primitives. Sigs has the key of each one's signature, as ir.Primitives does.
// Neither is written after initialisation.
var Host, Sigs = table()

func table() (map[string]Func, map[string]string) {
	host, sigs := map[string]Func{}, map[string]string{}
	for _, file := range []map[string]Func{
		stacksHosts, initHosts, tracebackHosts, accountHosts, fuzzHosts, mallocHosts, collectHosts,
		clockHosts, randomHosts, callHosts, hostcallHosts, kernelsHosts, systemHosts, logHosts, networkHosts, processHosts,
	} {
		maps.Copy(host, file)
	}
	for name, f := range wasi.Funcs {
		host[wasi.Module+"."+name] = imported(name, f)
	}
	for name, f := range wasi.FileFuncs {
		host[wasi.FileModule+"."+name] = imported(name, f)
	}
	for i := range ir.Primitives {
		sigs[ir.Primitives[i].Name] = ir.Primitives[i].Sig
	}
	return host, sigs
}
