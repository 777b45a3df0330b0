package load

import (
	"maps"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
)

// restrictEarly is restrict for the packages outside the standard library. It runs before any
// package of the standard library is compiled: to refuse a program costs no more than to read it.
// A program with other errors is left to the later checks, which report them in their order.
func (l *loader) restrictEarly(main *pkg) error {
	order := ownOrder(main)
	if slices.ContainsFunc(order, func(p *pkg) bool { return p.errs != nil || p.syntax != nil }) {
		return nil
	}
	if err := l.checkMain(main); err != nil {
		return err
	}
	if err := l.restrict(order); err != nil {
		return err
	}
	l.restricted = true
	return nil
}

// ownOrder returns the packages outside the standard library among main and those that it needs, in
// the order in which sort has them.
func ownOrder(main *pkg) (order []*pkg) {
	seen := map[*pkg]bool{}
	var visit func(p *pkg)
	visit = func(p *pkg) {
		if seen[p] || p != main && p.origin.std() {
			return
		}
		seen[p] = true
		deps := slices.DeleteFunc(slices.Collect(maps.Values(p.imports)), func(q *pkg) bool { return q == nil })
		slices.SortFunc(deps, func(a, b *pkg) int { return strings.Compare(a.path, b.path) })
		for _, q := range deps {
			visit(q)
		}
		if !p.origin.std() {
			order = append(order, p)
		}
	}
	visit(main)
	return order
}

// restrict reports the uses of privileges of the standard library in other packages.
func (l *loader) restrict(order []*pkg) error {
	var errs diag.Errors
	for _, p := range order {
		if l.restricted && !p.origin.std() {
			continue
		}
		own := l.checkEmbeds(p)
		if l.Ctx.Err() != nil {
			return l.ended()
		}
		for _, f := range p.files {
			if p.origin.std() || f.generated {
				continue
			}
			own = append(append(own, l.restrictUnsafe(p, f)...), l.checkLinknames(f)...)
			for i := range f.directives {
				d := &f.directives[i]
				switch name, _ := d.Split(); name {
				case "wasmimport", "wasmexport",
					"cgo_import_dynamic", "cgo_import_static", "cgo_export_dynamic", "cgo_export_static", "cgo_ldflag",
					"cgo_dynamic_linker":
					own = append(own, &diag.Error{Pos: l.position(f, d.Pos),
						Msg: "//go:" + name + " is not allowed outside the standard library"})
				}
			}
		}
		slices.SortStableFunc(own, diag.ComparePositions)
		errs = append(errs, own...)
	}
	if errs != nil {
		return errs
	}
	return nil
}
