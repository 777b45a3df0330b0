package ir

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseModule reads the text form of a module. Text written by hand may leave parts out: functions
// without a number are numbered in order, and the first call of a function without a definition
// declares it.
func ParseModule(text string) (*Module, error) {
	p := &parser{
		lines:  strings.Split(text, "\n"),
		m:      &Module{own: []*Func{nil}, Layouts: []Layout{{}}},
		byName: map[string]*Func{},
	}
	p.module()
	if p.err == nil {
		p.finish()
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.m, nil
}

// limits that keep a short hostile text from asking for a lot of memory
const (
	maxTextID    = 1 << 26
	maxTextTable = 1 << 24
	maxTextData  = 1 << 31
)

// A parser reads lines; the first error stops it.
type parser struct {
	lines []string
	n     int    // number of the current line, from 1
	rest  string // what is left of it
	err   error

	m        *Module
	byName   map[string]*Func
	numbered map[*Func]bool  // functions whose number the text gives
	data     int64           // size of the data segment; -1: none
	declared map[*Func]bool  // known only from calls
	order    []*Func         // every function in order of appearance
	fixups   map[int32]*Func // number → function
	stubs    []stubRef
}

func (p *parser) errorf(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("line %d: %s", p.n, fmt.Sprintf(format, args...))
	}
}

// nextLine moves to the next line that is not empty.
func (p *parser) nextLine() bool {
	for p.err == nil && p.n < len(p.lines) {
		line := p.lines[p.n]
		p.n++
		if i := commentStart(line); i >= 0 {
			line = line[:i]
		}
		p.rest = strings.TrimSpace(line)
		if p.rest != "" {
			return true
		}
	}
	return false
}

// commentStart finds a // at the start of a line or after a blank and outside of quotes.
func commentStart(line string) int {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			if quoted {
				i++
			}
		case '"':
			quoted = !quoted
		case '/':
			if !quoted && strings.HasPrefix(line[i:], "//") && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
				return i
			}
		}
	}
	return -1
}

func (p *parser) space() { p.rest = strings.TrimLeft(p.rest, " \t") }

// token takes the next token: a quoted string, a mark, or a word up to a blank or mark.
func (p *parser) token() string {
	p.space()
	if p.rest == "" {
		return ""
	}
	switch p.rest[0] {
	case '(', ')', '[', ']', '{', '}', ',', ':', '=':
		t := p.rest[:1]
		p.rest = p.rest[1:]
		return t
	case '"':
		return p.quoted()
	}
	i := strings.IndexAny(p.rest, " \t()[]{},:=")
	if i < 0 {
		i = len(p.rest)
	}
	t := p.rest[:i]
	p.rest = p.rest[i:]
	return t
}

// quoted takes a string in quotes and returns it with them.
func (p *parser) quoted() string {
	q, err := strconv.QuotedPrefix(p.rest)
	if err != nil {
		p.errorf("bad string")
		p.rest = ""
		return `""`
	}
	p.rest = p.rest[len(q):]
	return q
}

func (p *parser) str() string {
	p.space()
	if !strings.HasPrefix(p.rest, `"`) {
		p.errorf("a quoted string is missing")
		return ""
	}
	s, err := strconv.Unquote(p.quoted())
	if err != nil {
		p.errorf("bad string")
	}
	return s
}

func (p *parser) peek() string {
	saved, err := p.rest, p.err
	t := p.token()
	p.rest, p.err = saved, err
	return t
}

func (p *parser) accept(t string) bool {
	if p.err == nil && p.peek() == t {
		p.token()
		return true
	}
	return false
}

func (p *parser) expect(t string) {
	if got := p.token(); got != t {
		p.errorf("%q instead of %q", got, t)
	}
}

func (p *parser) integer() int64 {
	t := p.token()
	n, err := strconv.ParseInt(t, 0, 64)
	if err != nil {
		u, err := strconv.ParseUint(t, 0, 64)
		if err != nil {
			p.errorf("%q is not a number", t)
		}
		return int64(u)
	}
	return n
}

func (p *parser) int32() int32 {
	n := p.integer()
	if n != int64(int32(n)) {
		p.errorf("number %d out of range", n)
		return 0
	}
	return int32(n)
}

