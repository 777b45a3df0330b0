// Guests that do harm with strings, formats and regular expressions.
package main

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"repeat overflows": func() { strings.Repeat("0123456789", 1<<62) },
	"repeat negative":  func() { strings.Repeat("x", -1) },
	"repeat too much":  func() { println(len(strings.Repeat("0123456789", 1<<28))) },
	"repeat bytes":     func() { bytes.Repeat(make([]byte, 1<<33>>10), 1<<40) },
	"replace grows": func() {
		s := "x"
		for {
			s = strings.ReplaceAll(s, "x", "xx")
		}
	},
	"join": func() {
		var list []string
		for {
			list = append(list, strings.Join(list, ","))
		}
	},
	"split": func() {
		s := strings.Repeat(",", 1<<20)
		for {
			keep = append(keep, strings.Split(s, ","))
		}
	},
	"runes of all": func() {
		s := strings.Repeat("\xff", 1<<22)
		for {
			keep = append(keep, []rune(s))
		}
	},
	"invalid text": func() {
		s := strings.Repeat("\xf4\x90\x80\x80\xed\xa0\x80\xc0\x80", 1000)
		n := 0
		for _, r := range s {
			if r == utf8.RuneError {
				n++
			}
		}
		println(n, utf8.ValidString(s), len([]rune(s)), len(string([]rune{-1, 0x110000, 0xd800})))
	},
	"index out of range": func() { s := os.Args[1]; i := len(s); println(s[i]) },
	"slice out of range": func() { s := os.Args[1]; i := len(s) + 1; println(s[i-2 : i]) },
	"negative slice":     func() { s := os.Args[1]; i := -1; println(s[i:]) },
	"format width":       func() { println(len(fmt.Sprintf("%1000000000d", 1))) },
	"format star":        func() { println(len(fmt.Sprintf("%*d", 1<<40, 1))) },
	"format precision":   func() { println(len(fmt.Sprintf("%.999999f", 1.5))) },
	"format wrong":       func() { println(fmt.Sprintf("%!%z%[9]d%[x]d%*.*", 1, nil, []int(nil), map[any]any{nil: nil})) },
	"big number":         func() { n := new(big.Int); n.Exp(big.NewInt(7), big.NewInt(1<<40), nil); println(n.BitLen()) },
	"shift of a number":  func() { n := new(big.Int); n.Lsh(big.NewInt(1), 1<<40); println(n.BitLen()) },
	"parse a number": func() {
		_, err := strconv.ParseFloat(strings.Repeat("9", 1<<20)+"e-1048576", 64)
		println(err == nil)
		for {
			strconv.ParseFloat("1"+strings.Repeat("0", 1<<16)+"1e-70000", 64)
		}
	},
	"huge rational": func() { r, ok := new(big.Rat).SetString("1e1000000000"); println(r, ok) },
	"exponential pattern": func() {
		re := regexp.MustCompile(`^(((a*)*)*)*b$`)
		s := strings.Repeat("a", 1<<12)
		for {
			if re.MatchString(s) {
				return
			}
		}
	},
	"backtracking pattern": func() {
		re := regexp.MustCompile(`(x+x+)+y|(.*)*\1?`[:9])
		for s := "x"; ; s += s {
			re.FindAllStringSubmatchIndex(s, -1)
		}
	},
	"huge repeat":   func() { _, err := regexp.Compile(`a{1001}`); println(err.Error()) },
	"nested repeat": func() { _, err := regexp.Compile(`((a{100}){100}){100}`); println(err.Error()) },
	"deep pattern": func() {
		_, err := regexp.Compile(strings.Repeat("(", 100_000) + strings.Repeat(")", 100_000))
		println(len(err.Error()) < 300_000)
	},
	"many patterns": func() {
		for i := 0; ; i++ {
			keep = append(keep, regexp.MustCompile(fmt.Sprintf(`(?i)[^\pL\PN]{1,%d}|x{%d}`, i%100+1, i%50)))
		}
	},
	"pattern of classes": func() {
		for {
			regexp.MustCompile(strings.Repeat(`[\pL\pN\pZ]`, 1000))
		}
	},
	"template without end": func() {
		t := template.Must(template.New("x").Parse(`{{define "x"}}{{template "x"}}{{end}}{{template "x"}}`))
		println(t.Execute(&bytes.Buffer{}, nil) != nil)
	},
	"map over text": func() {
		s := strings.Repeat("x", 1<<20)
		for {
			s = strings.Map(func(r rune) rune { return '\U0010ffff' }, s)
		}
	},
}

var keep []any
