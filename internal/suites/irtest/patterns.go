package irtest

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// A Pattern is a group of operations that a back end replaces by one instruction or by other
// operations: a superinstruction, an operand in memory, an address, a product by other means. It
// has a name, and runs on all triples of boundary operands.
type Pattern struct {
	Name string
	// Code is the register-code operation that replaces the group; "" if it does not exist, and the
	// pattern is one of machine code.
	Code string
	body string
}

// Patterns is the table. A body computes $r, an i64, from $x, $y and $z, which are i64, and from
// $p. $p points to the three values at [0], [8] and [16], to 8 at [24], and at [32] to the header
// of a slice of 8 words, which are at [64]. $i is an index of these words, and $n the loaded
// length. Integers of other widths come from truncation, and are extended again.
var Patterns = patterns()

var allPatterns = flag.Bool("patterns", false, "compare all patterns, not those with an operation of the register code and a part of the others each day")

// Today returns the patterns that a test compares today.
func Today(t testing.TB) (list []*Pattern) {
	t.Helper()
	var others []*Pattern
	for _, p := range Patterns {
		if p.Code != "" {
			list = append(list, &p)
		} else {
			others = append(others, &p)
		}
	}
	return append(list, daily.Part(t, others, (len(others)+7)/8, *allPatterns)...)
}

