//go:build go1.17 && !unix

package probe

import "time"

// began is when the process began.
var began = time.Now()

// processTime is wall time here, which is never less than processor time.
func processTime() time.Duration { return time.Since(began) }
