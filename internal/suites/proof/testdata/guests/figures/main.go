// Command figures uses what many programs use: formatting, JSON, sorting, text,
// big numbers and regular expressions.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
)

type item struct {
	Name  string             `json:"name"`
	Price float64            `json:"price,omitempty"`
	Tags  []string           `json:"tags"`
	Extra map[string]any     `json:"extra"`
	Next  *item              `json:"next"`
	By    map[string]float32 `json:"-"`
}

func main() {
	it := item{"a", 1.5, []string{"x", "y"}, map[string]any{"k": 1, "l": []int{1, 2}}, &item{Name: "b"}, nil}
	b, err := json.Marshal(it)
	fmt.Println(string(b), err)
	var back item
	fmt.Println(json.Unmarshal(b, &back), reflect.DeepEqual(it.Tags, back.Tags))
	fmt.Printf("%+v\n%#v\n%T %x %q %8.3f|%-10s|\n", back.Extra, it.Tags, it, b[:8], "é\x00", math.Pi, "left")
	words := strings.FieldsFunc("The quick brown fox jumps over the lazy dog; then it sleeps.", func(r rune) bool { return !unicode.IsLetter(r) })
	sort.Slice(words, func(i, j int) bool { return strings.ToLower(words[i]) < strings.ToLower(words[j]) })
	fmt.Println(words, slices.Index(words, "fox"))
	f := new(big.Int).MulRange(1, 60)
	fmt.Println(f, f.BitLen(), new(big.Int).Sqrt(f), new(big.Int).Mod(f, big.NewInt(1_000_003)))
	re := regexp.MustCompile(`(\w+)@(\w+)\.com`)
	fmt.Println(re.ReplaceAllString("bob@example.com, al@test.com", "$2 at $1"))
	// Not math.Log and math.Exp: those of amd64 are assembly and differ in the last bits.
	for _, x := range []float64{0, 1, 0.1, math.Inf(1), math.NaN(), 1e300, math.SmallestNonzeroFloat64} {
		fmt.Print(x, " ", math.Sin(x), " ", math.Cbrt(x), " ", math.Atan(x), "; ")
	}
	fmt.Println()
}
