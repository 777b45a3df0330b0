package engine

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// TestDebugSettings: each setting sets a field of its own, values are checked, and settings that a
// Config must not have are refused.
func TestDebugSettings(t *testing.T) {
	values := map[string]string{"gcstress": "12", "nopass": "dce"}
	fields := map[string]string{}
	set := map[string]bool{}
	for i := range debugSettings {
		s := &debugSettings[i]
		if (s.flag == nil) == (s.parse == nil) || s.form != "" && s.parse == nil {
			t.Errorf("%s is neither a flag nor a value", s.name)
		}
		var d Debug
		if err := s.apply(&d, values[s.name]); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if reflect.DeepEqual(d, Debug{}) {
			t.Errorf("%s sets nothing", s.name)
		}
		for _, v := range []reflect.Value{reflect.ValueOf(d), reflect.ValueOf(d.Debug)} {
			for j := range v.NumField() {
				if !v.Field(j).IsZero() {
					set[v.Type().Field(j).Name] = true
				}
			}
		}
		list := strings.Join(d.NoPass, ":")
		d.NoPass = nil
		if list == "" {
			if other := fields[fmt.Sprint(d)]; other != "" {
				t.Errorf("%s sets what %s does", s.name, other)
			}
			fields[fmt.Sprint(d)] = s.name
		}
		_, err := DebugOf(map[string]string{s.name: values[s.name]})
		if refused := err != nil; refused != (s.of == ofCompiling) {
			t.Errorf("%s of a Config: %v", s.name, err)
		}
		if head := "\n" + s.name + s.form + " "; strings.Contains("\n"+DebugHelp(), head) != (s.help != "") {
			t.Errorf("%s: help %q", s.name, DebugHelp())
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Debug](), reflect.TypeFor[rt.Debug]()} {
		for i := range typ.NumField() {
			if name := typ.Field(i).Name; !set[name] {
				t.Errorf("no setting sets %s of %s", name, typ)
			}
		}
	}
	for text, want := range map[string]string{
		"gcstress,poison,nopass=dce,gvn:prove": "", "opstats,nopass=all,verify": "",
		"nosuch": `no debug setting "nosuch"; there are gcstress, gdbjit,`, "count": "no debug setting", "poison=1": "poison takes no value",
		"gcstress=-1": "gcstress=-1: want the number of allocations", "nopass": `no pass ""`, "poison,dce": `no debug setting "dce"`,
	} {
		var d Debug
		if err := d.Set(text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := DebugOf(map[string]string{"gcstress": "0"}); !errors.As(err, new(*api.ConfigError)) {
		t.Errorf("gcstress=0: %v", err)
	}
}
