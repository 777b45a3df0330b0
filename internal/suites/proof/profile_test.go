package proof

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// exactProfiles are the profiles whose bytes are the same on every run.
const (
	exactProfiles = gyr.GasProfile | gyr.MemProfile
	allProfiles   = exactProfiles | gyr.CPUProfile
)

// profiled runs a guest with profiles and returns the exact ones.
func (g guest) profiled(p *gyr.Program, kinds gyr.Profile, debug map[string]string) (r result, gas, mem []byte, err error) {
	r, err = g.runWith(p, gyr.Config{Profiles: kinds, Debug: debug}, func(in *gyr.Instance) error {
		for _, w := range []struct {
			kind gyr.Profile
			to   *[]byte
		}{{gyr.GasProfile, &gas}, {gyr.MemProfile, &mem}} {
			if kinds&w.kind == 0 {
				continue
			}
			var b bytes.Buffer
			if err := in.WriteProfile(w.kind, &b); err != nil {
				return err
			}
			*w.to = b.Bytes()
		}
		return nil
	})
	return r, gas, mem, err
}

// sums parses a profile and adds up its values.
func sums(data []byte) ([]int64, error) {
	p, err := profile.ParseData(data)
	if err != nil {
		return nil, err
	}
	if err := p.CheckValid(); err != nil {
		return nil, err
	}
	sum := make([]int64, len(p.SampleType))
	for _, s := range p.Sample {
		for i, v := range s.Value {
			if v < 0 {
				return nil, fmt.Errorf("a sample of %d", v)
			}
			sum[i] += v
		}
	}
	return sum, nil
}

// TestProfiles: recording a profile does not change what a guest does. The recorded values add up
// to the figures of the run, and are the same every time. The passes of phase B do not show, with
// one exception: with one pass, the comparisons of a switch count at the case that was taken.
func TestProfiles(t *testing.T) {
	daily.Turn(t, 3, false)
	want := reference(t)
	p, noSwitch, noB := plainSuite(t), compileSuite(t, "switch"), compileSuite(t, "phaseb")
	var exact, all, time, other []result
	for i, g := range suite(t) {
		must := func(r result, gas, mem []byte, err error) (result, []byte, []byte) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			return r, gas, mem
		}
		r, gas, mem := must(g.profiled(p, exactProfiles, nil))
		exact = append(exact, r)
		sum, err := sums(gas)
		if err != nil {
			t.Fatalf("%s: gas: %v", g, err)
		}
		if sum[0] != want[i].Stats.Gas {
			t.Errorf("%s: the profile has %d gas, the run %d", g, sum[0], want[i].Stats.Gas)
		}
		if sum, err = sums(mem); err != nil {
			t.Fatalf("%s: memory: %v", g, err)
		}
		if s := want[i].Stats; sum[0] != int64(s.Mallocs) || sum[1] != int64(s.AllocBytes) {
			t.Errorf("%s: the profile has %d objects and %d bytes, the run %d and %d", g, sum[0], sum[1], s.Mallocs, s.AllocBytes)
		}
		if sum[2] > sum[0] || sum[3] > sum[1] {
			t.Errorf("%s: more in use than allocated: %v", g, sum)
		}
		r, _, _ = must(g.profiled(p, gyr.CPUProfile, nil))
		time = append(time, r)

		// The rest takes long: a third of the guests is enough.
		if i%3 != 0 && !*full {
			all, other = append(all, want[i]), append(other, want[i])
			continue
		}
		r, gas2, mem2 := must(g.profiled(p, allProfiles, map[string]string{"opstats": ""}))
		all = append(all, r)
		if !bytes.Equal(gas2, gas) || !bytes.Equal(mem2, mem) {
			t.Errorf("%s: another run has other profiles", g)
		}
		_, gas, mem = must(g.profiled(noSwitch, exactProfiles, nil))
		r, gas2, mem2 = must(g.profiled(noB, exactProfiles, nil))
		other = append(other, r)
		if !bytes.Equal(gas2, gas) || !bytes.Equal(mem2, mem) {
			t.Errorf("%s: without phase B the profiles are others", g)
		}
	}
	same(t, "exact profiles", exact, want, true)
	same(t, "profile of time", time, want, true)
	same(t, "all profiles, operations counted", all, want, true)
	same(t, "profiles without phase B", other, want, true)
}
