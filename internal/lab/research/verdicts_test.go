package research

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// The packages of the case table: a store with a goroutine that gets its callers' values, an
// encoder, a logger that sorts and escapes, and small helpers.
var caseFiles = map[string]string{
	"go.mod": "module example.com/node\n\ngo 1.24\n",
	"block/block.go": `// Package block keeps transactions.
package block

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// A Tx is a transaction.
type Tx []byte

// A Store keeps the last transactions. A goroutine of its own takes them.
type Store struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	last [][]byte
	sum  int
}

// NewStore makes one.
func NewStore() *Store { return &Store{} }

// Keep takes transactions.
func (s *Store) Keep(txs []Tx) {
	raw := make([][]byte, len(txs))
	for i, tx := range txs {
		raw[i] = append([]byte(nil), tx...)
	}
	s.wg.Add(1)
	go s.take(raw)
}

func (s *Store) take(raw [][]byte) {
	defer s.wg.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = raw
}

// Last returns the last transactions that were kept.
func (s *Store) Last() []string {
	s.wg.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, tx := range s.last {
		out = append(out, string(tx))
	}
	return out
}

// A Header is the head of a block.
type Header struct {
	Height uint64
	Time   int64
	Chain  string
	Hash   []byte
}

// Encode writes a header.
func (h *Header) Encode() ([]byte, error) {
	return json.Marshal(h)
}

// Trace prints a header to standard error where that is wanted.
func Trace(h *Header) {
	if os.Getenv("BLOCK_TRACE") != "" {
		fmt.Fprintln(os.Stderr, h.Height)
	}
}
`,
	"block/block_test.go": `package block

import (
	"strings"
	"testing"
)

func TestKeep(t *testing.T) {
	s := NewStore()
	s.Keep([]Tx{Tx("a"), Tx("b")})
	if got := strings.Join(s.Last(), ","); got != "a,b" {
		t.Error(got)
	}
}

func TestEncode(t *testing.T) {
	b, err := (&Header{Height: 1, Chain: "c"}).Encode()
	if err != nil || !strings.Contains(string(b), "\"Height\":1") {
		t.Error(string(b), err)
	}
}
`,
	"logfmt/logfmt.go": `// Package logfmt writes records of a log.
package logfmt

import (
	"sort"
	"strconv"
	"strings"
)

// An Attr is a key with a value or with attributes of its own.
type Attr struct {
	Key   string
	Value string
	Group []Attr
}

// Line writes attributes by their keys.
func Line(attrs []Attr) string {
	own := append([]Attr(nil), attrs...)
	sortAttrs(own)
	var words []string
	for _, a := range own {
		words = append(words, escape(a.Key)+"="+escape(a.Value))
	}
	return strings.Join(words, " ")
}

func sortAttrs(attrs []Attr) {
	sort.SliceStable(attrs, func(i, j int) bool { return attrs[i].Key < attrs[j].Key })
}

func escape(s string) string {
	if strings.ContainsAny(s, " \"=\n") || s == "" {
		return strconv.Quote(s)
	}
	return s
}

// Append writes attributes with a prefix behind dst.
func Append(dst []byte, prefix string, attrs []Attr) []byte {
	for _, a := range attrs {
		key := prefix + a.Key
		if a.Group != nil {
			dst = Append(dst, key+".", a.Group)
			continue
		}
		dst = append(dst, escape(key)...)
		dst = append(dst, '=')
		dst = append(dst, escape(a.Value)...)
		dst = append(dst, ' ')
	}
	return dst
}
`,
	"logfmt/logfmt_test.go": `package logfmt

import "testing"

func TestLine(t *testing.T) {
	if got := Line([]Attr{{Key: "b", Value: "1"}, {Key: "a", Value: "2 3"}}); got != "a=\"2 3\" b=1" {
		t.Error(got)
	}
}

func TestAppend(t *testing.T) {
	got := string(Append(nil, "", []Attr{{Key: "g", Group: []Attr{{Key: "a", Value: "1"}}}}))
	if got != "g.a=1 " {
		t.Error(got)
	}
}
`,
	"misc/misc.go": `// Package misc has what belongs nowhere.
package misc

import (
	"fmt"
	"sort"
	"strings"
)

type version struct{ block, app uint64 }

type header struct {
	version *version
	height  uint64
}

// Reset makes it a new one.
func (h *header) Reset() { *h = header{} }

func (h *header) encode() string { return fmt.Sprint(h.version.block, h.height) }

// Head encodes a header.
func Head(block, height uint64) string {
	v := &version{block: block}
	h := &header{version: v, height: height}
	return h.encode()
}

// Words splits a text into its words in small letters.
func Words(s string) []string {
	var out []string
	for _, w := range strings.Fields(s) {
		out = append(out, strings.ToLower(w))
	}
	return out
}

// Count counts words.
func Count(s string) map[string]int {
	m := map[string]int{}
	for _, w := range Words(s) {
		if n, ok := m[w]; ok {
			m[w] = n + 1
		} else {
			m[w] = 1
		}
	}
	return m
}

// Has reports whether a sorted copy of a list has a value.
func Has(list []int, x int) bool {
	own := append([]int(nil), list...)
	sort.Ints(own)
	return search(own, x) >= 0
}

// search finds a value in a sorted list, or gives -1.
func search(sorted []int, x int) int {
	for i, y := range sorted {
		if y == x {
			return i
		}
	}
	return -1
}

// Hex writes bytes in base 16.
func Hex(b []byte) string {
	s := ""
	for _, c := range b {
		s += fmt.Sprintf("%02x", c)
	}
	return s
}

// Label makes a label of a name and a number.
func Label(name string, n int) string {
	return string(label(name, n))
}

func label(name string, n int) []byte {
	return []byte(fmt.Sprintf("%s#%d", name, n))
}

// Feed sends numbers.
func Feed(to chan int, n int) {
	var all []int
	for i := 0; i < n; i++ {
		all = append(all, i)
	}
	for _, i := range all {
		to <- i
	}
}

// Max is the largest of some numbers, 0 of none.
func Max(list ...int) int {
	own := append([]int(nil), list...)
	sort.Ints(own)
	if len(own) == 0 {
		return 0
	}
	return own[len(own)-1]
}

// Reverse turns a list round.
func Reverse(list []string) []string {
	var out []string
	for i := range list {
		out = append([]string{list[i]}, out...)
	}
	return out
}

// A Set is a set of words.
type Set struct{ words []string }

// Add adds a word.
func (s *Set) Add(w string) {
	for _, x := range s.words {
		if x == w {
			return
		}
	}
	s.words = append(s.words, w)
}

// Has reports whether a word is there.
func (s *Set) Has(w string) bool {
	for _, x := range s.words {
		if x == w {
			return true
		}
	}
	return false
}

// Len is how many there are.
func (s *Set) Len() int { return len(s.words) }
`,
	"misc/misc_test.go": `package misc

import "testing"

func TestHead(t *testing.T) {
	if Head(1, 2) != "1 2" || !Has([]int{3, 1}, 1) || Hex([]byte{255}) != "ff" {
		t.Fail()
	}
}
`,
}

