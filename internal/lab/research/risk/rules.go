package risk

import (
	"go/ast"
	"slices"
)

// Names of the checks that rules ask for. A battery's check with this name, or one with "when":
// "risk:LABEL", serves.
const (
	CheckPtr     = "checkptr"     // -d=checkptr
	Race         = "race"         // the race detector, several times
	Mutation     = "mutation"     // inputs change after the call and results must not, and the other way round
	PoisonedPool = "poisoned"     // objects that go back to a pool are filled with garbage
	FreshInput   = "fresh-input"  // the benchmark with another input each time
	Differential = "differential" // parent and candidate on the same random inputs: same outputs, same hashes
	Review       = "review"       // a human
)

// A Rule is one thing that the lint looks for.
type Rule struct {
	Name     string
	Label    string   // shown in "risk" of the ledger
	Blocking bool     // a finding refuses the candidate
	Checks   []string // checks that would show whether it matters
	Doc      string   // one sentence: why it is a risk

	// A rule has one of these functions. Findings of function and pkg that the parent has too are
	// left out.
	function func(*function) []hit
	pkg      func(p *pkg, files []string) []hit
	pair     func(old, now *function) []hit
	change   func(*change) []hit
	file     func(name string, text []byte) string // for a file that is not Go; text: the candidate's, nil if it is gone
}

