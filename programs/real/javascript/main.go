// Javascript runs a program in goja: objects, closures, strings, arrays, regular expressions, JSON.
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/dop251/goja"
)

const script = `
function Vec(x, y) { this.x = x; this.y = y; }
Vec.prototype.add = function(o) { return new Vec(this.x + o.x, this.y + o.y); };
function hash(s) {
	var h = 0;
	for (var i = 0; i < s.length; i++) { h = (h * 31 + s.charCodeAt(i)) | 0; }
	return h;
}
function round(r) {
	var v = new Vec(0, r), one = new Vec(1, 2), total = 0;
	for (var i = 0; i < 300; i++) { v = v.add(one); }
	var list = [];
	for (var i = 0; i < 200; i++) { list.push({id: (i * 7919 + r) % 211, name: "item" + i}); }
	list.sort(function(a, b) { return a.id - b.id || (a.name < b.name ? -1 : 1); });
	var text = JSON.stringify(list.filter(function(e) { return e.id % 3 == 0; }));
	total += hash(text) + JSON.parse(text).length + v.x + v.y;
	var seen = {};
	"the cat sat on the mat and the dog sat on the log".split(/\s+/).forEach(function(w) { seen[w] = (seen[w] || 0) + 1; });
	for (var k in seen) { total += seen[k] * k.length; }
	total += "a1b22c333".replace(/[0-9]+/g, function(m) { return "<" + m + ">"; }).length;
	return total;
}
function run(n) { var sum = 0; for (var r = 0; r < n; r++) { sum = (sum + round(r)) % 1000000007; } return sum; }
`

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	vm := goja.New()
	if _, err := vm.RunString(script); err != nil {
		panic(err)
	}
	v, err := vm.RunString(fmt.Sprintf("run(%d)", n))
	if err != nil {
		panic(err)
	}
	fmt.Println(v)
}
