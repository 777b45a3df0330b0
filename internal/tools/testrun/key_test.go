package testrun

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
)

// unremembered are the fields of a Config that are not in the name of a remembered result, and why.
var unremembered = map[string]string{
	"Config.Name": "the runner's", "Config.Args": "the runner's: Options.Flags and Args are in the name",
	"Config.Stdin": "the runner's", "Config.Stdout": "the runner's", "Config.Stderr": "the runner's",
	"Setup.Setup.Seen":    "the runner's",
	"Config.Mounts[0].FS": "results of tests with mounts are not kept",
	"Setup.Context":       "ends a run without a result", "Setup.Stop": "ends a run without a result",
	"Setup.Types": "of the program, which the name says", "Setup.Accounts": "the runner's", "Setup.Fuzz": "results of fuzzing are not kept", "Setup.Observer": "gyr test has none",
	"Config.Programs": "with some there is no name", "Setup.Setup.World": "of children", "Setup.Child": "of children", "Setup.Starter": "the engine sets it",
	"Config.Log": "gyr test has none", "Config.Dial": "gyr test has none", "Config.Listen": "gyr test has none",
	"Config.Hooks": "gyr test has none", "Config.Labels": "gyr test has none",
	"Config.Debug": "in Debug, which hides it",
}

// TestNameOfResults: every field of a Config changes the name of the remembered result, or is
// listed as irrelevant.
func TestNameOfResults(t *testing.T) {
	name := func(c engine.Config) string {
		j := &job{o: &Options{Config: c}}
		n, err := j.name(&engine.Source{})
		if err != nil {
			t.Skip(err)
		}
		return fmt.Sprintf("%x", n)
	}
	seen := map[string]bool{}
	var walk func(path string, v reflect.Value, c *engine.Config)
	walk = func(path string, v reflect.Value, c *engine.Config) {
		if v.Kind() == reflect.Struct && unremembered[path] == "" {
			for i := range v.NumField() {
				p := v.Type().Field(i).Name
				if path != "" {
					p = path + "." + p
				}
				walk(p, v.Field(i), c)
			}
			return
		}
		switch {
		case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			defer v.SetZero()
			walk(path+"[0]", v.Index(0), c)
			return
		case v.Kind() == reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		case v.Kind() == reflect.Bool:
			v.SetBool(true)
		case v.Kind() == reflect.String:
			v.SetString("x")
		case v.CanInt():
			v.SetInt(1)
		case v.CanUint():
			v.SetUint(1)
		default:
			if unremembered[path] == "" {
				t.Errorf("%s: no value of type %s, and nobody says why it does not matter", path, v.Type())
			}
			seen[path] = true
			return
		}
		changed := name(*c)
		v.SetZero()
		base := name(*c)
		if reason := unremembered[path]; (changed == base) != (reason != "") {
			t.Errorf("%s: in the name %v, reason %q", path, changed != base, reason)
		}
		seen[path] = true
	}
	var c engine.Config
	walk("", reflect.ValueOf(&c).Elem(), &c)
	for path := range unremembered {
		if !seen[path] {
			t.Errorf("%s is no field", path)
		}
	}
}
