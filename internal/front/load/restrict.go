package load

import (
	"slices"

	"github.com/gyrvm/gyr/internal/front/load/diag"
)

// restrict reports the uses of privileges of the standard library in other packages.
func (l *loader) restrict(order []*pkg) error {
	var errs diag.Errors
	for _, p := range order {
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