// A verdictCase is a change of one file and its expected verdict.
type verdictCase struct {
	name, file, old, new string
	more                 []string // additional pairs of old and new text
	verdict, reason      string
}

// wrongCases are refused by the named check.
var wrongCases = []verdictCase{
	{name: "a cast whose memory reaches a goroutine", file: "block/block.go", old: "\traw := make([][]byte, len(txs))\n\tfor i, tx := range txs {\n\t\traw[i] = append([]byte(nil), tx...)\n\t}\n",
		new:     "\traw := *(*[][]byte)(unsafe.Pointer(&txs))\n",
		more:    []string{"\t\"sync\"\n)", "\t\"sync\"\n\t\"unsafe\"\n)\n\nvar _ = [1]int{}[unsafe.Sizeof(Tx{})-unsafe.Sizeof([]byte{})]"},
		verdict: "checks_failed:differential", reason: "block/block.Store after "},
	{name: "an encoder that drops a field", file: "block/block.go", old: "\treturn json.Marshal(h)\n",
		new:     "\tb := append([]byte(nil), `{\"Height\":`...)\n\tb = strconv.AppendUint(b, h.Height, 10)\n\tb = append(b, `,\"Time\":`...)\n\tb = strconv.AppendInt(b, h.Time, 10)\n\tchain, err := json.Marshal(h.Chain)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tb = append(append(b, `,\"Chain\":`...), chain...)\n\treturn append(b, `,\"Hash\":null}`...), nil\n",
		more:    []string{"\t\"os\"\n", "\t\"os\"\n\t\"strconv\"\n"},
		verdict: "checks_failed:differential", reason: "block/block.(*Header).Encode"},
	{name: "a sort by escaped keys", file: "logfmt/logfmt.go", old: "\tsortAttrs(own)\n", new: "\tfor i := range own {\n\t\town[i].Key = escape(own[i].Key)\n\t}\n\tsortAttrs(own)\n",
		more:    []string{"escape(a.Key)+\"=\"+escape(a.Value))", "a.Key+\"=\"+escape(a.Value))"},
		verdict: "checks_failed:differential", reason: "logfmt/logfmt.Line"},
	{name: "a loop that writes into the caller's input", file: "logfmt/logfmt.go", old: "\tfor _, a := range attrs {\n\t\tkey := prefix + a.Key\n\t\tif a.Group", new: "\tfor i := range attrs {\n\t\ta := &attrs[i]\n\t\ta.Key = prefix + a.Key\n\t\tkey := a.Key\n\t\tif a.Group",
		verdict: "checks_failed:differential", reason: "leaves 2: "},
	{name: "a cache by input", file: "misc/misc.go", old: "\ts := \"\"\n\tfor _, c := range b {\n\t\ts += fmt.Sprintf(\"%02x\", c)\n\t}\n\treturn s\n", new: "\tif s, ok := hexes[string(b)]; ok {\n\t\treturn s\n\t}\n\ts := fmt.Sprintf(\"%x\", b)\n\thexes[string(b)] = s\n\treturn s\n",
		more:    []string{"// Hex writes", "var hexes = map[string]string{}\n\n// Hex writes"},
		verdict: "checks_failed:fresh-input", reason: "misc/misc.Hex writes to misc/hexes"},
	{name: "a cache that only calls show", file: "misc/misc.go", old: "\ts := \"\"\n\tfor _, c := range b {\n\t\ts += fmt.Sprintf(\"%02x\", c)\n\t}\n\treturn s\n", new: "\ts, ok := hexes.look(string(b))\n\tif !ok {\n\t\ts = fmt.Sprintf(\"%x\", b)\n\t\thexes.keep(string(b), s)\n\t}\n\treturn s\n",
		more:    []string{"// Hex writes", "type keeper interface {\n\tlook(string) (string, bool)\n\tkeep(k, v string)\n}\n\ntype kept map[string]string\n\nfunc (m kept) look(k string) (string, bool) { v, ok := m[k]; return v, ok }\nfunc (m kept) keep(k, v string)             { m[k] = v }\n\nvar hexes keeper = kept{}\n\n// Hex writes"},
		verdict: "checks_failed:fresh-input", reason: "misc/misc.Hex writes to misc/hexes"},
	{name: "what no call reaches", file: "misc/misc.go", old: "\tfor _, i := range all {\n\t\tto <- i\n\t}\n", new: "\tfed = len(all)\n\tfor _, i := range all {\n\t\tto <- i\n\t}\n",
		more:    []string{"// Feed sends", "var fed int\n\n// Feed sends"},
		verdict: ledger.VerdictUnchecked, reason: "fresh-input did not run"},
}

