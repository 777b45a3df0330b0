package opt

import "github.com/gyrvm/gyr/internal/ir"

// PhaseA optimises a whole module as far as allocations depend on it.
func PhaseA(m *ir.Module, cfg *Config) error {
	if cfg == nil {
		cfg = &Config{}
	}
	for _, f := range m.Funcs[1:] {
		if f.Entry == nil {
			continue
		}
		s := newState(f, cfg)
		s.dropUnreachable()
		if cfg.Dump != nil {
			cfg.Dump("phasea", f)
		}
		if err := s.clean(); err != nil {
			return err
		}
	}
	return nil
}

// clean runs the cleanup passes until no local can be replaced any more: a
// local whose address was kept in another becomes one only after that is gone.
func (s *state) clean() error {
	for round := 0; round < 3; round++ {
		n := len(s.f.Locals)
		if err := s.run(cleanup, "phasea"); err != nil {
			return err
		}
		if len(s.f.Locals) == n || len(s.f.Locals) == 0 {
			break
		}
	}
	return nil
}
