//go:build ignore

// Loops that count down, as for_checks has them that count up: the first index may be beyond a slice, and the
// last one negative.

package main

import "fmt"

const (
	most  = 1<<63 - 1
	least = -1 << 63
)

var log uint64

func note(x int) { log = (log ^ uint64(x)) * 1099511628211 }

func aboveOne(a, b []int, from, to, at int) {
	for i := from; i > to; i-- {
		a[i] += i
	}
}

func aboveBoth(a, b []int, from, to, at int) {
	for i := from; i > to; i-- {
		x := b[i]
		a[i] += x
	}
}

func abovePair(a, b []int, from, to, at int) {
	for i := from; i > to; i-- {
		x := a[i-1]
		a[i] += x
	}
}

func aboveAround(a, b []int, from, to, at int) {
	for i := from; i > to; i-- {
		x := b[i-2]
		a[i+3] += x
	}
}

func aboveStill(a, b []int, from, to, at int) {
	for i := from; i > to; i-- {
		x := b[at]
		a[i] += x
	}
}

func aboveSorted(a, b []int, from, to, at int) {
	for i := from; i > to; i-- {
		if a[i] < b[i-1] {
			note(i)
			return
		}
	}
}

func aboveUntil(a, b []int, from, to, at int) {
	for i := from; i > to; i-- {
		if a[i-1] == at {
			break
		}
		x := a[i]
		a[i-1] += x
	}
}

func aboveMaybe(a, b []int, from, to, at int) {
	for i := from; i > to; i-- {
		if i&3 == at&3 {
			a[i]++
		}
		b[i]--
	}
}

func atLeastOne(a, b []int, from, to, at int) {
	for i := from; i >= to; i-- {
		a[i] += i
	}
}

func atLeastBoth(a, b []int, from, to, at int) {
	for i := from; i >= to; i-- {
		x := b[i]
		a[i] += x
	}
}

func atLeastPair(a, b []int, from, to, at int) {
	for i := from; i >= to; i-- {
		x := a[i-1]
		a[i] += x
	}
}

func atLeastAround(a, b []int, from, to, at int) {
	for i := from; i >= to; i-- {
		x := b[i-2]
		a[i+3] += x
	}
}

func atLeastStill(a, b []int, from, to, at int) {
	for i := from; i >= to; i-- {
		x := b[at]
		a[i] += x
	}
}

func atLeastSorted(a, b []int, from, to, at int) {
	for i := from; i >= to; i-- {
		if a[i] < b[i-1] {
			note(i)
			return
		}
	}
}

func atLeastUntil(a, b []int, from, to, at int) {
	for i := from; i >= to; i-- {
		if a[i-1] == at {
			break
		}
		x := a[i]
		a[i-1] += x
	}
}

func atLeastMaybe(a, b []int, from, to, at int) {
	for i := from; i >= to; i-- {
		if i&3 == at&3 {
			a[i]++
		}
		b[i]--
	}
}

func aboveTwoOne(a, b []int, from, to, at int) {
	for i := from; i > to; i -= 2 {
		a[i] += i
	}
}

func aboveTwoBoth(a, b []int, from, to, at int) {
	for i := from; i > to; i -= 2 {
		x := b[i]
		a[i] += x
	}
}

func aboveTwoPair(a, b []int, from, to, at int) {
	for i := from; i > to; i -= 2 {
		x := a[i-1]
		a[i] += x
	}
}

func aboveTwoAround(a, b []int, from, to, at int) {
	for i := from; i > to; i -= 2 {
		x := b[i-2]
		a[i+3] += x
	}
}

func aboveTwoStill(a, b []int, from, to, at int) {
	for i := from; i > to; i -= 2 {
		x := b[at]
		a[i] += x
	}
}

func aboveTwoSorted(a, b []int, from, to, at int) {
	for i := from; i > to; i -= 2 {
		if a[i] < b[i-1] {
			note(i)
			return
		}
	}
}

func aboveTwoUntil(a, b []int, from, to, at int) {
	for i := from; i > to; i -= 2 {
		if a[i-1] == at {
			break
		}
		x := a[i]
		a[i-1] += x
	}
}

