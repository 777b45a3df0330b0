package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/gcproof"
	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
)

// prove proves what the compilers of the working tree's engines left of the loops of a package. An
// error of a proof is none of the run: figures do not need proofs.
func (r *runner) prove(ctx context.Context, p *pkg) error {
	if r.NoProof {
		return nil
	}
	for _, e := range r.engines {
		if r.broken[[2]string{p.Path, e.Label()}] != "" {
			continue
		}
		var list []proved
		var err error
		switch e := e.(type) {
		case *gyrEngine:
			if e.tier != "native" || e.rev != nil || len(p.sources.measured) == 0 {
				continue
			}
			r.progress("proving what gyr's compiler left of " + p.Path)
			list, err = e.prove(ctx, p)
		case *goEngine:
			if e.rev != nil {
				continue
			}
			r.progress("proving what gc left of " + p.Path)
			list, err = r.proveGo(ctx, e, p)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.say("%s in %s: what the compiler left of its benchmarks is not known: %v", p.Path, e.Label(), err)
		}
		if err := r.proofs(p, e.Label(), list); err != nil {
			return err
		}
	}
	return nil
}

// prove lets a worker prove what gyr's compiler left.
func (e *gyrEngine) prove(ctx context.Context, p *pkg) ([]proved, error) {
	s, err := e.start(ctx, p, opening{Prove: true})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	rep, err := s.Run(ctx, &order{Prove: p.sources.measured})
	if err == nil && rep.Failed != "" {
		err = errors.New(rep.Failed)
	}
	if err != nil {
		return nil, err
	}
	return rep.Proofs, nil
}

// proveGo compares the test binary with one that has empty twins of the measured loops.
func (r *runner) proveGo(ctx context.Context, e *goEngine, p *pkg) (list []proved, err error) {
	// The loops of declared functions are in generated files.
	generated := extraFiles(nil, p.Dir, p.native.Files)
	of := gcproof.Read(slices.Concat(p.sources.names, slices.Sorted(maps.Keys(generated))), generated)
	if len(of.Files) == 0 { // no loop has a twin, and each says why
		return gcProofs(of, nil, nil), nil
	}
	twins, err := r.with(p, of.Files)
	if err != nil {
		return nil, err
	}
	if err := e.Build(ctx, twins); err != nil {
		return nil, fmt.Errorf("the empty twins of its loops do not compile: %.300s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	var binaries [2]*sample.Binary
	for i, x := range []*pkg{p, twins} {
		if binaries[i], err = sample.OpenBinary(e.bins[x].name); err != nil {
			return nil, err
		}
		defer binaries[i].Close()
	}
	return gcProofs(of, binaries[0], binaries[1]), e.remove(twins)
}

func gcProofs(of *gcproof.Package, measured, twins *sample.Binary) (list []proved) {
	for _, x := range of.Of(measured, twins) {
		list = append(list, proved{x.Func, x.Sub, x.Proof})
	}
	return list
}

// with is a package with other contents of some files.
func (r *runner) with(p *pkg, files map[string][]byte) (*pkg, error) {
	q := &pkg{Path: p.Path, Dir: p.Dir, sources: p.sources, gyr: p.gyr.clone(), native: p.native.clone()}
	for name, src := range files {
		for _, x := range []*extras{&q.gyr, &q.native} {
			if err := x.add(r.Files, filepath.Base(name), src); err != nil {
				return nil, err
			}
		}
	}
	return q, nil
}

// proofs writes the proofs of a package in an engine, and their diagnoses.
func (r *runner) proofs(p *pkg, engine string, list []proved) error {
	for _, x := range list {
		for _, b := range r.Log.Record().Benches {
			if b.Package != p.Path || !x.of(b) {
				continue
			}
			pr := x.Proof
			if b.Declared {
				pr.Place = fmt.Sprintf("%s:%d", b.File, b.Line) // the loop itself is in a generated file
			}
			pr.Cell = record.Cell{Bench: b.Key, Engine: engine}
			if old := proofOf(r.Log.Record(), pr.Cell); old != nil && old.Unknown == "" {
				continue // the first of several forms of a loop counts
			}
			if err := r.Log.Write(&pr); err != nil {
				return err
			}
			for _, d := range proof.Diagnose(&pr) {
				err := r.Log.Write(&record.Static{Bench: b.Key, Engine: engine, Code: d.Code, Severity: string(d.Severity),
					Place: pr.Place, Text: d.Cause + " (" + d.Evidence + ")", Cure: d.Cure})
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func proofOf(rec *record.Record, at record.Cell) *record.Proof {
	if i := slices.IndexFunc(rec.Proofs, func(p *record.Proof) bool { return p.Cell == at }); i >= 0 {
		return rec.Proofs[i]
	}
	return nil
}

// A proved is a proof as a worker returns it.
type proved struct {
	Func  string       `json:"func"`
	Sub   string       `json:"sub"`
	Proof record.Proof `json:"proof"`
}

// of reports whether a proof is about a benchmark.
func (x *proved) of(b *record.Bench) bool {
	top, sub, _ := strings.Cut(b.Name, "/")
	if x.Func != "Benchmark"+top {
		return false
	}
	want, have := strings.Split(x.Sub, "/"), strings.Split(sub, "/")
	if x.Sub == "*" {
		return true
	}
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if want[i] != "*" && want[i] != have[i] {
			return false
		}
	}
	return true
}
