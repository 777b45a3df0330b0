package bench

// A revision maps packages of the working tree to those of another tree of the same repository.
type revision struct {
	moved func(file string) string
	read  func(p *pkg) error
	pkgs  map[*pkg]*pkg
}

// of is the package in the revision. A nil revision changes nothing.
func (r *revision) of(p *pkg) (*pkg, error) {
	if r == nil {
		return p, nil
	}
	if q := r.pkgs[p]; q != nil {
		return q, nil
	}
	q := &pkg{Path: p.Path, Dir: r.moved(p.Dir)}
	if err := r.read(q); err != nil {
		return nil, err
	}
	r.pkgs[p] = q
	return q, nil
}