func aboveTwoMaybe(a, b []int, from, to, at int) {
	for i := from; i > to; i -= 2 {
		if i&3 == at&3 {
			a[i]++
		}
		b[i]--
	}
}

func aboveZeroOne(a, b []int, from, to, at int) {
	for i := from; i > 0; i-- {
		a[i] += i
	}
}

func aboveZeroBoth(a, b []int, from, to, at int) {
	for i := from; i > 0; i-- {
		x := b[i]
		a[i] += x
	}
}

func aboveZeroPair(a, b []int, from, to, at int) {
	for i := from; i > 0; i-- {
		x := a[i-1]
		a[i] += x
	}
}

func aboveZeroAround(a, b []int, from, to, at int) {
	for i := from; i > 0; i-- {
		x := b[i-2]
		a[i+3] += x
	}
}

func aboveZeroStill(a, b []int, from, to, at int) {
	for i := from; i > 0; i-- {
		x := b[at]
		a[i] += x
	}
}

func aboveZeroSorted(a, b []int, from, to, at int) {
	for i := from; i > 0; i-- {
		if a[i] < b[i-1] {
			note(i)
			return
		}
	}
}

func aboveZeroUntil(a, b []int, from, to, at int) {
	for i := from; i > 0; i-- {
		if a[i-1] == at {
			break
		}
		x := a[i]
		a[i-1] += x
	}
}

func aboveZeroMaybe(a, b []int, from, to, at int) {
	for i := from; i > 0; i-- {
		if i&3 == at&3 {
			a[i]++
		}
		b[i]--
	}
}

func zeroOne(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 0; i-- {
		a[i] += i
	}
}

func zeroBoth(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 0; i-- {
		x := b[i]
		a[i] += x
	}
}

func zeroPair(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 0; i-- {
		x := a[i-1]
		a[i] += x
	}
}

func zeroAround(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 0; i-- {
		x := b[i-2]
		a[i+3] += x
	}
}

func zeroStill(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 0; i-- {
		x := b[at]
		a[i] += x
	}
}

func zeroSorted(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] < b[i-1] {
			note(i)
			return
		}
	}
}

func zeroUntil(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i-1] == at {
			break
		}
		x := a[i]
		a[i-1] += x
	}
}

func zeroMaybe(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 0; i-- {
		if i&3 == at&3 {
			a[i]++
		}
		b[i]--
	}
}

func oneOne(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 1; i -= 3 {
		a[i] += i
	}
}

func oneBoth(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 1; i -= 3 {
		x := b[i]
		a[i] += x
	}
}

func onePair(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 1; i -= 3 {
		x := a[i-1]
		a[i] += x
	}
}

func oneAround(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 1; i -= 3 {
		x := b[i-2]
		a[i+3] += x
	}
}

func oneStill(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 1; i -= 3 {
		x := b[at]
		a[i] += x
	}
}

func oneSorted(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 1; i -= 3 {
		if a[i] < b[i-1] {
			note(i)
			return
		}
	}
}

func oneUntil(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 1; i -= 3 {
		if a[i-1] == at {
			break
		}
		x := a[i]
		a[i-1] += x
	}
}

func oneMaybe(a, b []int, from, to, at int) {
	for i := len(a) - 1; i >= 1; i -= 3 {
		if i&3 == at&3 {
			a[i]++
		}
		b[i]--
	}
}

func beforeOne(a, b []int, from, to, at int) {
	for i := from; i-1 > to; i-- {
		a[i] += i
	}
}

func beforeBoth(a, b []int, from, to, at int) {
	for i := from; i-1 > to; i-- {
		x := b[i]
		a[i] += x
	}
}

func beforePair(a, b []int, from, to, at int) {
	for i := from; i-1 > to; i-- {
		x := a[i-1]
		a[i] += x
	}
}

func beforeAround(a, b []int, from, to, at int) {
	for i := from; i-1 > to; i-- {
		x := b[i-2]
		a[i+3] += x
	}
}

func beforeStill(a, b []int, from, to, at int) {
	for i := from; i-1 > to; i-- {
		x := b[at]
		a[i] += x
	}
}

