package gas

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// TestPrices: every operation has a price, or is marked free.
func TestPrices(t *testing.T) {
	for c := range ir.NumClasses {
		if classPrices[c] == 0 {
			t.Errorf("operations of class %v have no price", c)
		}
	}
	for o := range ir.NumOps {
		switch c := priceOf(o); {
		case c < bySize || c == 0:
			t.Errorf("%v has no price", o)
		case c == bySize && Op(&ir.Value{Op: o, Aux: 8}) <= 0:
			t.Errorf("%v has no price by its size", o)
		case ownPrices[o] != 0 && ownPrices[o] == classPrices[o.Class()]:
			t.Errorf("%v has the price of its class, and the same once more", o)
		}
	}
}

// TestHostPrices: every price class of host functions has a price, and every kind of counted work a
// weight.
func TestHostPrices(t *testing.T) {
	for c := ir.FreePrice; c < ir.NumPrimitivePrices; c++ {
		if (hostPrices[c] == 0) != (c == ir.FreePrice) {
			t.Errorf("class %d costs %d", c, hostPrices[c])
		}
	}
	for w := ir.MoveWork; w < ir.NumWorkWeights; w++ {
		if hostWeights[w] <= 0 {
			t.Errorf("kind %d of counted work has no weight", w)
		}
	}
	for i := range ir.Primitives {
		if h := &ir.Primitives[i]; Calls[h.Name] != 0 {
			t.Errorf("%s has a price in Calls, too", h.Name)
		}
	}
}

// TestCallWork: every call with counted work has a price.
func TestCallWork(t *testing.T) {
	for name := range callWork {
		if _, ok := Calls[name]; !ok {
			t.Errorf("%s has counted work and no price", name)
		}
	}
}

// PriceList is every price under a name.
func PriceList() map[string]string {
	list := map[string]string{
		"quantum": fmt.Sprint(Quantum), "pool interval": fmt.Sprint(PoolInterval), "bulk shift": fmt.Sprint(BulkShift),
		"end of a block": tenths(Branch), "argument": tenths(argument()), "call that is not listed": fmt.Sprint(DefaultCall),
	}
	for o := range ir.NumOps {
		list["operation "+o.String()] = tenths(priceOf(o))
	}
	for _, o := range []ir.Op{ir.OpMove, ir.OpClear, ir.OpNew} {
		var sizes []string
		for n := int64(8); n <= 1<<20; n += n/8&^7 + 8 {
			sizes = append(sizes, tenths(Op(&ir.Value{Op: o, Aux: n, Aux2: n})))
		}
		list["sizes of "+o.String()] = strings.Join(sizes, " ")
	}
	for name, c := range Calls {
		list["call "+name] = fmt.Sprint(c)
	}
	for i := range ir.Primitives {
		h := &ir.Primitives[i]
		list["host "+h.Name] = fmt.Sprint(hostPrices[h.Price])
		if h.Work.How != ir.NotCounted {
			w := h.Work
			list["host "+h.Name] += fmt.Sprintf(" work %d of operand %d, weight %d", w.How, w.Arg, hostWeights[w.Weight])
		}
	}
	for _, w := range weights {
		list["weight of "+w.name] = fmt.Sprint(w.weight)
	}
	return list
}

// argument is the price of an argument of a call.
func argument() int64 {
	return Op(&ir.Value{Op: ir.OpCall, Args: make([]*ir.Value, 1)}) - Op(&ir.Value{Op: ir.OpCall})
}

// weights are the weights of counted work, as the documentation calls them.
var weights = []struct {
	name   string
	weight int
}{
	{"moving, clearing, comparing, searching", MoveWeight},
	{"allocating", AllocWeight},
	{"hashing as a key, CRC-32", HashWeight},
	{"entry of a map that is cleared or made room for", EntryWeight},
	{"moving between the guest and readers and writers", IOWeight},
	{"drawing random bytes", RandomWeight},
	{"hashing by SHA-256", BlockWeight},
	{"word of math/big's vectors", WordWeight},
}

// PriceTables are the tables of docs/gas.md: all prices.
func PriceTables() string {
	var b strings.Builder
	b.WriteString("Operations by class, in units; those named cost something else than their class.\n\n" +
		"| class | price | others |\n|---|---|---|\n")
	for c := ir.Class(1); c < ir.NumClasses; c++ {
		var others []string
		for _, o := range ir.OpsOf(c) {
			if ownPrices[o] != 0 {
				others = append(others, fmt.Sprintf("%v %s", o, tenths(ownPrices[o])))
			}
		}
		fmt.Fprintf(&b, "| %v | %s | %s |\n", c, tenths(classPrices[c]), strings.Join(others, ", "))
	}
	fmt.Fprintf(&b, "| end of a block by a branch or switch | %s | |\n", tenths(Branch))
	fmt.Fprintf(&b, "\nBy size: a call costs %s more for each argument; `new` %d units for %d bytes; ", tenths(argument()), AllocWeight, 1<<BulkShift)
	b.WriteString("moving and clearing a fixed number of bytes:\n\n")
	b.WriteString("| bytes | move | clear |\n|---|---|---|\n")
	for _, n := range []int64{8, 32, 40, 64, 72, 256, 1024} {
		move, clear := Op(&ir.Value{Op: ir.OpMove, Aux: n}), Op(&ir.Value{Op: ir.OpClear, Aux: n})
		fmt.Fprintf(&b, "| %d | %s | %s |\n", n, tenths(move), tenths(clear))
	}
	const units = "; those that are not listed cost %d.\n\n| units | functions |\n|---|---|\n"
	fmt.Fprintf(&b, "\nFunctions of the runtime, in units"+units, DefaultCall)
	byPrice := map[int64][]string{}
	for name, c := range Calls {
		byPrice[c] = append(byPrice[c], name)
	}
	priceRows(&b, byPrice)
	fmt.Fprintf(&b, "\nFunctions of the host that the runtime does not call, in units"+units, DefaultCall)
	clear(byPrice)
	for i := range ir.Primitives {
		if h := &ir.Primitives[i]; h.Price != ir.CallPrice {
			byPrice[hostPrices[h.Price]] = append(byPrice[hostPrices[h.Price]], h.Name)
		}
	}
	priceRows(&b, byPrice)
	fmt.Fprintf(&b, "\nWeights of counted work: `n*weight >> %d` units for n bytes (words of vectors, entries of maps).\n\n", BulkShift)
	b.WriteString("| work | weight |\n|---|---|\n")
	for _, w := range weights {
		fmt.Fprintf(&b, "| %s | %d |\n", w.name, w.weight)
	}
	return b.String()
}

func priceRows(b *strings.Builder, byPrice map[int64][]string) {
	for _, c := range slices.Sorted(maps.Keys(byPrice)) {
		slices.Sort(byPrice[c])
		fmt.Fprintf(b, "| %d | %s |\n", c, strings.Join(byPrice[c], ", "))
	}
}

func tenths(c int64) string {
	switch c {
	case free:
		return "free"
	case bySize:
		return "by size"
	}
	return fmt.Sprintf("%d.%d", c/10, c%10)
}
