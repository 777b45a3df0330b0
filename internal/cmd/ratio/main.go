// Command ratio measures gyr against native Go: see package
// github.com/gyrvm/gyr/internal/lab/ratio, and docs/performance.md for what the columns mean.
package main

import (
	"os"

	"github.com/gyrvm/gyr/internal/lab/ratio"
)

func main() { os.Exit(ratio.Main(os.Args[1:])) }