func beforeSorted(a, b []int, from, to, at int) {
	for i := from; i-1 > to; i-- {
		if a[i] < b[i-1] {
			note(i)
			return
		}
	}
}

func beforeUntil(a, b []int, from, to, at int) {
	for i := from; i-1 > to; i-- {
		if a[i-1] == at {
			break
		}
		x := a[i]
		a[i-1] += x
	}
}

func beforeMaybe(a, b []int, from, to, at int) {
	for i := from; i-1 > to; i-- {
		if i&3 == at&3 {
			a[i]++
		}
		b[i]--
	}
}

func fixedOne(a, b []int, from, to, at int) {
	for i := 9; i > 1; i-- {
		a[i] += i
	}
}

func fixedBoth(a, b []int, from, to, at int) {
	for i := 9; i > 1; i-- {
		x := b[i]
		a[i] += x
	}
}

func fixedPair(a, b []int, from, to, at int) {
	for i := 9; i > 1; i-- {
		x := a[i-1]
		a[i] += x
	}
}

func fixedAround(a, b []int, from, to, at int) {
	for i := 9; i > 1; i-- {
		x := b[i-2]
		a[i+3] += x
	}
}

func fixedStill(a, b []int, from, to, at int) {
	for i := 9; i > 1; i-- {
		x := b[at]
		a[i] += x
	}
}

func fixedSorted(a, b []int, from, to, at int) {
	for i := 9; i > 1; i-- {
		if a[i] < b[i-1] {
			note(i)
			return
		}
	}
}

func fixedUntil(a, b []int, from, to, at int) {
	for i := 9; i > 1; i-- {
		if a[i-1] == at {
			break
		}
		x := a[i]
		a[i-1] += x
	}
}

func fixedMaybe(a, b []int, from, to, at int) {
	for i := 9; i > 1; i-- {
		if i&3 == at&3 {
			a[i]++
		}
		b[i]--
	}
}

func lateAbove(a, b []int, from, to, at int) {
	for i := from; ; i -= 1 {
		x := b[i-1]
		a[i] += x
		if !(i > to) {
			break
		}
	}
}

func lateAtLeast(a, b []int, from, to, at int) {
	for i := from; ; i -= 2 {
		x := b[i-1]
		a[i] += x
		if !(i >= to) {
			break
		}
	}
}

func lateZero(a, b []int, from, to, at int) {
	for i := from; ; i -= 1 {
		x := b[i-1]
		a[i] += x
		if !(i >= 0) {
			break
		}
	}
}

func narrow(a, b []int, from, to, at int) {
	for i := int8(from); i > int8(to); i-- {
		x := b[i-1]
		a[i] += x
	}
}

func unsigned(a, b []int, from, to, at int) {
	for i := uint(from); i > uint(to); i-- {
		x := b[i-1]
		a[i] += x
	}
}

func insertion(a, b []int, from, to, at int) {
	to = min(to, 40)
	for i := to + 1; i < from; i++ {
		for j := i; j > to && a[j] < a[j-1]; j-- {
			a[j], a[j-1] = a[j-1], a[j]
		}
	}
}

var loops = []func(a, b []int, from, to, at int){
	aboveOne,
	aboveBoth,
	abovePair,
	aboveAround,
	aboveStill,
	aboveSorted,
	aboveUntil,
	aboveMaybe,
	atLeastOne,
	atLeastBoth,
	atLeastPair,
	atLeastAround,
	atLeastStill,
	atLeastSorted,
	atLeastUntil,
	atLeastMaybe,
	aboveTwoOne,
	aboveTwoBoth,
	aboveTwoPair,
	aboveTwoAround,
	aboveTwoStill,
	aboveTwoSorted,
	aboveTwoUntil,
	aboveTwoMaybe,
	aboveZeroOne,
	aboveZeroBoth,
	aboveZeroPair,
	aboveZeroAround,
	aboveZeroStill,
	aboveZeroSorted,
	aboveZeroUntil,
	aboveZeroMaybe,
	zeroOne,
	zeroBoth,
	zeroPair,
	zeroAround,
	zeroStill,
	zeroSorted,
	zeroUntil,
	zeroMaybe,
	oneOne,
	oneBoth,
	onePair,
	oneAround,
	oneStill,
	oneSorted,
	oneUntil,
	oneMaybe,
	beforeOne,
	beforeBoth,
	beforePair,
	beforeAround,
	beforeStill,
	beforeSorted,
	beforeUntil,
	beforeMaybe,
	fixedOne,
	fixedBoth,
	fixedPair,
	fixedAround,
	fixedStill,
	fixedSorted,
	fixedUntil,
	fixedMaybe,
	lateAbove,
	lateAtLeast,
	lateZero,
	narrow,
	unsigned,
	insertion,
}