// index reads the number of a table's row; rows come in order, the first ones may be missing.
func (p *parser) index(have int) int {
	n := p.integer()
	if n < int64(have) || n > maxTextTable {
		p.errorf("table row %d out of order", n)
		return have
	}
	return int(n)
}

func (p *parser) typ() Type {
	t := p.token()
	for i := Void; i < numTypes; i++ {
		if typeNames[i] == t {
			return i
		}
	}
	p.errorf("%q is not a type", t)
	return Void
}

func (p *parser) types() []Type {
	p.expect("(")
	var ts []Type
	if p.accept(")") {
		return nil
	}
	for p.err == nil {
		ts = append(ts, p.typ())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return ts
}

func (p *parser) sig() Sig {
	var s Sig
	s.Params = p.types()
	p.expect("->")
	s.Results = p.types()
	return s
}

func (p *parser) ptrs() []uint64 {
	if !p.accept("ptrs") {
		return nil
	}
	var ps []uint64
	for p.err == nil {
		ps = append(ps, uint64(p.integer()))
		if !p.accept(",") {
			break
		}
	}
	return ps
}

func (p *parser) ints() []int32 {
	if p.accept("-") {
		return nil
	}
	var xs []int32
	for p.err == nil {
		xs = append(xs, p.int32())
		if !p.accept(",") {
			break
		}
	}
	return xs
}

func (p *parser) pos() Pos {
	p.space()
	if !strings.HasPrefix(p.rest, "!") {
		return 0
	}
	p.rest = p.rest[1:]
	return Pos(p.int32())
}

// funcRef reads @name, @"name" or @name#3. It declares an unknown function.
func (p *parser) funcRef() *Func {
	name, index := p.funcName()
	if p.err != nil {
		return nil
	}
	if index > 0 {
		if f := p.fixups[index]; f != nil {
			if f.Name == "" {
				f.Name = name
			}
			return f
		}
		f := p.newFunc(name)
		p.setIndex(f, index)
		p.declared[f] = true
		return f
	}
	if f := p.byName[name]; f != nil {
		return f
	}
	f := p.newFunc(name)
	p.byName[name] = f
	p.declared[f] = true
	return f
}

// funcName reads @name with an optional number directly after it.
func (p *parser) funcName() (name string, index int32) {
	p.space()
	if !strings.HasPrefix(p.rest, "@") {
		p.errorf("a function name is missing")
		return "", 0
	}
	p.rest = p.rest[1:]
	if strings.HasPrefix(p.rest, `"`) {
		name = p.str()
	} else {
		i := strings.IndexAny(p.rest, " \t#")
		if i < 0 {
			i = len(p.rest)
		}
		name, p.rest = p.rest[:i], p.rest[i:]
	}
	if strings.HasPrefix(p.rest, "#") {
		p.rest = p.rest[1:]
		index = p.int32()
		if index <= 0 || index > maxTextTable {
			p.errorf("function number %d out of range", index)
		}
	}
	return name, index
}

func (p *parser) newFunc(name string) *Func {
	f := &Func{Name: name, Module: p.m}
	p.order = append(p.order, f)
	return f
}

func (p *parser) setIndex(f *Func, index int32) {
	if index <= 0 || index > maxTextTable {
		p.errorf("function number %d out of range", index)
		return
	}
	if o := p.fixups[index]; o != nil && o != f {
		p.errorf("two functions have number %d", index)
		return
	}
	if p.numbered[f] && f.Index != index {
		p.errorf("function %s has two numbers", f.Name)
		return
	}
	p.fixups[index] = f
	p.numbered[f] = true
	f.Index = index
}

func (p *parser) module() {
	p.numbered = map[*Func]bool{}
	p.declared = map[*Func]bool{}
	p.fixups = map[int32]*Func{}
	m := p.m
	inData := false
	for p.nextLine() {
		if inData && strings.HasPrefix(p.rest, "0x") {
			p.dataLine()
			continue
		}
		inData = false
		switch t := p.token(); t {
		case "module":
		case "file":
			i := p.index(len(m.Files))
			s := p.str()
			if p.err == nil {
				m.Files = grow(m.Files, i)
				m.Files[i] = s
			}
		case "site":
			i := p.index(len(m.Sites))
			p.expect("func")
			fn := p.int32()
			p.expect("file")
			file := p.int32()
			p.expect("line")
			line := p.int32()
			if p.err == nil {
				m.Sites = grow(m.Sites, i)
				m.Sites[i] = Site{fn, file, line}
			}
		case "pos":
			i := p.index(len(m.Pos))
			p.expect("site")
			site := p.int32()
			p.expect("parent")
			parent := p.int32()
			if p.err == nil {
				m.Pos = grow(m.Pos, i)
				m.Pos[i] = PosEntry{site, Pos(parent)}
			}
		case "layout":
			i := p.index(len(m.Layouts))
			p.expect("size")
			size := p.integer()
			ptrs := p.ptrs()
			if p.err == nil {
				m.Layouts = grow(m.Layouts, i)
				m.Layouts[i] = Layout{size, ptrs}
			}
		case "root":
			a := p.integer()
			p.expect("layout")
			l := p.int32()
			p.expect("count")
			n := p.int32()
			if a != int64(uint32(a)) {
				p.errorf("address out of range")
			}
			m.Roots = append(m.Roots, Root{uint32(a), l, n})
		case "typelayout":
			a := p.integer()
			l := p.int32()
			if a != int64(uint32(a)) {
				p.errorf("address out of range")
			}
			if m.TypeLayouts == nil {
				m.TypeLayouts = map[uint32]int32{}
			}
			m.TypeLayouts[uint32(a)] = l
		case "host":
			i := p.index(len(m.Primitives))
			name := p.str()
			sig := p.sig()
			if p.err == nil {
				m.Primitives = grow(m.Primitives, i)
				m.Primitives[i] = Primitive{name, sig}
			}
		case "shape":
			p.shape()
		case "entry":
			m.Entry = p.funcRef()
		case "runtime":
			name := p.str()
			if m.Runtime == nil {
				m.Runtime = map[string]*Func{}
			}
			m.Runtime[name] = p.funcRef()
		case "init":
			in := Init{Path: p.str(), Func: p.funcRef()}
			p.expect("closure")
			a := p.integer()
			if a != int64(uint32(a)) {
				p.errorf("address out of range")
			}
			in.Closure = uint32(a)
			if in.Std = p.accept("std"); in.Std {
				p.expect("deps")
				in.Deps = p.ints()
			}
			m.Inits = append(m.Inits, in)
		case "data":
			n := p.integer()
			if n < 0 || n > maxTextData {
				p.errorf("data segment of %d bytes", n)
				return
			}
			m.Data = make([]byte, 0, min(n, 1<<20))
			p.data = n
			inData = true
		case "bss":
			m.BSS = p.integer()
		case "func", "declare":
			p.function(t == "declare")
		default:
			p.errorf("%q is not the start of a line", t)
		}
		if p.err == nil && strings.TrimSpace(p.rest) != "" {
			p.errorf("%q at the end of the line", p.rest)
		}
	}
}

// grow lengthens a table so that row i exists.
func grow[T any](s []T, i int) []T {
	for len(s) <= i {
		var zero T
		s = append(s, zero)
	}
	return s
}

func (p *parser) dataLine() {
	addr := p.integer()
	bytes, err := hex.DecodeString(strings.TrimSpace(p.rest))
	p.rest = ""
	off := addr - DataBase
	if err != nil || off < int64(len(p.m.Data)) || off+int64(len(bytes)) > p.data {
		p.errorf("bad data line")
		return
	}
	p.m.Data = append(p.m.Data, make([]byte, off-int64(len(p.m.Data)))...)
	p.m.Data = append(p.m.Data, bytes...)
}

func (p *parser) shape() {
	i := p.index(len(p.m.Shapes))
	if p.accept("nil") {
		p.m.Shapes = grow(p.m.Shapes, i)
		return
	}
	s := &Shape{Sig: p.sig()}
	p.expect("offsets")
	s.Offsets = p.ints()
	p.expect("byref")
	for _, r := range p.ints() {
		s.ByRef = append(s.ByRef, r != 0)
	}
	p.expect("sizes")
	s.Sizes = p.ints()
	p.expect("ret")
	s.RetOff = p.int32()
	p.expect("size")
	s.Size = p.int32()
	if p.accept("unpack") {
		p.stubs = append(p.stubs, stubRef{&s.Unpack, p.funcRef()})
	}
	if p.accept("pack") {
		p.stubs = append(p.stubs, stubRef{&s.Pack, p.funcRef()})
	}
	if p.err == nil {
		p.m.Shapes = grow(p.m.Shapes, i)
		p.m.Shapes[i] = s
	}
}

// finish numbers the functions that have no number and fills the table.
func (p *parser) finish() {
	m := p.m
	if p.data > int64(len(m.Data)) {
		m.Data = append(m.Data, make([]byte, p.data-int64(len(m.Data)))...)
	}
	next := int32(1)
	for _, f := range p.order {
		if !p.numbered[f] {
			for p.fixups[next] != nil {
				next++
			}
			f.Index = next
			p.fixups[next] = f
		}
		m.own = grow(m.own, int(f.Index))
		m.own[f.Index] = f
	}
	for _, s := range p.stubs {
		if s.f != nil {
			*s.number = s.f.Index
		}
	}
}

// A stubRef is a function that a shape names. Its number is known at the end.
type stubRef struct {
	number *int32
	f      *Func
}

// A funcParser reads one function: definitions first, operands when all are known.
type funcParser struct {
	*parser
	f      *Func
	values map[int32]*Value
	blocks map[int32]*Block
	args   []lateArgs
	preds  [][]int32 // by position in f.Blocks
	void   []*Value  // operations without a number
}

// lateArgs are operands to resolve when the whole function has been read.
type lateArgs struct {
	line int
	v    *Value // its operands, or
	b    *Block // the operands of its terminator
	ids  []int32
}

func (p *parser) function(declare bool) {
	name, _ := p.funcName()
	index := int32(0)
	p.space()
	if strings.HasPrefix(p.rest, "#") {
		p.rest = p.rest[1:]
		index = p.int32()
	}
	if p.err != nil {
		return
	}
	var f *Func
	if index > 0 && p.fixups[index] != nil {
		f = p.fixups[index]
	} else if f = p.byName[name]; f != nil && !(p.numbered[f] && index > 0) {
		// declared by an earlier call
	} else {
		f = p.newFunc(name)
	}
	if f.Name != name || len(f.Blocks) > 0 {
		p.errorf("function %s is defined twice", name)
		return
	}
	if p.byName[name] == nil {
		p.byName[name] = f
	}
	if index != 0 {
		p.setIndex(f, index)
	}
	sig := p.sig()
	if p.declared[f] && len(f.Sig.Params)+len(f.Sig.Results) > 0 && !f.Sig.Equal(&sig) {
		// A call before the definition has another signature: the verifier will report it.
		f.Sig = Sig{}
	}
	f.Sig = sig
	delete(p.declared, f)
	if p.accept("flags") {
		for p.err == nil {
			f.Flags |= p.flag()
			if !p.accept(",") {
				break
			}
		}
	}
	if p.accept("shape") {
		f.Shape = p.int32() + 1
	}
	f.Pos = p.pos()
	if declare {
		return
	}
	p.expect("{")
	fp := &funcParser{parser: p, f: f, values: map[int32]*Value{}, blocks: map[int32]*Block{}}
	fp.body()
	if p.err == nil {
		fp.resolve()
	}
}

func (p *parser) flag() FuncFlags {
	t := p.token()
	for _, n := range flagNames {
		if n.name == t {
			return n.flag
		}
	}
	n, err := strconv.ParseUint(t, 0, 32)
	if err != nil {
		p.errorf("%q is not a flag", t)
	}
	return FuncFlags(n)
}

// id reads a name made of a letter and a number.
func (p *parser) id(letter byte) int32 {
	t := p.token()
	if len(t) < 2 || t[0] != letter {
		p.errorf("%q is not the name of a %s", t, map[byte]string{'v': "value", 'b': "block"}[letter])
		return 0
	}
	n, err := strconv.ParseUint(t[1:], 10, 31)
	if err != nil || n > maxTextID {
		p.errorf("%q is not the name of a %s", t, map[byte]string{'v': "value", 'b': "block"}[letter])
		return 0
	}
	return int32(n)
}

func isName(t string, letter byte) bool {
	return len(t) >= 2 && t[0] == letter && t[1] >= '0' && t[1] <= '9'
}

func (p *funcParser) block(id int32) *Block {
	b := p.blocks[id]
	if b == nil {
		b = &Block{ID: id, Func: p.f}
		p.blocks[id] = b
		p.f.nextBlock = max(p.f.nextBlock, id+1)
	}
	return b
}

func (p *funcParser) body() {
	f := p.f
	var cur *Block
	for p.nextLine() {
		first := p.peek()
		switch {
		case first == "}":
			p.token()
			if cur != nil && cur.Kind == BlockInvalid {
				p.errorf("block b%d has no end", cur.ID)
			}
			return
		case first == "local":
			p.token()
			i := p.index(len(f.Locals))
			if i != len(f.Locals) {
				p.errorf("locals are not in order")
			}
			l := Local{Name: p.str()}
			p.expect("size")
			l.Size = p.integer()
			p.expect("align")
			l.Align = p.integer()
			l.Ptrs = p.ptrs()
			f.Locals = append(f.Locals, l)
		case first == "recover":
			p.token()
			f.Recover = p.block(p.id('b'))
		case isName(first, 'b'):
			if cur != nil && cur.Kind == BlockInvalid {
				p.errorf("block b%d has no end", cur.ID)
			}
			id := p.id('b')
			p.expect(":")
			cur = p.block(id)
			f.Blocks = append(f.Blocks, cur)
			if f.Entry == nil {
				f.Entry = cur
			}
			var preds []int32
			if p.accept("<-") {
				for p.err == nil && isName(p.peek(), 'b') {
					preds = append(preds, p.id('b'))
				}
			}
			p.preds = append(p.preds, preds)
		case cur == nil || cur.Kind != BlockInvalid:
			p.errorf("an operation outside of a block")
		default:
			p.line(cur)
		}
		if p.err == nil && strings.TrimSpace(p.rest) != "" {
			p.errorf("%q at the end of the line", p.rest)
		}
	}
	p.errorf("function %s has no end", f.Name)
}

// line reads an operation or terminator.
func (p *funcParser) line(b *Block) {
	if isName(p.peek(), 'v') {
		id := p.id('v')
		p.expect("=")
		v := p.operation(b)
		if p.err != nil {
			return
		}
		if v.Type == Void {
			p.errorf("%s has no result", v.Op)
			return
		}
		if p.values[id] != nil {
			p.errorf("v%d is defined twice", id)
			return
		}
		v.ID = id
		p.values[id] = v
		p.f.nextValue = max(p.f.nextValue, id+1)
		return
	}
	t := p.peek()
	late := lateArgs{line: p.n, b: b}
	var succs []int32
	switch t {
	case "jump":
		p.token()
		b.Kind = BlockJump
		succs = append(succs, p.id('b'))
	case "if":
		p.token()
		b.Kind = BlockIf
		late.ids = append(late.ids, p.id('v'))
		succs = append(succs, p.id('b'), p.id('b'))
		if p.accept("likely") {
			b.Likely = 1
		} else if p.accept("unlikely") {
			b.Likely = -1
		}
	case "switch":
		p.token()
		b.Kind = BlockSwitch
		late.ids = append(late.ids, p.id('v'))
		for p.err == nil && !p.accept("default") {
			b.Cases = append(b.Cases, p.integer())
			p.expect(":")
			succs = append(succs, p.id('b'))
		}
		succs = append(succs, p.id('b'))
	case "ret":
		p.token()
		b.Kind = BlockReturn
		for p.err == nil && isName(p.peek(), 'v') {
			late.ids = append(late.ids, p.id('v'))
		}
	case "unreachable":
		p.token()
		b.Kind = BlockUnreachable
	default:
		v := p.operation(b)
		if p.err == nil && v.Type != Void {
			p.errorf("the result of %s has no name", v.Op)
		}
		p.void = append(p.void, v)
		return
	}
	b.Pos = p.pos()
	if p.err != nil {
		return
	}
	for _, s := range succs {
		b.Succs = append(b.Succs, p.block(s))
	}
	p.args = append(p.args, late)
}

func (p *funcParser) operation(b *Block) *Value {
	t := p.token()
	op, ok := opByName[t]
	if !ok {
		p.errorf("%q is not an operation", t)
		return &Value{}
	}
	v := &Value{Op: op, Block: b}
	b.Values = append(b.Values, v)
	info := &Ops[op]
	next := p.peek()
	for i := I8; i < numTypes; i++ {
		if typeNames[i] == next {
			p.token()
			v.Type = i
			break
		}
	}
	if op == OpCall {
		v.Fn = p.funcRef()
	}
	late := lateArgs{line: p.n, v: v}
	for p.err == nil && isName(p.peek(), 'v') {
		late.ids = append(late.ids, p.id('v'))
	}
	if op == OpConst {
		v.Aux = p.constant(v.Type)
	}
	if p.accept("[") {
		if t := p.peek(); (op == OpBounds || op == OpCheck) && t != "" && (t[0] < '0' || t[0] > '9') {
			p.token()
			v.Aux = -1
			for i := range Traps {
				if Traps[i].Name == t {
					v.Aux = int64(i)
				}
			}
			if v.Aux < 0 {
				p.errorf("%q is not a trap", t)
			}
		} else {
			v.Aux = p.integer()
			if p.accept(",") {
				v.Aux2 = p.integer()
			}
		}
		p.expect("]")
	}
	if info.Effects&IsCall != 0 && p.accept(":") {
		sig := p.sig()
		v.Sig = &sig
		if op == OpCall && p.err == nil && p.declared[v.Fn] {
			v.Fn.Sig = sig
		}
	}
	if p.accept("shape") {
		v.Shape = p.int32() + 1
	}
	v.Pos = p.pos()
	p.args = append(p.args, late)
	return v
}

func (p *funcParser) constant(t Type) int64 {
	if p.accept("bits") {
		p.expect(":")
		return p.integer()
	}
	if !t.IsFloat() {
		return p.integer()
	}
	s := p.token()
	bits := 64
	if t == F32 {
		bits = 32
	}
	x, err := strconv.ParseFloat(s, bits)
	if err != nil {
		p.errorf("%q is not a number", s)
	}
	if t == F32 {
		return int64(math.Float32bits(float32(x)))
	}
	return int64(math.Float64bits(x))
}

// resolve links operands, successors and predecessors.
func (p *funcParser) resolve() {
	f := p.f
	for _, v := range p.void {
		v.ID = f.nextValue
		f.nextValue++
	}
	for _, la := range p.args {
		args := make([]*Value, len(la.ids))
		for i, id := range la.ids {
			args[i] = p.values[id]
			if args[i] == nil {
				p.n = la.line
				p.errorf("v%d is not defined", id)
				return
			}
		}
		switch {
		case len(args) == 0:
		case la.v != nil:
			la.v.Args = args
		case la.b.Kind == BlockReturn:
			la.b.Rets = args
		default:
			la.b.Ctrl = args[0]
		}
	}
	defined := make(map[*Block]bool, len(f.Blocks))
	for _, b := range f.Blocks {
		if defined[b] {
			p.errorf("block b%d is defined twice", b.ID)
			return
		}
		defined[b] = true
	}
	for i, b := range f.Blocks {
		for _, s := range b.Succs {
			if !defined[s] {
				p.errorf("function %s: block b%d is not defined", f.Name, s.ID)
				return
			}
		}
		for _, id := range p.preds[i] {
			pr := p.blocks[id]
			if pr == nil || !defined[pr] {
				p.errorf("function %s: block b%d is not defined", f.Name, id)
				return
			}
			b.Preds = append(b.Preds, pr)
		}
	}
	if f.Recover != nil && !defined[f.Recover] {
		p.errorf("function %s: block b%d is not defined", f.Name, f.Recover.ID)
	}
}
