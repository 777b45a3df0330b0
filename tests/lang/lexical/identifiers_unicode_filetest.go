//go:build ignore

package main

func main() {
	αβ := 3
	_x9 := 4
	größe := αβ * _x9
	ThisVariableIsExported := größe
	println(αβ, _x9, größe, ThisVariableIsExported)
}

// Stderr:
// 3 4 12 12
