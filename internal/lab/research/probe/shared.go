//go:build go1.17

package probe

import "reflect"

// A candidate may give a type other fields: an index, another representation. An argument of such a
// type has the same text in both versions if only the fields that both have are printed. If the
// parent's has others, two different values may have the same text. Then only what tests and
// benchmarks pass themselves serves, and the text has the place of the call: the same test passes
// the same values in the same order to both versions.

// A Shared says what two versions of a type have in common, which differ.
type Shared struct {
	Fields []string `json:",omitempty"`
	Other  bool     `json:",omitempty"` // they are not both structs
	Lacks  bool     `json:",omitempty"` // the parent's has more than Fields
}

func (s *Shared) has(field string) bool {
	for _, f := range s.Fields {
		if f == field {
			return true
		}
	}
	return false
}

// sharedOf is what the versions of a type have in common; nil if they do not differ.
func sharedOf(t reflect.Type) *Shared {
	if len(process.shared) == 0 || t.PkgPath() != process.home || t.Name() == "" {
		return nil
	}
	return process.shared[plainName(t)]
}

// A seed is the input of a call by a test or a benchmark.
type seed struct {
	list  []reflect.Value
	place string // of the call; empty if the package itself made it
}

// keyOf is the text by which a call is compared with the other version's. If the text does not tell
// all of the arguments, it begins with their place; ok is false without one.
func keyOf(place string, list []reflect.Value) (key string, ok bool) {
	w := &writer{deep: true, shared: true}
	w.list(list)
	if !w.lost {
		return clip(w.String()), true
	}
	return clip(place + ": " + w.String()), place != ""
}

// placed is a place with words before it, if there is one.
func placed(before, place string) string {
	if place == "" {
		return ""
	}
	return before + place
}
