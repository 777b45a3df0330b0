package guest

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

type person struct {
	Name  string            `json:"name" xml:"name"`
	Age   int               `json:"age" xml:"age"`
	Tags  []string          `json:"tags" xml:"tags"`
	Extra map[string]string `json:"extra,omitempty" xml:"-"`
}

var (
	someone  = person{"Ada", 36, []string{"a", "b", "c"}, map[string]string{"k": "v"}}
	document = []byte(`{"name":"Ada","age":36,"tags":["a","b","c"],"extra":{"k":"v"}}`)
	greedy   = regexp.MustCompile(`(a|b)*c.*(gh)+$`)
	simple   = regexp.MustCompile(`[a-z]+@[a-z]+\.com`)
	page1    = template.Must(template.New("").Parse(`Hello {{.Name}}, {{range .Tags}}<{{.}}>{{end}}`))
	kib      = strings.Repeat("abcdefgh", 128)
	wideText = strings.Repeat("aé世界bcde", 64)
	fields   = strings.Repeat("one two  three, four ", 32)
	builder  strings.Builder
	quiet    = slog.New(slog.NewTextHandler(io.Discard, nil))
)

// textRows are functions of std that make and read text.
func textRows() []row {
	return []row{
		each("fmt: Sprint of an integer", nil, func(i int) { str = fmt.Sprint(i) }),
		each("fmt: Sprintf, %d %s", nil, func(i int) { str = fmt.Sprintf("%d %s", i, "x") }),
		each("fmt: Sprintf, %v of a struct", nil, func(int) { str = fmt.Sprintf("%+v", someone) }),
		each("fmt: Sprintf, %g", nil, func(i int) { str = fmt.Sprintf("%g", float64(i)/7) }),
		each("fmt: Sprintf with a width of 100,000", nil, func(i int) { str = fmt.Sprintf("%100000d", i) }),
		each("fmt: Sscanf", nil, func(int) {
			var a, b int
			fmt.Sscanf("12 34", "%d %d", &a, &b)
			num += a + b
		}),
		each("fmt: Errorf with %w", nil, func(i int) { thing = fmt.Errorf("%d: %w", i, io.EOF) }),
		each("errors: Is, 3 deep", func() { thing = fmt.Errorf("a: %w", fmt.Errorf("b: %w", fmt.Errorf("c: %w", io.EOF))) }, func(int) {
			if errors.Is(thing.(error), io.EOF) {
				num++
			}
		}),
		each("strconv: Itoa", nil, func(i int) { str = strconv.Itoa(i * 7919) }),
		each("strconv: Atoi", nil, func(int) { v, _ := strconv.Atoi("123456789"); num += v }),
		each("strconv: FormatFloat", nil, func(i int) { str = strconv.FormatFloat(float64(i)/7, 'g', -1, 64) }),
		each("strconv: FormatFloat, 300 digits", nil, func(i int) { str = strconv.FormatFloat(float64(i)/7, 'f', 300, 64) }),
		each("strconv: ParseFloat", nil, func(int) { v, _ := strconv.ParseFloat("3.14159265358979", 64); fl += v }),
		each("strconv: ParseFloat, 400 digits", func() { str = strings.Repeat("1234567890", 40) + "e-200" }, func(int) { v, _ := strconv.ParseFloat(str, 64); fl += v }),
		each("strconv: Quote", nil, func(int) { str = strconv.Quote(wideText) }),
		each("strings: Builder, 64 writes", nil, func(int) {
			builder.Reset()
			for range 64 {
				builder.WriteString("abcdefgh")
			}
			str = builder.String()
		}),
		each("strings: Split", nil, func(int) { num += len(strings.Split(fields, " ")) }),
		each("strings: Fields", nil, func(int) { num += len(strings.Fields(fields)) }),
		each("strings: Replace", nil, func(int) { str = strings.ReplaceAll(fields, "two", "2") }),
		each("strings: Index, far needle", nil, func(int) { num += strings.Index(kib, "hgf") }),
		each("strings: Contains rune", nil, func(int) { num += strings.IndexRune(wideText, '語') }),
		each("strings: ToUpper", nil, func(int) { str = strings.ToUpper(wideText) }),
		each("strings: Join", func() { someone.Tags = strings.Fields(fields) }, func(int) { str = strings.Join(someone.Tags, ",") }),
		each("strings: EqualFold", nil, func(int) {
			if strings.EqualFold(kib, kib[:1023]+"H") {
				num++
			}
		}),
		each("strings: Map", nil, func(int) { str = strings.Map(func(r rune) rune { return r + 1 }, kib) }),
		each("strings: NewReplacer", nil, func(int) { str = strings.NewReplacer("one", "1", "two", "2").Replace(fields) }),
		each("utf8: RuneCountInString", nil, func(int) { num += utf8.RuneCountInString(wideText) }),
		each("utf8: Valid", func() { raw = []byte(wideText) }, func(int) {
			if utf8.Valid(raw) {
				num++
			}
		}),
		each("utf8: range", nil, func(int) {
			for _, r := range wideText {
				num += int(r)
			}
		}),
		each("utf16: Encode", func() { thing = []rune(wideText) }, func(int) { num += len(utf16.Encode(thing.([]rune))) }),
		each("runes: []rune(string)", nil, func(int) { num += len([]rune(wideText)) }),
		each("bytes: Buffer, 64 writes", nil, func(int) {
			var b bytes.Buffer
			for range 64 {
				b.WriteString("abcdefgh")
			}
			num += b.Len()
		}),
		each("bufio: Scanner", func() { text = strings.Repeat("a line of text\n", 64) }, func(int) {
			s := bufio.NewScanner(strings.NewReader(text))
			for s.Scan() {
				num += len(s.Bytes())
			}
		}),
		each("time: Format", func() { thing = time.Unix(1e9, 0).UTC() }, func(int) { str = thing.(time.Time).Format(time.RFC3339Nano) }),
		each("time: Parse", nil, func(int) { t, _ := time.Parse(time.RFC3339, "2026-01-02T03:04:05Z"); num += t.Year() }),
		each("slog: Info to nowhere", nil, func(i int) { quiet.Info("message", "i", i, "s", "text") }),
	}
}

