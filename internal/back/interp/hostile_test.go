package interp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/rt"
)

const hostileText = `
data 64
  0x10020 0300000000000000
  0x10028 2a00000000000000
layout 1 size 16 ptrs 0x3
root 0x10000 layout 1 count 1
bss 32704
host 0 "gc" () -> ()
func @main #1 () -> () {
b0:
  v1 = const i64 0
  v2 = const ptr 0
  v3 = const i64 SEED
  v60 = const i64 500000
  v61 = newarray ptr v60 [0, 8]
  v62 = const ptr 0x10000
  store v62 v61 [0]
  jump b1
b1: <- b0 b3
  v4 = phi i64 v1 v40
  v5 = phi i64 v3 v9
  v6 = phi ptr v2 v20
  gasloop [7]
  v7 = const i64 6364136223846793005
  v8 = mul i64 v5 v7
  v10 = const i64 1442695040888963407
  v9 = add i64 v8 v10
  v11 = const i64 33
  v12 = shru i64 v9 v11
  v13 = const i64 MASK
  v14 = and i64 v12 v13
  v15 = const i64 0x10000
  v16 = add i64 v14 v15
  v17 = inttoptr ptr v16
  store v17 v9 [0]
  v18 = load ptr v17 [4]
  v20 = call ptr @node v6 v18 : (ptr, ptr) -> (ptr)
  v21 = const ptr 0x10020
  v22 = const i64 63
  v23 = and i64 v4 v22
  v24 = eq i8 v23 v1
  if v24 b2 b3
b2: <- b1
  gas [1]
  v25 = callclosure i64 v21 v9 : (i64) -> (i64)
  host [0] : () -> ()
  v26 = load i64 v20 [8]
  v27 = callclosure i64 v21 v26 : (i64) -> (i64)
  jump b3
b3: <- b1 b2
  v39 = const i64 1
  v40 = add i64 v4 v39
  v41 = const i64 COUNT
  v42 = lts i8 v40 v41
  if v42 b1 b4
b4: <- b3
  ret
}
func @node #2 (ptr, ptr) -> (ptr) {
  local 0 "p" size 48 align 8 ptrs 0x5
b0:
  v1 = arg ptr [0]
  v2 = arg ptr [1]
  v3 = new ptr [1, 16]
  store v3 v1 [0]
  store v3 v2 [8]
  v4 = localaddr ptr [0]
  move v4 v3 [16]
  v5 = load ptr v4 [0]
  v6 = const i64 100
  v7 = newarray ptr v6 [1, 16]
  v8 = const i64 1600
  moven v7 v3 v8
  v9 = memhash i64 v7 v8 v6
  store v4 v9 [40]
  ret v3
}
func @closure #3 (i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  v2 = closure ptr
  v3 = load i64 v2 [8]
  v4 = add i64 v1 v3
  ret v4
}
entry @main
`

// A guest that writes random words over its memory ends with some status, and
// nothing happens to the host.
func TestHostileMemory(t *testing.T) {
	ends := map[string]int{}
	for seed := 0; seed < 60; seed++ {
		mask := []string{"0x7f00", "0x1ffff", "0x3ffff8", "0xffffffff", "0x3fffff"}[seed%5]
		text := strings.NewReplacer("SEED", fmt.Sprint(seed*7919), "MASK", mask, "COUNT", "20000").Replace(hostileText)
		rc := rt.Config{Config: api.Config{Memory: 8 << 20, Gas: 400_000}}
		if seed%3 == 0 {
			rc.Debug.GCStress = 50
		}
		m := machine(t, parse(t, text), rc, Options{})
		st := m.Run()
		if m.VM.Finish(st) == nil && st != rt.Exit {
			t.Errorf("status %d without an error", st)
		}
		ends[fmt.Sprintf("%.30v", m.VM.Finish(st))]++
	}
	t.Log(ends)
}