// run notes what a loop does, how it ends, and what it leaves.
func run(loop func(a, b []int, from, to, at int), la, lb, from, to, at int) {
	var x, y [32]int
	for i := range x {
		x[i], y[i] = i*at^5, 3*i+1
	}
	defer func() {
		if r := recover(); r != nil {
			for _, c := range []byte(fmt.Sprint(r)) {
				note(int(c))
			}
		}
		for i := range x {
			note(x[i] ^ y[i]<<20)
		}
	}()
	loop(x[:la], y[:lb], from, to, at)
}

func main() {
	seed := uint32(1)
	random := func(n int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>8) % n
	}
	ends := []int{least, least + 1, most - 1, most, most - 3, 1 << 62, -1 << 62}
	near := func(n int) int {
		if random(12) == 0 {
			return ends[random(len(ends))]
		}
		return random(n) - 3
	}
	for n, loop := range loops {
		log = 14695981039346656037
		for range 200 {
			la, lb := random(33), random(33)
			from, to := near(36), near(12)
			if random(2) == 0 {
				from = min(la, lb) - 1 - random(3)
			}
			run(loop, la, lb, from, to, random(20)-1)
		}
		fmt.Printf("%016x", log)
		if n%4 == 3 || n == len(loops)-1 {
			fmt.Println()
		} else {
			fmt.Print(" ")
		}
	}
}

// Output:
// 7b7378c83840f13a 33e7b56aeeaffb76 5020dfbd5c17edb3 062420d601cf0bb7
// a42d478b8f4dd85f 31672caed865f4e7 f30883bb35ddae9d 37b932c86af7daaa
// 7c9ddc9a7a894137 4bbb5e43d7e0791f 2462136bd6baa7f3 ec73a7cd9af12375
// 01db6d3a8c16a4d0 3435a141f16fcfe1 a301d5b1cb9fb38f 91912f19f2bc0501
// 4bd93bd55816eb08 067430b8bbcc59f2 19077ffa7db3afa7 9a40adc14eb8a17f
// 92028dd30fccc046 df2f6cc6b5b90c52 42934deabe7a30e0 a9958cf88c5e9856
// c573ffd9e3b8135d fb74d73db26b2613 0f9bd9b87ad13803 510dbaeb3d3b8779
// 0b06c5993a2de31f de8ebbed2e174f59 d83c96c2a80d781f a571f3ff6bc6ac02
// dba64b1d00faaeb0 4d8d6011c3a6c6b9 c52c0c62df6b5af0 044864f23bd22957
// 75e8f1777cd79bfd 6a4225fdc92b831f fcb5d3fa91731a8b 983a731e6888f87a
// e2f34e7a13818fc1 feb5115b790b4b4d 3e6013a3b195261e a1310c4ffc5a9f4c
// 2d31a0e013e53d86 04b362bcd0edfbfe d85e9a171b2e9b8d cee0772785008c8b
// 5c49281fc2591d60 3a3ee70ec27ebe1e 876bed50edd9814a e6d6974524e7382e
// c886dc91403ed2c8 fcff7f2ce3e973bc ed2993f512f7a242 f1ceb4d2070ec293
// 75b67e48abbd8af3 b08b502848c2bf85 6c03189d948a979a f571b1599fa73c45
// 74faa3928c663907 5a5c3d6010f1f78f bdd7a97d1427f74d 2a70f8503698becf
// 3190333fee2c3556 a2bdbc6319a73e5e c8281d5628aff905 ed74764eef4c6007
// e610ae49f81eefd0 528bfb315babbe62
