package main

import (
	"flag"
	"reflect"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
)

// TestSandboxFlagsArrive gives each flag of the sandbox a value in turn, and checks that the engine
// gets it.
func TestSandboxFlagsArrive(t *testing.T) {
	config := func(name, value string) engine.Config {
		var s sandboxFlags
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		s.register(fs, "run", "the program", "the program", "256M")
		if name != "" {
			if err := fs.Set(name, value); err != nil {
				t.Errorf("-%s=%s: %v: name a value above", name, value, err)
			}
		}
		c, err := s.config(&engine.Debug{})
		if err != nil {
			t.Errorf("-%s=%s: %v: name a value above", name, value, err)
		}
		return c
	}
	// Values of flags that are not numbers.
	values := map[string]string{"env": "A=b", "dir": ".", "tier": "interp"}
	var s sandboxFlags
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	s.register(fs, "run", "the program", "the program", "256M")
	fs.VisitAll(func(f *flag.Flag) {
		if f.Name == "exec" {
			return // images are compiled later: startable
		}
		value := values[f.Name]
		if value == "" {
			value = "1"
		}
		if reflect.DeepEqual(config(f.Name, value), config("", "")) {
			t.Errorf("-%s does not reach the engine: see sandboxFlags.config", f.Name)
		}
	})
}
