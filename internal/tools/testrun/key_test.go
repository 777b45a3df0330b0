package testrun

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
)

// unremembered are the fields of a Config that are not in the name of a remembered result, with the reason.
var unremembered = map[string]string{
	"Config.Config.Name": "the runner's", "Config.Config.Args": "the runner's: Options.Flags and Args are in the name",
	"Config.Config.Stdin": "the runner's", "Config.Config.Stdout": "the runner's", "Config.Config.Stderr": "the runner's",
	"Config.Config.Seen":         "the runner's",
	"Config.Config.Mounts[0].FS": "results of tests with mounts are not kept",
	"Config.Context":             "ends a run without a result", "Config.Stop": "ends a run without a result",
	"Config.Types": "of the program, which the name says", "Config.Accounts": "the runner's", "Config.Fuzz": "results of fuzzing are not kept", "Config.Observer": "gyr test has none",
	"Config.Log": "gyr test has none", "Config.Dial": "gyr test has none", "Config.Listen": "gyr test has none",
	"Config.Debug.GCStress": "in Debug, which hides it", "Config.Debug.Poison": "in Debug, which hides it",
}

// TestNameOfResults: every field of a Config decides under which name the result of a test is remembered, or is
// said not to matter.
func TestNameOfResults(t *testing.T) {
	name := func(c engine.Config) string {
		j := &job{runner: &runner{o: &Options{Config: c}}}
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
