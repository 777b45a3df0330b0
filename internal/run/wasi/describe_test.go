package wasi

import (
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// flat is memory of a fixed size.
type flat []byte

func (flat) Overlaps(uint64, uint64) bool { return false }

func (m flat) Bytes(off, n uint64) ([]byte, bool) {
	if off > uint64(len(m)) || n > uint64(len(m))-off {
		return nil, false
	}
	return m[off : off+n], true
}

func TestDescribe(t *testing.T) {
	mem := make(flat, 4096)
	copy(mem[100:], "name")
	le.PutUint32(mem[200:], 100) // two buffers
	le.PutUint32(mem[204:], 3)
	le.PutUint32(mem[208:], 100)
	le.PutUint32(mem[212:], 4)
	le.PutUint32(mem[300:], 42)
	far := uint64(1) << 31
	for _, test := range []struct {
		name string
		args []uint64
		e    Errno
		want string
	}{
		{"fd_write", []uint64{1, 200, 2, 300}, Success, "fd_write(1, 7) = 42"},
		{"fd_write", []uint64{9, 200, 2, 300}, EBADF, "fd_write(9, 7) = EBADF"},
		{"fd_write", []uint64{1, far, 2, far}, EFAULT, "fd_write(1, ?) = EFAULT"},
		{"fd_write", []uint64{1, 200, 1 << 31, 300}, EINVAL, "fd_write(1, ?) = EINVAL"},
		{"path_open", []uint64{3, 1, 100, 4, 1, 0, 0, 0, 300}, Success, `path_open(3, "name", 1, 0) = 42`},
		{"path_open", []uint64{3, 1, far, 4, 1, 0, 0, 0, far}, Success, `path_open(3, ?, 1, 0)`},
		{"path_open", []uint64{3, 1, 0, 4000, 0, 0, 0, 0, 300}, ENOENT, `path_open(3, "` + strings.Repeat(`\x00`, 100) + "name"},
		{"open", []uint64{3, 1, 100, 4, 1, 0, 0, 0, 0o640, 300}, Success, `open(3, "name", 1, 0, 0640) = 42`},
		{"chmod", []uint64{3, 1, 100, 4, 0}, EROFS, `chmod(3, "name", 0) = EROFS`},
		{"random_get", []uint64{100, 16}, Success, "random_get(16)"},
		{"proc_exit", []uint64{3}, Exited, "proc_exit(3)"},
		{"sched_yield", nil, 4321, "sched_yield() = errno 4321"},
	} {
		var args ir.Args
		copy(args[:], test.args)
		if got := Describe(mem, test.name, &args, test.e); !strings.HasPrefix(got, test.want) || len(test.want) < 50 && got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
	for name := range Funcs {
		if _, ok := shapes[name]; !ok {
			t.Errorf("no shape of %s", name)
		}
	}
}
