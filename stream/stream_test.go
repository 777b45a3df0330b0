package stream_test

import (
	"fmt"
	"testing"
)

// TestCounts: messages are counted, each once, over partitions.
func TestCounts(t *testing.T) {
	p := newPipe(t, 4, nil)
	for i := range 300 {
		p.count(fmt.Sprintf("k%d", i%17), i, i)
	}
	stop := p.start()
	for i := range 300 {
		p.count(fmt.Sprintf("k%d", i%17), i, 300+i)
	}
	p.settle(600)
	stop()
	p.check()
}
