package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gyrvm/gyr"
)

// A statement is the body of a loop in Go. call names the runtime function that it measures, if the
// function's price is in gas.Calls.
type statement struct{ name, call, text string }

// statements use the variables of prelude; i is the number of the iteration.
var statements = []statement{
	{"empty loop", "", ``},
	{"concatenate 2", "concatstring2", `str = s1 + s2`},
	{"concatenate 3", "concatstring3", `str = s1 + s2 + s1`},
	{"concatenate 5", "concatstrings", `str = s1 + s2 + s1 + s2 + s1`},
	{"concatenate 2 of 1 KiB", "", `str = s1k + s2`},
	{"string([]byte) 8", "slicebytetostring", `str = string(b8)`},
	{"string([]byte) 1 KiB", "", `str = string(b1k)`},
	{"[]byte(string) 8", "stringtoslicebyte", `bytes = []byte(s1)`},
	{"[]rune(string) 8", "stringtoslicerune", `runes = []rune(s1)`},
	{"string([]rune) 8", "slicerunetostring", `str = string(r8)`},
	{"string(rune)", "intstring", `str = string(rune(0x4e00 + i&255))`},
	{"range over string", "decoderune", `for _, r := range sWide { num += int(r) }`},
	{"compare strings 8", "", `if s1 < s2 { num++ }`},
	{"equal strings 8", "", `if s1 == s1b { num++ }`},
	{"append, grows to 64", "growslice", `ints = nil; for j := range 64 { ints = append(ints, j) }`},
	{"append 1, room", "", `ints = append(ints[:0], i)`},
	{"append 1 KiB, room", "", `bytes = append(bytes[:0], b1k...)`},
	{"make([]byte, n) 64", "makeslice", `bytes = make([]byte, n64)`},
	{"make([]byte, n) 1 KiB", "", `bytes = make([]byte, 16*n64)`},
	{"make([]byte, n) 64 KiB", "", `bytes = make([]byte, 1024*n64)`},
	{"new 16 bytes", "", `node16 = new(pair)`},
	{"new 64 bytes", "", `node64 = new([8]int)`},
	{"linked list", "", `node16 = &pair{node16, i}; if i&1023 == 0 { node16 = nil }`},
	{"assert to interface", "getitab", `stringer = anyT.(fmt.Stringer)`},
	{"assert to type", "", `num += anyInt.(int)`},
	{"convert int to any", "", `anyV = i + 1000`},
	{"convert string to any", "", `anyV = s1`},
	{"compare interfaces", "efaceeq", `if anyS == anyS2 { num++ }`},
	{"interface call", "", `num += shape.area()`},
	{"closure call", "", `num += closure(i)`},
	{"function call, not inlined", "", `num += callee(i, num)`},
	{"map[int]int read", "mapaccess1_fast64", `num += mInt[i&63]`},
	{"map[int]int read, 4096 entries", "", `num += mBig[(i*7919)&4095]`},
	{"map[int]int write", "mapassign_fast64", `mInt[i&63] = i`},
	{"map[int32]int read", "mapaccess1_fast32", `num += m32[int32(i&63)]`},
	{"map[string]int read", "mapaccess1_faststr", `num += mStr[keys[i&63]]`},
	{"map[string]int write", "mapassign_faststr", `mStr[keys[i&63]] = i`},
	{"map[string]int read, key of 256", "", `num += mLong[sLong]`},
	{"map[struct]int read", "mapaccess1", `num += mSt[key3{i & 63, 2, "x"}]`},
	{"map[struct]int write", "mapassign", `mSt[key3{i & 63, 2, "x"}] = i`},
	{"map delete and write", "mapdelete", `delete(mInt, 5); mInt[5] = 1`},
	{"map of 8, made", "makemap_small", `m := map[int]int{}; m[i] = 1; mInts = m`},
	{"map grows to 64", "", `m := map[int]int{}; for j := range 64 { m[j] = j }; mInts = m`},
	{"map range 64", "mapIterNext", `for k := range mInt { num += k }`},
	{"map range 8", "mapIterStart", `for k := range m8 { num += k }`},
	{"map clear and fill 8", "mapclear", `clear(mC); for j := range 8 { mC[j] = j }`},
	{"make(chan)", "makechan", `ch = make(chan int, 4)`},
	{"channel send and receive, buffered", "chansend1", `chB <- i; num += <-chB`},
	{"channel ping-pong", "chanrecv1", `ping <- i; num += <-pong`},
	{"select 2, ready", "selectgo", `select { case chB <- i: <-chB; case v := <-never: num += v }`},
	{"select with default", "", `select { case v := <-never: num += v; default: }`},
	{"go and wait", "newproc", `go func() { done <- 1 }(); <-done`},
	{"mutex", "", `mu.Lock(); num++; mu.Unlock()`},
	{"defer", "deferproc", `deferred(i)`},
	{"panic and recover", "gopanic", `recovered(i)`},
	{"fmt.Sprint", "", `str = fmt.Sprint(i, s1)`},
	{"strconv.Itoa", "", `str = strconv.Itoa(i * 7919)`},
	{"sort.Ints 64", "", `copy(sorted, unsorted); sort.Ints(sorted)`},
	{"strings.Index", "", `num += strings.Index(s1k, "needle")`},
	{"bytes.IndexByte 1 KiB", "", `num += strings.IndexByte(s1k, 'z')`},
	{"copy 1 KiB", "", `copy(c1k, b1k)`},
	{"copy 1 MiB", "", `copy(c1m, b1m)`},
	{"copy 16 MiB", "", `copy(c16m, b16m)`},
	{"struct copy 256 bytes", "", `big1 = big2; big2.a[i&31] = i`},
	{"reflect call", "", `num += int(rf.Call(rargs)[0].Int())`},
	{"float loop", "", `for j := range 64 { x += math.Sqrt(float64(j)) / (x + 1) }; fl = x`},
	{"matrix row", "", `for j := range 64 { fl += ma[j] * mb[j] }`},
	{"sieve row", "", `for j := 0; j < 64; j += 3 { flags[j] = true }`},
	{"divide", "", `for j := 1; j < 65; j++ { num += (i + 1000003) / j % 7 }`},
}

