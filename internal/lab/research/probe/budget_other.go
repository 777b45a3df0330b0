//go:build !unix

package probe

import "time"

// began is when the process began.
var began = time.Now()

// processTime is the clock's time here, which is never less than the processor's.
func processTime() time.Duration { return time.Since(began) }
