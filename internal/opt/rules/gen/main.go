// Command gen writes the matcher of the optimiser's rules: go generate in internal/opt runs it.
package main

import (
	"fmt"
	"os"

	"github.com/gyrvm/gyr/internal/opt/rules"
)

func main() {
	if err := generate("rules_generated.go"); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate(file string) error {
	list, err := rules.All()
	if err != nil {
		return err
	}
	text, err := rules.Go(list)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}
