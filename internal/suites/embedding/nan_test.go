package embedding_test

import (
	"encoding/binary"
	"math"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/state"
)

// nans keeps what it gets and what it computes from that, in memory that a state has.
const nans = `package lib

import "math"

type Sample struct {
	Name  string
	X     float64
	Parts [2]float32
	C     complex64
}

var kept struct {
	list, sums []float64
	narrow     []float32
	wide       []complex128
	samples    []Sample
	x          float64
	m          map[string]float64
	results    [16]float64
	fields     [8]float32
}

func Keep(x float64, list []float64, narrow []float32, wide []complex128, samples []Sample, m map[string]float64) uint64 {
	kept.x, kept.list, kept.narrow, kept.wide, kept.samples, kept.m = x, list, narrow, wide, samples, m
	add(list)
	for i, y := range narrow {
		kept.fields[i%8] += y - kept.fields[(i+1)%8]
	}
	for i, c := range wide {
		kept.results[i%16] += real(c) * imag(c)
	}
	return math.Float64bits(x)
}

func Lend(list []float64) { add(list) }

func add(list []float64) {
	for i, y := range list {
		kept.results[i%16] = y + kept.results[(i+5)%16]
		kept.results[(i+1)%16] = kept.results[(i+3)%16] - y
		kept.results[(i+2)%16] = -y
		kept.sums = append(kept.sums, math.Abs(y), math.Copysign(y, -1), y*float64(float32(y)), kept.x/y)
	}
}

// Compute makes NaNs in all ways.
func Compute(zero float64, bits uint64) {
	list := []float64{zero / zero, -(zero / zero), math.Sqrt(zero - 1), math.Inf(1) - math.Inf(1), zero * math.Inf(-1), math.NaN(),
		-math.NaN(), math.Float64frombits(bits), math.Abs(math.Float64frombits(bits)), math.FMA(math.Inf(1), zero, 1),
		float64(math.Float32frombits(uint32(bits >> 32))), math.Mod(zero, zero), math.Log(zero - 1), math.Max(zero, math.NaN())}
	kept.list = list
	add(list)
	for _, y := range list {
		kept.narrow = append(kept.narrow, float32(y), -float32(y))
	}
}
`

// TestNaNs: NaNs of the host with any bits, and NaNs of all kinds that the guest makes, leave the same
// state in each tier, and the state that math.NaN() leaves.
func TestNaNs(t *testing.T) {
	p, err := gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte(nans)}}, Exports: true}, &gyr.CompileOptions{State: true})
	if err != nil {
		t.Fatal(err)
	}
	type sample struct {
		Name  string
		X     float64
		Parts [2]float32
		C     complex64
	}
	var list []float64
	var roots []state.Hash
	for _, x := range []struct {
		tier gyr.Tier
		odd  bool
	}{{gyr.TierInterp, true}, {gyr.TierAuto, true}, {gyr.TierAuto, false}} {
		odd := func(bits uint64) float64 {
			if !x.odd {
				return math.NaN()
			}
			return math.Float64frombits(bits)
		}
		narrow := func(bits uint32) float32 {
			if !x.odd {
				return float32(math.NaN())
			}
			return math.Float32frombits(bits)
		}
		list = []float64{1, odd(0x7ff8000000000123), odd(0xfff8000000000777), math.NaN(), odd(0x7ff0000000000001), 2, odd(0xffffffffffffffff)}
		floats := []float32{1, narrow(0x7fc01234), narrow(0xffc00001), narrow(0x7f800001), narrow(0xffffffff)}
		wide := []complex128{complex(list[1], 2), complex(3, list[2]), complex(list[4], list[6])}
		samples := []sample{{"a", list[1], [2]float32{floats[1], 4}, complex(floats[2], floats[3])}, {"b", 5, [2]float32{}, 6}}
		in, err := p.NewInstance(t.Context(), gyr.Config{Tier: x.tier})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		bits := callLender(t, in, "Keep", list[1], list, floats, wide, samples, map[string]float64{"k": list[2]})
		if bits != uint64(0x7ff8000000000001) {
			t.Errorf("%s: the guest sees the bits %x of a NaN of the host", in.Tier(), bits)
		}
		for _, x := range list {
			callLender(t, in, "Compute", 0.0, math.Float64bits(x))
		}
		s, err := in.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, s.Root)
	}
	in, err := p.NewInstance(t.Context(), gyr.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	list = []float64{1, math.Float64frombits(0x7ff8000000000123), math.NaN(), math.Float64frombits(0xffffffffffffffff)}
	b := newBuffer(t, in, 8*len(list)) // no state has a lent buffer
	for i, x := range list {
		binary.LittleEndian.PutUint64(b.Bytes()[8*i:], math.Float64bits(x))
	}
	callLender(t, in, "Lend", b)
	for i, x := range list {
		if got := binary.LittleEndian.Uint64(b.Bytes()[8*i:]); x != x && got != ir.MemoryNaN64 || x == x && got != math.Float64bits(x) {
			t.Errorf("%x in a lent buffer became %x", math.Float64bits(x), got)
		}
	}
	if roots[0] != roots[1] {
		t.Error("the states of the tiers differ")
	}
	if roots[1] != roots[2] {
		t.Error("the bits of the host's NaNs are in the state")
	}
}
