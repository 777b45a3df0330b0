// Package other holds types that the corpus embeds and instantiates.
package other

// Base has exported and unexported parts.
type Base struct {
	ID     int
	secret string
}

func (b Base) Get() int      { return b.ID }
func (b *Base) Set(n int)    { b.ID = n }
func (b Base) hidden() int   { return len(b.secret) }
func (b *Base) alsoHidden()  {}
func (b Base) Common() error { return nil }

// Hidden has an unexported method of this package.
type Hidden interface {
	Get() int
	hidden() int
}

// Alias is another name of Base.
type Alias = Base

// S is a struct literal with a field of this package.
type S = struct {
	x int
	Y string
}

// Sink keeps things alive.
var Sink []any = []any{Base.hidden, (*Base).alsoHidden}
