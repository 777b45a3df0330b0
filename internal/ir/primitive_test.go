package ir

import (
	"strings"
	"testing"
)

// TestPrimitives: every line of the table of host functions is complete and agrees with itself.
func TestPrimitives(t *testing.T) {
	yields := 0
	for i := range Primitives {
		h := &Primitives[i]
		sig := h.Signature()
		if h.Name == "" || PrimitiveNamed(h.Name) != h {
			t.Errorf("%q is in the table twice", h.Name)
		}
		if strings.Count(h.Sig, ":") != 1 || !validSig(&sig) || sig.Key() != h.Sig {
			t.Errorf("%s: %q is no signature", h.Name, h.Sig)
		}
		params, _, _ := strings.Cut(h.Sig, ":")
		if h.Memory == 0 || h.Memory > KeepsMemory || strings.Contains(params, "p") == (h.Memory == UsesNoMemory) {
			t.Errorf("%s: what happens to the memory it is passed is missing, or it is passed none", h.Name)
		}
		if h.Memory == ReturnsMemory && !strings.Contains(h.Sig[len(params):], "p") {
			t.Errorf("%s: an address is in the results, which have none", h.Name)
		}
		if h.Price == 0 || h.Price >= NumPrimitivePrices {
			t.Errorf("%s has no price, and does not say that it is free", h.Name)
		}
		if h.Flags&^allPrimitiveFlags != 0 || h.Is(Yields|Switches|StartsInits) && h.Is(AllocatesType) {
			t.Errorf("%s: flags %b", h.Name, h.Flags)
		}
		if h.Is(Yields) {
			yields++
		}
		if h.Is(AllocatesType) && h.Sig != "lpl:p" {
			t.Errorf("%s: back ends make an allocation in line of (size, type, count)", h.Name)
		}
		wants := map[HowCounted]string{CountedWork: "l", BufferWork: "w", VectorWork: "pw"}
		switch w := h.Work; {
		case w == noWork:
		case w.How >= numHowCounted || w.Weight == 0 || w.Weight >= NumWorkWeights || int(w.Arg) >= len(params):
			t.Errorf("%s: counted work %v", h.Name, w)
		case !strings.HasPrefix(params[w.Arg:], wants[w.How]):
			t.Errorf("%s: operand %d of %s cannot count its work", h.Name, w.Arg, h.Sig)
		}
	}
	if yields != 1 {
		t.Errorf("%d functions yield, tiers know one", yields)
	}
	if i := (&Primitive{Name: "no such function"}).Info(); i.Memory != KeepsMemory || i.Flags != 0 {
		t.Error("something is known of a function that does not exist")
	}
}
