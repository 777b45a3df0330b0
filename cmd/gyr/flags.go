package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/rt"
)

// Types of flags that more than one command may have.

// debugSettings are the settings of -d with the check of their value.
var debugSettings = map[string]func(value string) error{
	"gcstress": func(v string) error {
		if n, err := strconv.Atoi(v); v != "" && (err != nil || n <= 0) {
			return fmt.Errorf("gcstress=%s: want the number of allocations between collections", v)
		}
		return nil
	},
	"poison":  noValue("poison"),
	"opstats": noValue("opstats"),
	"verify":  noValue("verify"),
	"nobase":  noValue("nobase"),
	"nogas":   noValue("nogas"),
	"perfmap": noValue("perfmap"),
	"jitdump": noValue("jitdump"),
	"gdbjit":  noValue("gdbjit"),
	"irlines": noValue("irlines"),
	"nopass": func(v string) error {
		names, groups := gyr.Passes()
		for _, name := range strings.Split(v, ":") {
			if !slices.Contains(names, name) && !slices.Contains(groups, name) {
				return fmt.Errorf("nopass: no pass %q; the passes are %s, the groups %s", name, strings.Join(names, ", "), strings.Join(groups, ", "))
			}
		}
		return nil
	},
}

func noValue(name string) func(string) error {
	return func(v string) error {
		if v != "" {
			return fmt.Errorf("%s=%s: %s takes no value", name, v, name)
		}
		return nil
	}
}

// A debugFlag collects -d=name[=value],... settings. Names of passes may be
// separated by commas too: after nopass, what is no setting is a pass.
type debugFlag map[string]string

func (d debugFlag) String() string { return "" }

func (d debugFlag) Set(s string) error {
	last := ""
	for _, part := range strings.Split(s, ",") {
		name, value, has := strings.Cut(part, "=")
		check, known := debugSettings[name]
		switch {
		case known:
			if err := check(value); err != nil {
				return err
			}
			if name == "nopass" && d[name] != "" {
				value = d[name] + ":" + value
			}
			d[name] = value
			last = name
		case !has && last == "nopass":
			if err := debugSettings[last](name); err != nil {
				return err
			}
			d[last] += ":" + name
		default:
			return fmt.Errorf("no debug setting %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(debugSettings)), ", "))
		}
	}
	return nil
}

// A sizeFlag is a number of bytes with an optional unit.
type sizeFlag uint64

func (s *sizeFlag) String() string { return strconv.FormatUint(uint64(*s), 10) }

func (s *sizeFlag) Set(text string) error {
	n, err := rt.ParseSize(text)
	*s = sizeFlag(n)
	return err
}

// listFlag collects the values of a flag that may be given more than once.
type listFlag []string

func (l *listFlag) String() string { return strings.Join(*l, ",") }

func (l *listFlag) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// statsFlag is -stats, -stats=json, or -stats=brief: as json, without what takes time to
// count.
type statsFlag string

func (s *statsFlag) String() string   { return string(*s) }
func (s *statsFlag) IsBoolFlag() bool { return true }

func (s *statsFlag) Set(v string) error {
	switch v {
	case "true":
		*s = "text"
	case "false":
		*s = ""
	case "json", "text", "brief":
		*s = statsFlag(v)
	default:
		return fmt.Errorf("-stats is text, json or brief")
	}
	return nil
}