const prelude = `
type pair struct { next *pair; n int }
type big struct{ a [32]int }
type key3 struct { a, b int; s string }
type T struct{}
func (T) String() string { return "T" }
type areaer interface{ area() int }
type square struct{ n int }
func (s *square) area() int { return s.n * s.n }
type circle struct{ n int }
func (s *circle) area() int { return s.n * 3 }

//go:noinline
func callee(a, b int) int { return a ^ b }

//go:noinline
func deferred(i int) { defer nothing(); num += i }

//go:noinline
func nothing() {}

//go:noinline
func recovered(i int) {
	defer func() { recover() }()
	panic(i)
}

var (
	s1, s1b, s2 = strings.Repeat("a", len(os.Args)+5), strings.Repeat("a", len(os.Args)+5), strings.Repeat("b", len(os.Args)+5)
	s1k = strings.Repeat("abcdefgh", 128)
	sLong = strings.Repeat("x", 256)
	sWide = "aé世界bcde"
	b8, b1k, c1k = []byte(s1), []byte(s1k), make([]byte, 1024)
	b16m, c16m = make([]byte, 16<<20), make([]byte, 16<<20)
	b1m, c1m = make([]byte, 1<<20), make([]byte, 1<<20)
	r8 = []rune("aé世界bcde")
	n64 = len(os.Args) + 61
	str string
	bytes []byte
	runes []rune
	ints, sorted, unsorted []int = nil, make([]int, 64), nil
	num int
	fl, x float64
	ma, mb = make([]float64, 64), make([]float64, 64)
	flags = make([]bool, 64)
	node16 *pair
	node64 *[8]int
	anyT, anyInt, anyV, anyS, anyS2 any = T{}, 1, nil, s1, s1b
	stringer fmt.Stringer
	shape areaer
	closure func(int) int
	mInt, m8, mC, mBig, mInts = map[int]int{}, map[int]int{}, map[int]int{}, map[int]int{}, map[int]int{}
	m32 = map[int32]int{}
	mStr, mLong = map[string]int{}, map[string]int{}
	mSt = map[key3]int{}
	keys []string
	ch, chB, ping, pong, never, done = make(chan int), make(chan int, 4), make(chan int), make(chan int), make(chan int), make(chan int)
	mu sync.Mutex
	big1, big2 big
	rf = reflect.ValueOf(callee)
	rargs = []reflect.Value{reflect.ValueOf(1), reflect.ValueOf(2)}
)

func prepare() {
	shape = &square{3}
	if len(os.Args) > 100 {
		shape = &circle{}
	}
	k := len(os.Args)
	closure = func(i int) int { return i + k }
	for i := range 64 {
		mInt[i] = i
		m32[int32(i)] = i
		keys = append(keys, strconv.Itoa(1000000+i))
		mStr[keys[i]] = i
		mSt[key3{i, 2, "x"}] = i
		unsorted = append(unsorted, (i * 7919) % 101)
	}
	for i := range 4096 {
		mBig[i] = i
	}
	for i := range 8 {
		m8[i] = i
		mC[i] = i
	}
	mLong[sLong] = 1
	go func() {
		for v := range ping {
			pong <- v
		}
	}()
}
`

// source is the text of the program. Its arguments name a statement and the number of iterations.
func source() string {
	var b strings.Builder
	b.WriteString("package main\nimport (\"fmt\"; \"math\"; \"os\"; \"reflect\"; \"runtime\"; \"sort\"; \"strconv\"; \"strings\"; \"sync\"; \"time\")\nvar _ = math.Pi\n")
	b.WriteString(prelude)
	b.WriteString("func main() {\n\tprepare()\n\tn, _ := strconv.Atoi(os.Args[2])\n\tswitch os.Args[1] {\n")
	for i, s := range statements {
		fmt.Fprintf(&b, "\tcase %q:\n\t\trun(n, f%d)\n", s.name, i)
	}
	// The guest times a window: with Realtime set, time.Now is the host's.
	b.WriteString(`	}
}

func run(n int, f func(int)) {
	runtime.GC()
	f(n)
	for range 150 {
		t := time.Now()
		f(n)
		fmt.Println(time.Since(t).Nanoseconds())
	}
}
`)
	for i, s := range statements {
		fmt.Fprintf(&b, "func f%d(n int) {\n\tfor i := range n {\n\t\t_ = i\n\t\t%s\n\t}\n}\n", i, s.text)
	}
	return b.String()
}

