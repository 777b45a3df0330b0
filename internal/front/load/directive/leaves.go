package directive

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/target"
)

// Layouts of types and signatures, as texts that are equal if and only if the layouts are. Two
// declarations of one symbol need not agree in names and types, but they must agree in the values
// that are passed and stored.

// Leaves spells the layout of a type: the numbers and pointers that it consists of, "p" for a
// pointer, their size for integers. A struct has the leaves of its fields, an array of length one
// those of its element.
func Leaves(t types.Type) []string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicLeaves(u)
	case *types.Slice:
		return []string{"p", "8", "8"}
	case *types.Interface:
		return []string{"p", "p"}
	case *types.Array:
		elem := Leaves(u.Elem())
		switch {
		case u.Len() == 0 || len(elem) == 0:
			return nil
		case u.Len() == 1:
			return elem
		}
		return []string{fmt.Sprintf("[%d](%s)", u.Len(), strings.Join(elem, " "))}
	case *types.Struct:
		var list []string
		for f := range u.Fields() {
			list = append(list, Leaves(f.Type())...)
		}
		return list
	}
	return []string{"p"} // a pointer, map, channel, function
}

func basicLeaves(b *types.Basic) []string {
	size := target.Sizes.Sizeof(b)
	switch info := b.Info(); {
	case b.Kind() == types.UnsafePointer:
		return []string{"p"}
	case info&types.IsString != 0:
		return []string{"p", "8"}
	case info&types.IsComplex != 0:
		half := fmt.Sprintf("f%d", size/2)
		return []string{half, half}
	case info&types.IsFloat != 0:
		return []string{fmt.Sprintf("f%d", size)}
	}
	return []string{fmt.Sprint(size)}
}

// mostScalars is the largest number of leaves of a parameter that is passed by value. Larger ones
// are passed by address.
const mostScalars = 4

// FuncLeaves spells the layout of a function's parameters, a receiver first, and results.
func FuncLeaves(sig *types.Signature) string {
	var params []string
	if r := sig.Recv(); r != nil {
		params = append(params, passed(r.Type())...)
	}
	return strings.Join(append(params, tupleLeaves(sig.Params())...), " ") + " -> " +
		strings.Join(tupleLeaves(sig.Results()), " ")
}

func tupleLeaves(t *types.Tuple) (list []string) {
	for v := range t.Variables() {
		list = append(list, passed(v.Type())...)
	}
	return list
}

// passed spells how a value is passed.
func passed(t types.Type) []string {
	list := Leaves(t)
	if all := strings.Join(list, " "); len(list) > mostScalars || strings.Contains(all, "[") {
		return []string{"{" + all + "}"}
	}
	return list
}
