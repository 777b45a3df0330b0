//go:build !race

package rt

const raced = false
