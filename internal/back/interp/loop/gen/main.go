// Command gen writes the interpreter's run loop: go generate in internal/back/interp runs it.
package main

import (
	"fmt"
	"os"

	"github.com/gyrvm/gyr/internal/back/interp/loop"
)

func main() {
	text, err := loop.Go()
	if err == nil {
		err = os.WriteFile("run_generated.go", text, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}