type priority []int

func (p priority) Len() int           { return len(p) }
func (p priority) Less(i, j int) bool { return p[i] < p[j] }
func (p priority) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *priority) Push(x any)        { *p = append(*p, x.(int)) }
func (p *priority) Pop() any          { x := (*p)[len(*p)-1]; *p = (*p)[:len(*p)-1]; return x }

var (
	unsorted, sorted []int
	queue            priority
	small            = map[int]int{1: 2, 3: 4}
	byInt            = map[int]int{}
	byString         = map[string]int{}
	names            []string
	byStruct         = map[person2]int{}
	method           = reflect.ValueOf(queue.Len)
)

type person2 struct {
	name string
	age  int
}

func shuffled(n int) {
	unsorted, sorted = make([]int, n), make([]int, n)
	for i, x := 0, uint64(1); i < n; i++ {
		x = random(x)
		unsorted[i] = int(x >> 20)
	}
}

func entries() {
	for i := range 4096 {
		byInt[i] = i
		s := "key" + strconv.Itoa(i)
		byString[s] = i
		names = append(names, s)
		byStruct[person2{s, i}] = i
	}
}

// dataRows are functions of std that sort, look up, walk and encode data.
func dataRows() []row {
	return []row{
		each("sort: Ints, 1000", func() { shuffled(1000) }, func(int) { copy(sorted, unsorted); sort.Ints(sorted) }),
		each("sort: Slice, 1000", func() { shuffled(1000) }, func(int) {
			copy(sorted, unsorted)
			sort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })
		}),
		each("sort: slices.SortStableFunc, 1000", func() { shuffled(1000) }, func(int) { copy(sorted, unsorted); slices.SortStableFunc(sorted, cmp.Compare[int]) }),
		each("sort: slices.BinarySearch", func() { shuffled(1000); slices.Sort(unsorted) }, func(i int) { k, _ := slices.BinarySearch(unsorted, i); num += k }),
		each("sort: slices.Sort, 1,000,000", func() { shuffled(1_000_000) }, func(int) { copy(sorted, unsorted); slices.Sort(sorted) }),
		each("sort: heap, push and pop", func() {
			for i := range 1000 {
				heap.Push(&queue, i*7919%1000)
			}
		}, func(i int) { heap.Push(&queue, i&1023); num += heap.Pop(&queue).(int) }),
		each("maps: read, int", entries, func(i int) { num += byInt[i&4095] }),
		each("maps: read, string", entries, func(i int) { num += byString[names[i&4095]] }),
		each("maps: read, struct", entries, func(i int) { num += byStruct[person2{names[i&4095], i & 4095}] }),
		each("maps: write, int", entries, func(i int) { byInt[i&4095] = i }),
		each("maps: insert and delete", entries, func(i int) { byInt[-1-i&255] = i; delete(byInt, -1-i&255) }),
		each("maps: range of 4096", entries, func(int) {
			for k := range byInt {
				num += k
			}
		}),
		each("maps: range of 2", nil, func(int) {
			for k := range small {
				num += k
			}
		}),
		each("maps: Clone of 4096", entries, func(int) { thing = maps.Clone(byInt) }),
		each("maps: sorted keys of 4096", entries, func(int) { num += len(slices.Sorted(maps.Keys(byString))) }),
		each("maps: a key of NaN, 100 times", nil, func(int) {
			m := map[float64]int{}
			for range 100 {
				m[nan] = 1
			}
			num += len(m)
		}),
		each("json: Marshal", nil, func(int) { raw, _ = json.Marshal(&someone) }),
		each("json: Unmarshal", nil, func(int) {
			var p person
			json.Unmarshal(document, &p)
			num += p.Age
		}),
		each("json: Unmarshal to any", nil, func(int) { json.Unmarshal(document, &thing) }),
		each("json: Valid, 10,000 nested", func() { raw = []byte(strings.Repeat("[", 9999) + strings.Repeat("]", 9999)) }, func(int) {
			if json.Valid(raw) {
				num++
			}
		}),
		each("xml: Marshal", nil, func(int) { raw, _ = xml.Marshal(&someone) }),
		each("regexp: match of 1 KiB", nil, func(int) {
			if greedy.MatchString(kib) {
				num++
			}
		}),
		each("regexp: search without", nil, func(int) { num += len(simple.FindString(kib)) }),
		each("regexp: Compile", nil, func(int) { thing = regexp.MustCompile(`(a|b)*c.*(gh){3,9}$`) }),
		each("template: Execute", nil, func(int) { page1.Execute(io.Discard, &someone) }),
		each("reflect: Call", nil, func(int) { num += int(method.Call(nil)[0].Int()) }),
		each("reflect: Field by name", nil, func(int) { num += int(reflect.ValueOf(&someone).Elem().FieldByName("Age").Int()) }),
		each("reflect: DeepEqual", nil, func(int) {
			if reflect.DeepEqual(&someone, &other) {
				num++
			}
		}),
		each("reflect: TypeOf and String", func() { thing2 = &someone }, func(int) { num += len(reflect.TypeOf(thing2).String()) }),
		each("reflect: MakeFunc and call", nil, func(int) {
			f := reflect.MakeFunc(reflect.TypeFor[func(int) int](), func(a []reflect.Value) []reflect.Value { return a })
			num += f.Interface().(func(int) int)(1)
		}),
		each("reflect: StructOf", nil, func(int) {
			num += reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int]()}}).NumField()
		}),
		each("interfaces: assert to interface", func() { thing = &builder }, func(int) { num += thing.(fmt.Stringer).(interface{ Len() int }).Len() }),
		each("interfaces: compare", func() { thing, thing2 = someone.Name, "Ada" }, func(int) {
			if thing == thing2 {
				num++
			}
		}),
		each("interfaces: hash as a key", func() { anyMap = map[any]int{"Ada": 1}; thing = "Ada" }, func(int) { num += anyMap[thing] }),
		each("calls: closure", func() { k := num; closure = func(i int) int { return i + k } }, func(i int) { num += closure(i) }),
		each("calls: interface method", func() { sorter = &queue }, func(int) { num += sorter.Len() }),
		each("calls: defer", nil, func(int) { deferred() }),
	}
}

var (
	other   = someone
	nan     = func() float64 { var z float64; return z / z }()
	thing2  any
	anyMap  map[any]int
	closure func(int) int
	sorter  sort.Interface
)

//go:noinline
func deferred() {
	defer func() { num++ }()
}