// compileStatements compiles the program of all statements.
func compileStatements() (*gyr.Program, error) {
	dir, err := os.MkdirTemp("", "gascal")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(source()), 0o666); err != nil {
		return nil, err
	}
	return gyr.Compile(context.Background(), gyr.Source{Patterns: []string{file}}, nil)
}

// measureStatements measures the statements whose names match, minus the empty loop.
func (mt *meter) measureStatements(re *regexp.Regexp) ([]row, error) {
	var list []statement
	for _, s := range statements[1:] {
		if re.MatchString(s.name) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	p, err := compileStatements()
	if err != nil {
		return nil, err
	}
	empty, err := mt.perIteration(p, statements[0].name)
	if err != nil {
		return nil, err
	}
	emptyGas, err := countStatement(p, statements[0].name, 1000)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, s := range list {
		t, err := mt.perIteration(p, s.name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		n := countedOver(t.n)
		units, err := countStatement(p, s.name, n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		f, err := mt.figure(t.ns - empty.ns)
		if err != nil {
			return nil, err
		}
		r := mt.row(s.name, units-emptyGas, f)
		r.N, r.Stmt, r.Call = n, true, s.call
		rows = append(rows, r)
	}
	return rows, nil
}

// countedOver returns over how many iterations to count the gas of one, where a window has n of
// them.
func countedOver(n int) int { return min(max(n, 20), 2000) }

// recountStatement counts the gas of a statement again, over as many iterations as before, minus
// the empty loop.
func recountStatement(p *gyr.Program, r *row) error {
	empty, err := countStatement(p, statements[0].name, 1000)
	if err != nil {
		return err
	}
	units, err := countStatement(p, r.Name, max(r.N, 20))
	r.Gas = max(units-empty, 0.01)
	return err
}

// countStatement returns the gas of one of n iterations, as the difference of two runs.
func countStatement(p *gyr.Program, name string, n int) (float64, error) {
	less, err := runStatement(p, gyr.TierAuto, name, 10)
	if err != nil {
		return 0, err
	}
	more, err := runStatement(p, gyr.TierAuto, name, n)
	return float64(more.gas-less.gas) / float64(n-10) / windows, err
}

// An iteration is the time of one iteration, and how many of them a window had.
type iteration struct {
	ns float64
	n  int
}

// perIteration measures one statement.
func (mt *meter) perIteration(p *gyr.Program, name string) (t iteration, err error) {
	r, err := runStatement(p, mt.tier, name, 10)
	if err != nil {
		return t, err
	}
	// A window lasts 100 µs. Where memory is allocated, whole runs are compared by their processor
	// time, so that collections count.
	n := min(max(int(100e3/max(r.ns, 0.1)), 11), 2000000)
	allocates := r.mallocs > 10*windows
	if allocates {
		n *= 10
	}
	var short, long statementRun
	best, once, twice := math.Inf(1), math.Inf(1), math.Inf(1)
	for range *rounds {
		if short, err = runStatement(p, mt.tier, name, n); err != nil {
			return t, err
		}
		best, once = min(best, short.ns), min(once, short.cpu)
		if !allocates {
			continue
		}
		if long, err = runStatement(p, mt.tier, name, 2*n); err != nil {
			return t, err
		}
		twice = min(twice, long.cpu)
	}
	if allocates {
		best = (twice - once) / float64(n) / windows
	}
	return iteration{best, n}, nil
}

// windows is how often the guest executes the loop; see source.
const windows = 151

// A statementRun holds the nanoseconds of an iteration in the shortest window, and figures of the
// whole run.
type statementRun struct {
	ns, cpu float64
	gas     int64
	mallocs uint64
}

func runStatement(p *gyr.Program, tier gyr.Tier, name string, n int) (r statementRun, err error) {
	var out strings.Builder
	in, err := p.NewInstance(context.Background(), gyr.Config{Tier: tier, Args: []string{name, fmt.Sprint(n)}, Stdout: &out,
		Stderr: io.Discard, Realtime: true})
	if err != nil {
		return r, err
	}
	defer in.Close()
	cpu := cpuTime()
	if err := in.Run(context.Background()); err != nil {
		return r, err
	}
	cpu = cpuTime() - cpu
	best, k := math.Inf(1), 0
	for line := range strings.Lines(out.String()) {
		var t float64
		if _, err := fmt.Sscan(line, &t); err != nil {
			return r, err
		}
		best = min(best, t)
		k++
	}
	if k != windows-1 {
		return r, fmt.Errorf("%d windows", k)
	}
	s := in.Stats()
	return statementRun{best / float64(n), float64(cpu), s.Gas, s.Mallocs}, nil
}
