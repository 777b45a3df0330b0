package randgo

// Results of testing a program for the reducer.
const (
	Invalid = iota // it does not compile
	Good           // it does not show the failure
	Bad            // it shows the failure
)

// Reduce makes a program smaller while it stays bad. It drops declarations, statements and
// branches, replaces statements by their bodies, and expressions by smaller ones. Much of what it
// tries is invalid. It stops after so many valid tries, and returns p, changed.
func Reduce(p *Program, tries int, test func(*Program) int) *Program {
	r := &reducer{p: p, tries: tries, test: test}
	for again := true; again && r.tries > 0; {
		again = r.list(&p.decls)
		r.nodes(p.decls, func(n *node) {
			for i := range n.parts {
				again = r.list(&n.parts[i].body) || again
			}
		})
		r.bodies(&p.decls, func(list *[]*node) { again = r.unwrap(list) || again })
		r.nodes(p.decls, func(n *node) { again = r.dropParts(n) || again })
		r.nodes(p.decls, func(n *node) {
			for i := range n.parts {
				again = r.text(n.parts[i].head) || again
			}
		})
	}
	return p
}

type reducer struct {
	p     *Program
	tries int
	test  func(*Program) int
}

// holds reports whether the current program is still bad.
func (r *reducer) holds() bool {
	if r.tries <= 0 {
		return false
	}
	is := r.test(r.p)
	if is != Invalid {
		r.tries--
	}
	return is == Bad
}

func (r *reducer) nodes(list []*node, f func(*node)) {
	for _, n := range list {
		f(n)
		for _, p := range n.parts {
			r.nodes(p.body, f)
		}
	}
}

func (r *reducer) bodies(list *[]*node, f func(*[]*node)) {
	f(list)
	for _, n := range *list {
		for i := range n.parts {
			r.bodies(&n.parts[i].body, f)
		}
	}
}

// list drops runs of nodes, long ones first, from the end.
func (r *reducer) list(list *[]*node) (done bool) {
	for size := len(*list); size > 0; size /= 2 {
		for end := len(*list); end > 0; end -= size {
			old := *list
			start := max(end-size, 0)
			if end > len(old) {
				continue
			}
			keep := false
			for _, n := range old[start:end] {
				keep = keep || n.keep
			}
			if keep && size > 1 {
				continue
			}
			*list = append(append([]*node(nil), old[:start]...), old[end:]...)
			if r.holds() {
				done = true
			} else {
				*list = old
			}
		}
	}
	return done
}

// unwrap replaces a node by the statements under it.
func (r *reducer) unwrap(list *[]*node) (done bool) {
	for i := 0; i < len(*list); i++ {
		old := *list
		var inner []*node
		for _, p := range old[i].parts {
			inner = append(inner, p.body...)
		}
		if len(inner) == 0 {
			continue
		}
		*list = append(append(append([]*node(nil), old[:i]...), inner...), old[i+1:]...)
		if r.holds() {
			done = true
		} else {
			*list = old
		}
	}
	return done
}

func (r *reducer) dropParts(n *node) (done bool) {
	for i := len(n.parts) - 1; i > 0; i-- {
		old := n.parts
		n.parts = append(append([]part(nil), old[:i]...), old[i+1:]...)
		if r.holds() {
			done = true
		} else {
			n.parts = old
		}
	}
	return done
}

// text makes the expressions of a text smaller.
func (r *reducer) text(t text) (done bool) {
	for _, p := range t {
		switch p := p.(type) {
		case text:
			done = r.text(p) || done
		case *expr:
			done = r.expr(p) || done
		}
	}
	return done
}

func (r *reducer) expr(e *expr) (done bool) {
	if len(e.parts) == 1 {
		if _, ok := e.parts[0].(string); ok {
			return false
		}
	}
	try := func(parts text) bool {
		old := e.parts
		e.parts = parts
		if r.holds() {
			return true
		}
		e.parts = old
		return false
	}
	if s := plainLiteral(e.typ); s != "" && try(text{s}) {
		return true
	}
	for _, p := range e.parts {
		if k, ok := p.(*expr); ok && k.typ.is(e.typ) && try(text{k}) {
			r.text(e.parts)
			return true
		}
	}
	return r.text(e.parts)
}

// plainLiteral is a small literal of a type, as opaque as a variable, or "".
func plainLiteral(t *typ) string {
	switch {
	case t.isInt():
		return "opaque(" + t.name + "(3))"
	case t.isFloat():
		return "opaque(" + t.name + "(1.5))"
	case t.kind == kString:
		return "opaque(" + t.name + `("abc"))`
	case t.kind == kBool:
		return "opaque(" + t.name + "(true))"
	case t.kind == kArray || t.kind == kStruct || t.kind == kSlice:
		return t.name + "{}"
	}
	return ""
}
