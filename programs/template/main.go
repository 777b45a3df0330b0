// Command template renders invoices with text/template: ranges, conditions,
// pipelines, functions and nested templates. It prints a checksum of the text.
// The size is the number of invoices.
//
// Usage: template [size]
package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"strings"
	"text/template"
)

type invoice struct {
	Number int
	To     string
	Items  []item
	Taxed  bool
}

type item struct {
	Name     string
	Quantity int
	Cents    int
}

func (i item) Sum() int { return i.Quantity * i.Cents }

func (v invoice) Total() int {
	sum := 0
	for _, i := range v.Items {
		sum += i.Sum()
	}
	return sum
}

const page = `{{define "row"}}{{printf "%-12s" .Name}} {{.Quantity | printf "%4d"}} x {{money .Cents}} = {{money .Sum}}
{{end}}Invoice {{.Number}} for {{.To | upper}}
{{range $i, $e := .Items}}{{if gt $e.Quantity 0}}{{$i}}. {{template "row" $e}}{{else}}{{$i}}. {{$e.Name}} is sold out
{{end}}{{end}}{{with .Total}}Total {{money .}}{{if $.Taxed}} and tax {{money (tax .)}}{{end}}{{else}}Nothing to pay{{end}}
`

func main() {
	n := size(4000)
	t := template.Must(template.New("page").Funcs(template.FuncMap{
		"money": func(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) },
		"tax":   func(cents int) int { return cents * 21 / 100 },
		"upper": strings.ToUpper,
	}).Parse(page))
	goods := []string{"apples", "pears", "nuts", "honey", "flour", "tea", "rice"}
	h := fnv.New64a()
	var b strings.Builder
	total := 0
	for i := range n {
		v := invoice{Number: 1000 + i, To: "customer " + strconv.Itoa(i%97), Taxed: i%3 == 0}
		for k := range i % 9 {
			v.Items = append(v.Items, item{goods[(i+k)%len(goods)], (i * k) % 5, 99 + (i*7919+k*104729)%5000})
		}
		b.Reset()
		if err := t.Execute(&b, v); err != nil {
			panic(err)
		}
		total += b.Len()
		h.Write([]byte(b.String()))
	}
	fmt.Printf("%d %016x\n", total, h.Sum64())
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}
