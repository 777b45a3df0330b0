package api

import "fmt"

// A Position is a place in the guest's source. The zero value is none.
type Position struct {
	Func string // as runtime.FuncForPC prints it
	File string
	Line int
}

// String returns "main.f (file.go:12)", or the part of it that is known.
func (p Position) String() string {
	switch {
	case p.File == "":
		return p.Func
	case p.Func == "":
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s (%s:%d)", p.Func, p.File, p.Line)
}

// suffix is the position as the end of an error's text.
func (p Position) suffix() string {
	switch {
	case p.Func != "":
		return " in " + p.String()
	case p.File != "":
		return " at " + p.String()
	}
	return ""
}
