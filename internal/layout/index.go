package layout

import "go/types"

// MethodIndex returns the place of method m in the method tables (Fun) of the
// itabs of interface type it, or -1.
func (b *Builder) MethodIndex(it *types.Interface, m *types.Func) int {
	for i, x := range interfaceMethods(it) {
		if x == m || x.Id() == m.Id() {
			return i
		}
	}
	return -1
}
