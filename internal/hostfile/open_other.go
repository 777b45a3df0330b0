//go:build !unix

package hostfile

import "os"

const openFlags, noFollow = os.O_RDONLY, 0