// rightCases are kept, one after the other.
var rightCases = []verdictCase{
	{name: "a pool of objects without pointers", file: "misc/misc.go", old: "\tv := &version{block: block}\n\th := &header{version: v, height: height}\n\treturn h.encode()\n",
		new:  "\tv := versions.Get().(*version)\n\th := headers.Get().(*header)\n\tdefer func() {\n\t\tversions.Put(v)\n\t\th.Reset()\n\t\theaders.Put(h)\n\t}()\n\t*v = version{block: block}\n\th.version, h.height = v, height\n\treturn h.encode()\n",
		more: []string{"\t\"strings\"\n)", "\t\"strings\"\n\t\"sync\"\n)\n\nvar (\n\tversions = sync.Pool{New: func() any { return new(version) }}\n\theaders  = sync.Pool{New: func() any { return new(header) }}\n)"}},
	{name: "a flag that is no cache", file: "misc/misc.go", old: "func Count(s string) map[string]int {\n", new: "func Count(s string) map[string]int {\n\tcounted = true\n",
		more: []string{"// Count counts", "var counted bool\n\n// Counted reports whether anything was counted.\nfunc Counted() bool { return counted }\n\n// Count counts"}},
	{name: "room for the words", file: "misc/misc.go", old: "\tvar out []string\n\tfor _, w := range strings.Fields(s) {", new: "\tfields := strings.Fields(s)\n\tout := make([]string, 0, len(fields))\n\tfor _, w := range fields {"},
	{name: "one look-up", file: "misc/misc.go", old: "\t\tif n, ok := m[w]; ok {\n\t\t\tm[w] = n + 1\n\t\t} else {\n\t\t\tm[w] = 1\n\t\t}\n", new: "\t\tm[w]++\n"},
	{name: "a binary search inside", file: "misc/misc.go", old: "\tfor i, y := range sorted {\n\t\tif y == x {\n\t\t\treturn i\n\t\t}\n\t}\n\treturn -1\n", new: "\ti := sort.SearchInts(sorted, x)\n\tif i < len(sorted) && sorted[i] == x {\n\t\treturn i\n\t}\n\treturn -1\n"},
	{name: "a builder", file: "misc/misc.go", old: "\ts := \"\"\n\tfor _, c := range b {\n\t\ts += fmt.Sprintf(\"%02x\", c)\n\t}\n\treturn s\n", new: "\tconst digits = \"0123456789abcdef\"\n\tout := make([]byte, 0, 2*len(b))\n\tfor _, c := range b {\n\t\tout = append(out, digits[c>>4], digits[c&15])\n\t}\n\treturn string(out)\n"},
	{name: "another promise inside", file: "misc/misc.go", old: "\treturn []byte(fmt.Sprintf(\"%s#%d\", name, n))\n", new: "\treturn fmt.Appendf(make([]byte, 0, len(name)+8), \"%s#%d\", name, n)[:]\n"},
	{name: "no copy to find the largest", file: "misc/misc.go", old: "\town := append([]int(nil), list...)\n\tsort.Ints(own)\n\tif len(own) == 0 {\n\t\treturn 0\n\t}\n\treturn own[len(own)-1]\n", new: "\tif len(list) == 0 {\n\t\treturn 0\n\t}\n\tmost := list[0]\n\tfor _, x := range list[1:] {\n\t\tmost = max(most, x)\n\t}\n\treturn most\n"},
	{name: "turned round in one go", file: "misc/misc.go", old: "\tvar out []string\n\tfor i := range list {\n\t\tout = append([]string{list[i]}, out...)\n\t}\n\treturn out\n", new: "\tout := make([]string, len(list))\n\tfor i, s := range list {\n\t\tout[len(list)-1-i] = s\n\t}\n\treturn out\n"},
	{name: "a map for the set", file: "misc/misc.go", old: "type Set struct{ words []string }\n\n// Add adds a word.\nfunc (s *Set) Add(w string) {\n\tfor _, x := range s.words {\n\t\tif x == w {\n\t\t\treturn\n\t\t}\n\t}\n\ts.words = append(s.words, w)\n}\n",
		new:  "type Set struct{ words map[string]struct{} }\n\n// Add adds a word.\nfunc (s *Set) Add(w string) {\n\tif s.words == nil {\n\t\ts.words = map[string]struct{}{}\n\t}\n\ts.words[w] = struct{}{}\n}\n",
		more: []string{"\tfor _, x := range s.words {\n\t\tif x == w {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false\n", "\t_, ok := s.words[w]\n\treturn ok\n"}},
	{name: "no list of words", file: "logfmt/logfmt.go", old: "\tvar words []string\n\tfor _, a := range own {\n\t\twords = append(words, escape(a.Key)+\"=\"+escape(a.Value))\n\t}\n\treturn strings.Join(words, \" \")\n",
		new: "\tvar b strings.Builder\n\tfor i, a := range own {\n\t\tif i > 0 {\n\t\t\tb.WriteByte(' ')\n\t\t}\n\t\tb.WriteString(escape(a.Key))\n\t\tb.WriteByte('=')\n\t\tb.WriteString(escape(a.Value))\n\t}\n\treturn b.String()\n"},
	{name: "a sort without reflection", file: "logfmt/logfmt.go", old: "\tsort.SliceStable(attrs, func(i, j int) bool { return attrs[i].Key < attrs[j].Key })\n", new: "\tslices.SortStableFunc(attrs, func(a, b Attr) int { return strings.Compare(a.Key, b.Key) })\n", more: []string{"\t\"sort\"\n", "\t\"slices\"\n"}},
	{name: "one copy of all transactions", file: "block/block.go", old: "\tfor i, tx := range txs {\n\t\traw[i] = append([]byte(nil), tx...)\n\t}\n", new: "\tn := 0\n\tfor _, tx := range txs {\n\t\tn += len(tx)\n\t}\n\tall := make([]byte, 0, n)\n\tfor i, tx := range txs {\n\t\tat := len(all)\n\t\tall = append(all, tx...)\n\t\traw[i] = all[at:len(all):len(all)]\n\t}\n"},
	{name: "room for the last", file: "block/block.go", old: "\tvar out []string\n\tfor _, tx := range s.last {", new: "\tout := make([]string, 0, len(s.last))\n\tfor _, tx := range s.last {"},
}

