//go:build race

package instances

const raceEnabled = true
