package proof

import (
	"bytes"
	"context"
	"testing"

	"github.com/gyrvm/gyr"
)

// TestImage: a program from a portable image gives the output, gas and heap
// figures of the source, and building it twice gives the same bytes.
func TestImage(t *testing.T) {
	dir, err := suiteDir()
	if err != nil {
		t.Fatal(err)
	}
	image, err := gyr.Build(context.Background(), gyr.Source{Dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := gyr.Build(context.Background(), gyr.Source{Dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(image, again) {
		t.Error("two builds differ")
	}
	t.Logf("%d bytes", len(image))
	p := compileImage(t, image, nil)
	got, err := runSuite(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "from an image", got, reference(t), true)
}