// costMetric is a metric by which each candidate gains, so that all checks run: each candidate
// subtracts 1 from the number in a file.
var costMetric = map[string]any{"name": "cost", "from": "command", "class": "exact", "goal": "min",
	"run": []string{"sh", "-c", "echo METRIC cost=$(cat cost.txt)"}}

// A changer tries changes one after the other on the tip of a session.
type changer struct {
	t     *testing.T
	s     *Session
	files map[string]string // as at the tip
	cost  int
}

// try judges a change of one file.
func (c *changer) try(name, file string, pairs ...string) *ledger.Row {
	c.t.Helper()
	before := c.files[file]
	after := before
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(after, pairs[i]) {
			c.t.Fatalf("%s: there is no %q", name, pairs[i])
		}
		after = strings.Replace(after, pairs[i], pairs[i+1], 1)
	}
	cost := func(n int) string { return fmt.Sprintf("%d\n", n) }
	patch := filePatch(c.t, name, file, before, after) + strings.TrimPrefix(filePatch(c.t, "x", "cost.txt", cost(c.cost), cost(c.cost-1)), "x\n\n")
	row, err := c.s.Try(c.t.Context(), name, []byte(patch))
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	if row.Kept() {
		c.files[file] = after
		c.cost--
	}
	return row
}

