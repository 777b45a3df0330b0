package embedding_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

// A base with an unusable precompiled standard library is refused with an error type of this
// package, which names the cure.
func TestUnfitStd(t *testing.T) {
	for _, std := range [][]byte{{}, []byte("no such thing"), []byte("gyr std\x01 cut off")} {
		_, err := gyr.OpenBase(t.Context(), gyr.BaseConfig{Std: std})
		var refused *gyr.StdError
		if !errors.As(err, &refused) || refused.Cure == "" || !strings.HasSuffix(err.Error(), refused.Cure) {
			t.Errorf("%q: %v", std, err)
		}
	}
}