func patterns() (list []Pattern) {
	add := func(name, code, format string, args ...any) {
		list = append(list, Pattern{name, code, fmt.Sprintf(format, args...)})
	}
	// Sums and products of several operands.
	add("sum of three", "add3", "$a = add i64 $x $y\n$r = add i64 $a $z")
	add("product and sum", "muladd", "$a = mul i64 $x $y\n$r = add i64 $z $a")
	add("sum and constant", "addaddi", "$c = const i64 -77\n$a = add i64 $x $y\n$r = add i64 $a $c")
	add("sum less a constant", "addaddi", "$c = const i64 77\n$a = add i64 $x $y\n$r = sub i64 $a $c")
	add("both halves of a product", "mulw", "$a = mul i64 $x $y\n$b = mulhiu i64 $y $x\n$r = xor i64 $a $b")
	add("carry", "carry", `$s = add i64 $x $y
$s2 = add i64 $s $z
$a = and i64 $x $y
$o = or i64 $x $y
$b = andnot i64 $o $s2
$m = or i64 $a $b
$k = const i64 63
$r = shru i64 $m $k`)
	add("borrow", "borrow", `$d = sub i64 $x $y
$d2 = sub i64 $d $z
$a = andnot i64 $y $x
$o = xor i64 $x $y
$b = andnot i64 $d2 $o
$m = or i64 $a $b
$k = const i64 63
$r = shru i64 $m $k`)
	// An operand in memory.
	add("sum with what is loaded", "addm", "$a = load i64 $p [8]\n$r = add i64 $x $a")
	for _, t := range []string{"i32", "i64"} {
		for _, op := range []string{"sub", "and", "or", "xor", "mul"} {
			add(op+" with what is loaded, "+t, "", "$b = load %s $p [16]\n$c = %s\n$a = %s %s $c $b\n$r = %s", t, cut(t, "$x"),
				op, t, widen(t, "$a"))
		}
	}
	// An operation on a location in memory.
	for _, t := range []string{"i8", "i16", "i32", "i64"} {
		add("sum in memory, "+t, "add"+t[1:]+"to",
			"$c = %s\n$a = load %s $p [0]\n$b = add %s $c $a\nstore $p $b [0]\n$r = load i64 $p [0]", cut(t, "$y"), t, t)
	}
	add("difference in memory", "sub64to",
		"$a = load i64 $p [0]\n$b = sub i64 $a $y\nstore $p $b [0]\n$r = load i64 $p [0]")
	add("constant added in memory", "add64ito",
		"$c = const i64 -3\n$a = load i64 $p [0]\n$b = add i64 $a $c\nstore $p $b [0]\n$r = load i64 $p [0]")
	add("constant added in memory, i32", "add32ito",
		"$c = const i32 -300\n$a = load i32 $p [0]\n$b = add i32 $a $c\nstore $p $b [0]\n$r = load i64 $p [0]")
	// Elements.
	for k, t := range []string{"i8", "i16", "i32", "i64"} {
		size := 1 << k
		add("element with its check, "+t, []string{"bloadx8s", "bloadx16s", "bloadx32s", "bloadx64"}[k],
			"bounds $i $n [index]\n$q = ptridx ptr $p $i [%d, 64]\n$a = load %s $q [0]\n$r = %s", size, t, widen(t, "$a"))
		add("element stored with its check, "+t, "bstorex"+t[1:],
			"$a = %s\nbounds $i $n [index]\n$q = ptridx ptr $p $i [%d, 64]\nstore $q $a [0]\n$r = load i64 $p [64]",
			cut(t, "$x"), size)
	}
	add("address of an element with its check", "bptridx",
		"bounds $i $n [index]\n$q = ptridx ptr $p $i [24, 64]\n$a = ptrtoint i64 $q\n$b = ptrtoint i64 $p\n$r = sub i64 $a $b")
	add("element of a slice", "sload64",
		"$q = load ptr $p [32]\n$l = load i64 $p [40]\nbounds $i $l [index]\n$e = ptridx ptr $q $i [8, 0]\n$r = load i64 $e [0]")
	add("pointer and length", "loadpl",
		"$q = load ptr $p [32]\n$l = load i64 $p [40]\n$a = load i64 $q [8]\n$b = add i64 $l $l\n$r = xor i64 $a $b")
	add("load with the check of its pointer", "nload64", "nilcheck $p\n$r = load i64 $p [8]")
	add("store with the check of its pointer", "nstore64", "nilcheck $p\nstore $p $y [72]\n$r = load i64 $p [72]")
	// Checks that use a comparison made for them.
	add("check of a slice", "checkleu", "$c = leu i8 $i $n\ncheck $c $i $n [slicealen]\n$r = add i64 $i $n")
	add("quotient with its check", "",
		"$k = const i64 1\n$d = or i64 $y $k\n$o = const i64 0\n$c = ne i8 $d $o\ncheck $c [divide]\n$r = divs i64 $x $d")
	// Constants as operands, at all widths.
	for _, t := range []string{"i8", "i16", "i32", "i64"} {
		for _, op := range []string{"add", "sub", "mul", "and", "or", "xor", "andnot"} {
			for _, c := range []int{1, -1, 3, 7, 10, 24, 100, -128} {
				add(fmt.Sprintf("%s %s of %d", op, t, c), "", "$a = %s\n$k = const %s %d\n$b = %s %s $a $k\n$r = %s",
					cut(t, "$x"), t, c, op, t, widen(t, "$b"))
			}
		}
		add("constant less a number, "+t, "", "$a = %s\n$k = const %s 99\n$b = sub %s $k $a\n$r = %s", cut(t, "$x"), t, t,
			widen(t, "$b"))
		for _, op := range []string{"shl", "shru", "shrs", "rotl"} {
			for _, c := range []int{0, 1, 7, 8, 31, 32, 63, 64, -1} {
				add(fmt.Sprintf("%s %s by %d", op, t, c), "", "$a = %s\n$k = const i64 %d\n$b = %s %s $a $k\n$r = %s",
					cut(t, "$x"), c, op, t, widen(t, "$b"))
			}
			add(fmt.Sprintf("%s %s by some", op, t), "", "$a = %s\n$b = %s %s $a $y\n$r = %s", cut(t, "$x"), op, t,
				widen(t, "$b"))
			add(fmt.Sprintf("%s %s by some of few", op, t), "",
				"$m = const i64 15\n$k = and i64 $y $m\n$a = %s\n$b = %s %s $a $k\n$r = %s", cut(t, "$x"), op, t, widen(t, "$b"))
		}
		for _, op := range []string{"neg", "not", "clz", "ctz", "popcnt", "bswap"} {
			add(op+" "+t, "", "$a = %s\n$b = %s %s $a\n$r = %s", cut(t, "$x"), op, t, widen(t, "$b"))
		}
		// Comparisons as a number, in a branch, in a selection.
		for _, op := range []string{"eq", "ne", "lts", "les", "ltu", "leu"} {
			for _, c := range []string{"$b = " + cut(t, "$y"), fmt.Sprintf("$b = const %s 5", t),
				fmt.Sprintf("$b = const %s -1", t), fmt.Sprintf("$b = const %s 0", t)} {
				name := fmt.Sprintf("%s %s with %s", op, t, strings.TrimPrefix(c, "$b = "))
				add(name+", a number", "", "$a = %s\n%s\n$c = %s i8 $a $b\n$r = zext i64 $c", cut(t, "$x"), c, op)
				add(name+", a selection", "", "$a = %s\n%s\n$c = %s i8 $a $b\n$r = select i64 $c $y $z", cut(t, "$x"), c, op)
				add(name+", a branch", "",
					"$a = %s\n%s\n$c = %s i8 $a $b\nif $c b1 b2\nb1: <- b0\njump b3\nb2: <- b0\njump b3\nb3: <- b1 b2\n$r = phi i64 $y $z", cut(t, "$x"), c, op)
				add(name+", the other way round", "",
					"$a = %s\n%s\n$c = %s i8 $b $a\nif $c b1 b2\nb1: <- b0\njump b3\nb2: <- b0\njump b3\nb3: <- b1 b2\n$r = phi i64 $y $z", cut(t, "$x"), c, op)
			}
		}
		for _, op := range []string{"divs", "divu", "rems", "remu"} {
			for _, c := range []int{2, 3, 7, 10, 64, -2, -7, -128, 127} {
				add(fmt.Sprintf("%s %s by %d", op, t, c), "", "$a = %s\n$k = const %s %d\n$b = %s %s $a $k\n$r = %s",
					cut(t, "$x"), t, c, op, t, widen(t, "$b"))
			}
		}
	}
	// Addresses with a scale that no access has, with several uses.
	for _, scale := range []int{1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 18, 20, 24, 7, 11} {
		add(fmt.Sprintf("accesses scaled by %d", scale), "", `$q = ptridx ptr $p $i [%d, 0]
$a = load i64 $q [0]
$b = load i32 $q [8]
$w = zext i64 $b
store $q $x [64]
$r = add i64 $a $w`, scale)
	}
	return list
}