// TestVerdicts judges cases of real series by the checks of a session with the default config. A
// check that names the fault refuses each wrong case, and none refuses a right one. Without -long
// it judges a part of them, another one each day.
func TestVerdicts(t *testing.T) {
	notShort(t)
	if _, err := sandboxWorks(); err != nil {
		t.Skip(err)
	}
	today := map[string]bool{}
	for _, x := range slices.Concat(daily.Part(t, wrongCases, (len(wrongCases)+9)/10, *long), daily.Part(t, rightCases, (len(rightCases)+9)/10, *long)) {
		today[x.name] = true
	}
	verdicts(t, sandboxRequire, "", func(x verdictCase) bool { return today[x.name] }, func(r *ledger.Row) string {
		if r.Sandbox != sandboxName {
			return "it was judged in " + r.Sandbox
		}
		return ""
	})
}

// TestVerdictsInEngine: the verdicts are the same without bubblewrap. Packages that import os are
// then called in gyr's sandbox, and the row says so. Without -long it judges one wrong and one
// right case.
func TestVerdictsInEngine(t *testing.T) {
	byTurns(t)
	gyr := filepath.Join(t.TempDir(), "gyr")
	if out, err := exec.Command(lookPath(t, "go"), "build", "-o", gyr, "github.com/gyrvm/gyr/cmd/gyr").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	some := func(x verdictCase) bool {
		return *long || x.name == wrongCases[0].name || x.name == "room for the last"
	}
	verdicts(t, sandboxOff, gyr, some, func(r *ledger.Row) string {
		if text := fmt.Sprint(r.Battery); strings.Contains(text, "differential") && !strings.Contains(text, "called in gyr's sandbox: ") {
			return "it was not called in gyr's sandbox: " + text
		}
		return ""
	})
}