// rules is the table. Findings in one line have its order.
var rules = []Rule{
	{Name: "pool-aliased", Label: "sync.Pool", Blocking: true, Checks: []string{PoisonedPool, Race},
		Doc:      "Memory of an object that went back to its pool is used or kept: the next one who gets the object writes over it.",
		function: poolAliased},
	{Name: "pool-parent-first", Label: "sync.Pool", Blocking: true, Checks: []string{PoisonedPool, Race},
		Doc:      "An object goes back to its pool while another one refers to it, whose reset goes through it or keeps it: another goroutine may have it by then.",
		function: poolParentFirst},
	{Name: "pool-not-deferred", Label: "sync.Pool", Checks: []string{PoisonedPool},
		Doc:      "Put is not deferred, so a panic between Get and Put loses the object, and what it refers to stays half done.",
		function: poolNotDeferred},
	{Name: "pool-path", Label: "sync.Pool", Checks: []string{PoisonedPool},
		Doc:      "One path through a function gives the object back, another does not.",
		function: poolPathMissing},
	{Name: "pool-one-user", Label: "sync.Pool", Checks: []string{Differential},
		Doc:    "Objects of a type are pooled now, but another function still makes its own: the gain is where the benchmark looks, or the two treat their objects differently.",
		change: onePathPooled},
	{Name: "input-mutated", Label: "alias", Checks: []string{Mutation, Race},
		Doc:  "A function writes to what its caller handed it, which it did not before.",
		pair: inputMutated},
	{Name: "input-kept", Label: "alias", Checks: []string{Mutation, Race},
		Doc:  "What a function returns or keeps shares the caller's memory, which it copied before: the caller may change it after the return.",
		pair: inputKept},
	{Name: "cast-escapes", Label: "unsafe", Checks: []string{CheckPtr, Mutation},
		Doc:      "Memory of an operand, converted by unsafe instead of copied, becomes part of the result or is handed to a function outside the package, which nothing forbids to write to it or to keep it.",
		function: castEscapes},
	{Name: "unsafe-slice", Label: "unsafe", Blocking: true, Checks: []string{CheckPtr, Mutation},
		Doc:      "A slice of one type is read as one of another, and no declaration fails to compile when their sizes differ.",
		function: unsafeSlice},
	{Name: "unsafe-address", Label: "unsafe", Blocking: true, Checks: []string{CheckPtr},
		Doc:      "An address is kept as a number: the collector does not see it.",
		function: unsafeKept},
	{Name: "nil-guard", Label: "nil", Checks: []string{Differential},
		Doc:  "What was compared with nil no longer is, and is still used.",
		pair: nilGuard},
	{Name: "ignored-error", Label: "error", Checks: []string{Review},
		Doc:      "The error of a call, as of marshalling, is ignored.",
		function: ignoredError},
	{Name: "hand-encoder", Label: "encoder", Checks: []string{Differential},
		Doc:  "An encoder is replaced by code that writes the bytes itself: the package's tests may pass while the bytes, and hashes of them, differ.",
		pair: handEncoder},
	{Name: "lock-removed", Label: "lock", Checks: []string{Race},
		Doc:  "A function takes a lock less, or does an atomic operation less.",
		pair: removedLock},
	{Name: "lock-field-removed", Label: "lock", Checks: []string{Race},
		Doc:    "A struct or the package has lost a variable of sync or sync/atomic.",
		change: removedLockField},
	{Name: "global-state", Label: "cache", Checks: []string{FreshInput, Race},
		Doc:      "A function writes to a variable that outlives it: a cache keyed by the input, a counter of calls. A benchmark with one input measures the cache.",
		function: globalState, pkg: keptByClosure},
	{Name: "memo-field", Label: "cache", Checks: []string{FreshInput, Mutation, Race},
		Doc:      "A method keeps its result in the receiver: stale when a field changes, a race when two call it, and free only for who asks twice.",
		function: memoField},
	{Name: "start-work", Label: "cache", Checks: []string{FreshInput},
		Doc: "Work is done when the program starts, which no benchmark measures.",
		pkg: startWork},
	{Name: "api", Label: "api", Blocking: true,
		Doc:    "What other packages can name is gone or has another type: a method of values that is one of pointers now, for example, which interfaces and fmt no longer find.",
		change: apiChanged},
	{Name: "goroutine", Label: "goroutine", Checks: []string{Race},
		Doc:      "A goroutine is started, whose work may fall outside of what is measured.",
		function: newGoroutine},
	{Name: "runtime-tuning", Label: "detect", Blocking: true,
		Doc:      "The process is changed beside what it computes: the collector, the processors, its end.",
		function: runtimeTuning},
	{Name: "testing-aware", Label: "detect", Blocking: true,
		Doc: "Code that is no test asks whether it is tested.",
		pkg: testingAware},
	{Name: "benchmark-name", Label: "detect", Blocking: true,
		Doc: "Code that is no test looks who calls it or how the process was started, or has a benchmark's words in it.",
		pkg: benchmarkName},
	{Name: "prints-result", Label: "detect", Blocking: true,
		Doc: "Code that is no test prints what a harness reads as a result.",
		pkg: printsResult},
	{Name: "build-tag", Label: "detect", Blocking: true,
		Doc:    "A file is built under another condition than before: what is measured need not be what is tested.",
		change: buildTag},
	{Name: "linkname", Label: "unsafe", Blocking: true, Checks: []string{Review},
		Doc: "go:linkname reaches past what packages export, the clock and the scheduler included.",
		pkg: linkname},
	{Name: "directive", Label: "unsafe", Checks: []string{CheckPtr, Review},
		Doc: "The compiler is told what it cannot check, or C comes in.",
		pkg: directive},
	{Name: "other-language", Label: "unsafe", Checks: []string{Differential, Review},
		Doc:  "A file that is not Go, such as assembly, belongs to the build.",
		file: otherLanguage},
	{Name: "capability", Label: "capability", Checks: []string{Review},
		Doc: "A package is imported by which the program reaches beyond itself: processes, the network, system calls.",
		pkg: capability},
}

// Rules are all rules, for documentation.
func Rules() []Rule { return slices.Clone(rules) }

// A use is a label for changed code in which no rule finds anything wrong, with the label's checks.
type use struct {
	label  string
	checks []string
}

// used are the labels of the features that the changed functions use.
func used(c *change) (list []use) {
	for _, f := range c.changed() {
		if usesUnsafe(f.Body) {
			list = append(list, use{"unsafe", []string{CheckPtr, Mutation}})
		}
		if f.hasPool("Get") || f.hasPool("Put") {
			list = append(list, use{"sync.Pool", []string{PoisonedPool, Race}})
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if fn := f.pkg.declared(f.pkg.local(call)); fn != nil && (fn.hasPool("Get") || fn.hasPool("Put")) {
					list = append(list, use{"sync.Pool", []string{PoisonedPool, Race}})
				}
			}
			return true
		})
	}
	return list
}