// cut is a term that truncates an i64 to a type, widen a term that extends it again.
func cut(t, x string) string {
	if t == "i64" {
		return "copy i64 " + x
	}
	return "trunc " + t + " " + x
}

func widen(t, x string) string {
	if t == "i64" {
		return "copy i64 " + x
	}
	return "sext i64 " + x
}

var name = regexp.MustCompile(`\$[a-z0-9]+`)

// number replaces the names in a text by numbers, starting with first.
func number(text string, first int) string {
	ids := map[string]int{}
	return name.ReplaceAllStringFunc(text, func(s string) string {
		if _, ok := ids[s]; !ok {
			ids[s] = first + len(ids)
		}
		return fmt.Sprint("v", ids[s])
	})
}

// tripled are the operands whose triples are all tried.
var tripled = []uint64{0, 1, 2, 7, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 1<<31 - 1, 1 << 31, 1<<32 - 1, math.MaxInt64,
	1 << 63, math.MaxUint64, 0x0123456789abcdef}

// Module has the pattern in function 2, which the entry calls for all triples of operands. It
// combines the results, and the contents of memory, into one number.
func (p *Pattern) Module() (*ir.Module, error) {
	table := make([]byte, 8*len(tripled))
	for i, x := range tripled {
		binary.LittleEndian.PutUint64(table[8*i:], x)
	}
	read := ""
	for off := 0; off < 128; off += 8 {
		read += fmt.Sprintf("$h%d = load i64 $p [%d]\n$g%d = mul i64 $s%d $m\n$s%d = add i64 $g%d $h%d\n", off, off, off,
			off, off+8, off, off)
	}
	text := fmt.Sprintf("data 5000\n  0x10000 %x\n", table) + number(`func @main () -> () {
b0:
$zero = const i64 0
$one = const i64 1
$four = const i64 4
$eight = const i64 8
$low = const i64 15
$last = const i64 4096
$m = const i64 0x2545f4914f6cdd1d
$t = const ptr 0x10000
$p = const ptr 0x10400
$e = const ptr 0x10440
jump b1
b1: <- b0 b2
$k = phi i64 $zero $k2
$s = phi i64 $zero $s128
gasloop [1]
$c = lts i8 $k $last
if $c b2 b3
b2: <- b1
$i = and i64 $k $low
$j0 = shru i64 $k $four
$j = and i64 $j0 $low
$l = shru i64 $k $eight
$ax = ptridx ptr $t $i [8, 0]
$ay = ptridx ptr $t $j [8, 0]
$az = ptridx ptr $t $l [8, 0]
$x = load i64 $ax [0]
$y = load i64 $ay [0]
$z = load i64 $az [0]
store $p $x [0]
store $p $y [8]
store $p $z [16]
store $p $eight [24]
store $p $e [32]
store $p $eight [40]
$r = call i64 @f $x $y $z $p : (i64, i64, i64, ptr) -> (i64)
$s1 = xor i64 $s $r
$s0 = mul i64 $s1 $m
`+read+`$k2 = add i64 $k $one
jump b1
b3: <- b1
store $t $s [256]
ret
}`, 0) + number(`
func @f (i64, i64, i64, ptr) -> (i64) {
b0:
$x = arg i64 [0]
$y = arg i64 [1]
$z = arg i64 [2]
$p = arg ptr [3]
$low = const i64 7
$i = and i64 $x $low
$n = load i64 $p [24]
`+p.body+`
ret $r
}
entry @main
`, 0)
	return ir.ParseModule(text)
}