// TestUncalled: without bubblewrap, and without a gyr that can compile a package, a check that a
// risk asks for does not run, and the row says why.
func TestUncalled(t *testing.T) {
	byTurns(t)
	x := wrongCases[0]
	r := caseSession(t, sandboxOff, "").try(x.name, x.file, append([]string{x.old, x.new}, x.more...)...)
	const why = "block imports os, there is no bubblewrap: the config switches it off; and gyr's sandbox does not do: "
	if r.Verdict != ledger.VerdictUnchecked || !strings.Contains(r.Reason, "mutation did not run: ") || !strings.Contains(r.Reason, why) {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

// caseSession is a session of the cases' packages. If a gyr command is given, the packages all
// import os.
func caseSession(t *testing.T, sandbox, gyr string) *changer {
	t.Helper()
	b := newBench(t)
	b.git("rm", "-q", "-r", ".")
	b.write(b.repo, caseFiles)
	b.write(b.repo, map[string]string{"cost.txt": "1000\n"})
	if gyr != "" {
		for _, pkg := range []string{"misc", "logfmt"} {
			b.write(b.repo, map[string]string{pkg + "/os.go": "package " + pkg + "\n\nimport \"os\"\n\nvar _ = os.Args\n"})
		}
	}
	b.git("add", "-A")
	b.git("commit", "-qm", "cases")
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{costMetric}
		c["sandbox"] = sandbox
		// The race detector's runtime takes long to build: another test covers it.
		c["battery"] = []any{map[string]any{"name": "test", "run": []string{"go", "test", "-vet=off", "./..."}},
			map[string]any{"name": "race", "run": []string{"true"}, "when": "risk:race"}, map[string]any{"name": "checkptr", "run": []string{"true"}, "when": "risk:checkptr"}}
	})
	s := b.open(c)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if gyr != "" {
		s.runner.self = gyr
	}
	return &changer{t, s, maps.Clone(caseFiles), 1000}
}

// verdicts judges cases in a session. look returns what else is wrong with a row.
func verdicts(t *testing.T, sandbox, gyr string, which func(verdictCase) bool, look func(r *ledger.Row) string) {
	t.Helper()
	ch := caseSession(t, sandbox, gyr)
	for _, x := range wrongCases {
		if !which(x) {
			continue
		}
		r := ch.try(x.name, x.file, append([]string{x.old, x.new}, x.more...)...)
		if r.Verdict != x.verdict || !strings.Contains(r.Reason, x.reason) {
			t.Errorf("%s: %s: %s", x.name, r.Verdict, r.Reason)
		}
		if bad := look(r); bad != "" {
			t.Errorf("%s: %s", x.name, bad)
		}
	}
	for _, x := range rightCases {
		if !which(x) {
			continue
		}
		r := ch.try(x.name, x.file, append([]string{x.old, x.new}, x.more...)...)
		if r.Verdict != ledger.VerdictKeep || r.Implementation != ledger.ImplSound {
			t.Errorf("%s: %s, %s: %s", r.Description, r.Verdict, r.Implementation, r.Reason)
		}
		if bad := look(r); bad != "" {
			t.Errorf("%s: %s", x.name, bad)
		}
	}
}
