package big

// gyrAddMulVVW is what programs find under addMulVVW (internal/front/load/pulls.go), a function that this package only has
// beside those in assembly.
func gyrAddMulVVW(z, x []Word, y Word) (c Word) { return addMulVVWW(z, z, x, y, 0) }
