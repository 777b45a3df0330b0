package bloop

import "testing"

// Each benchmark computes a product with a factor of its own that nobody wants. TestLoopOverB compares what gc and gyr leave
// of them.

var input = 3

type small struct{ a, b int }

type large struct{ a, b, c, d, e, f int }

func (small) use(int) {}

func use(int) {}

func useAll(...int) {}

func pair(x int) (int, int) { return x, 1 }

func times0(x int) int { return x * 1000003 }

// kept: yes
func BenchmarkName(b *testing.B) {
	var x int
	for b.Loop() {
		v := input
		x = times0(v)
	}
	_ = x
}

func times1(x int) int { return x * 1000005 }

// kept: yes
func BenchmarkDefine(b *testing.B) {

	for b.Loop() {
		v := input
		x := times1(v)
		_ = x
	}

}

func times2(x int) int { return x * 1000007 }

// kept: yes
func BenchmarkBlank(b *testing.B) {

	for b.Loop() {
		v := input
		_ = times2(v)
	}

}

func times3(x int) int { return x * 1000009 }

// kept: yes
func BenchmarkResult(b *testing.B) {

	for b.Loop() {
		v := input
		times3(v)
	}

}

func times4(x int) int { return x * 1000011 }

// kept: yes
func BenchmarkResults(b *testing.B) {

	for b.Loop() {
		v := input
		pair(times4(v))
	}

}

func times5(x int) int { return x * 1000013 }

// kept: yes
func BenchmarkArgument(b *testing.B) {

	for b.Loop() {
		v := input
		use(times5(v))
	}

}

func times6(x int) int { return x * 1000015 }

// kept: yes
func BenchmarkArgumentOfMethod(b *testing.B) {
	var t small
	for b.Loop() {
		v := input
		t.use(times6(v))
	}

}

func times7(x int) int { return x * 1000017 }

// kept: yes
func BenchmarkArgumentOfVariadic(b *testing.B) {

	for b.Loop() {
		v := input
		useAll(1, times7(v))
	}

}

func times8(x int) int { return x * 1000019 }

// kept: yes
func BenchmarkArgumentThroughName(b *testing.B) {

	for b.Loop() {
		v := input
		x := times8(v)
		use(x)
	}

}

func times9(x int) int { return x * 1000021 }

// kept: yes
func BenchmarkOperation(b *testing.B) {
	var x int
	for b.Loop() {
		v := input
		x += times9(v)
	}
	_ = x
}

func times10(x int) int { return x * 1000023 }

// kept: yes
func BenchmarkField(b *testing.B) {
	var t small
	for b.Loop() {
		v := input
		t.a = times10(v)
	}
	_ = t
}

func times11(x int) int { return x * 1000025 }

// kept: yes
func BenchmarkFieldOfLarge(b *testing.B) {
	var t large
	for b.Loop() {
		v := input
		t.c = times11(v)
	}
	_ = t
}

func times12(x int) int { return x * 1000027 }

// kept: yes
func BenchmarkFieldThroughPointer(b *testing.B) {
	t := new(small)
	for b.Loop() {
		v := input
		t.a = times12(v)
	}
	_ = t
}

func times13(x int) int { return x * 1000029 }

// kept: yes
func BenchmarkElement(b *testing.B) {
	var a [4]int
	for b.Loop() {
		v := input
		a[1] = times13(v)
	}
	_ = a
}

func times14(x int) int { return x * 1000031 }

// kept: yes
func BenchmarkElementOfSlice(b *testing.B) {
	a := make([]int, 4)
	for b.Loop() {
		v := input
		a[1] = times14(v)
	}
	_ = a
}

func times15(x int) int { return x * 1000033 }

// kept: no
func BenchmarkPointer(b *testing.B) {
	p := new(int)
	for b.Loop() {
		v := input
		*p = times15(v)
	}
	_ = p
}

func times16(x int) int { return x * 1000035 }

// kept: yes
func BenchmarkLiteral(b *testing.B) {
	var t small
	for b.Loop() {
		v := input
		t = small{a: times16(v)}
	}
	_ = t
}

func times17(x int) int { return x * 1000037 }

// kept: yes
func BenchmarkLiteralOfLarge(b *testing.B) {
	var t large
	for b.Loop() {
		v := input
		t = large{c: times17(v)}
	}
	_ = t
}

func times18(x int) int { return x * 1000039 }

// kept: yes
func BenchmarkBlankLiteral(b *testing.B) {

	for b.Loop() {
		v := input
		_ = large{c: times18(v)}
	}

}

func times19(x int) int { return x * 1000041 }

// kept: yes
func BenchmarkLiteralOfArray(b *testing.B) {
	var a [4]int
	for b.Loop() {
		v := input
		a = [4]int{1, times19(v)}
	}
	_ = a
}

func times20(x int) int { return x * 1000043 }

// kept: yes
func BenchmarkLiteralOfSlice(b *testing.B) {
	var a []int
	for b.Loop() {
		v := input
		a = []int{1, times20(v)}
	}
	_ = a
}

func times21(x int) int { return x * 1000045 }

// kept: yes
func BenchmarkPointerToLiteral(b *testing.B) {
	var t *large
	for b.Loop() {
		v := input
		t = &large{c: times21(v)}
	}
	_ = t
}

func times22(x int) int { return x * 1000047 }

// kept: yes
func BenchmarkSeveral(b *testing.B) {
	var x, y int
	for b.Loop() {
		v := input
		x, y = 1, times22(v)
	}
	_, _ = x, y
}

func times23(x int) int { return x * 1000049 }

// kept: yes
func BenchmarkSeveralBlank(b *testing.B) {
	var x int
	for b.Loop() {
		v := input
		x, _ = 1, times23(v)
	}
	_ = x
}

func times24(x int) int { return x * 1000051 }

// kept: yes
func BenchmarkPair(b *testing.B) {
	var x int
	for b.Loop() {
		v := input
		x, _ = pair(times24(v))
	}
	_ = x
}

func times25(x int) int { return x * 1000053 }

// kept: yes
func BenchmarkDeclaration(b *testing.B) {

	for b.Loop() {
		v := input
		var x = times25(v)
		_ = x
	}

}

func times26(x int) int { return x * 1000055 }

// kept: yes
func BenchmarkConversion(b *testing.B) {
	var x int32
	for b.Loop() {
		v := input
		x = int32(times26(v))
	}
	_ = x
}

func times27(x int) int { return x * 1000057 }

// kept: yes
func BenchmarkInterface(b *testing.B) {
	var x any
	for b.Loop() {
		v := input
		x = times27(v)
	}
	_ = x
}

func times28(x int) int { return x * 1000059 }

// kept: yes
func BenchmarkCondition(b *testing.B) {
	var x int
	for b.Loop() {
		v := input
		if v > 5 {
			x = times28(v)
		}
	}
	_ = x
}

func times29(x int) int { return x * 1000061 }

// kept: yes
func BenchmarkElse(b *testing.B) {
	var x int
	for b.Loop() {
		v := input
		if v > 5 {
			x = 1
		} else {
			x = times29(v)
		}
	}
	_ = x
}

func times30(x int) int { return x * 1000063 }

// kept: yes
func BenchmarkElseIf(b *testing.B) {

	for b.Loop() {
		v := input
		if v > 5 {
		} else if v > 3 {
			_ = times30(v)
		}
	}

}

func times31(x int) int { return x * 1000065 }

// kept: yes
func BenchmarkBlock(b *testing.B) {

	for b.Loop() {
		v := input
		{
			_ = times31(v)
		}
	}

}

func times32(x int) int { return x * 1000067 }

// kept: yes
func BenchmarkLabel(b *testing.B) {

	for b.Loop() {
		v := input
	here:
		_ = times32(v)
		if v > 5 {
			goto here
		}
	}

}

func times33(x int) int { return x * 1000069 }

// kept: yes
func BenchmarkCase(b *testing.B) {

	for b.Loop() {
		v := input
		switch v {
		case 1:
		default:
			_ = times33(v)
		}
	}

}

func times34(x int) int { return x * 1000071 }

// kept: yes
func BenchmarkCaseOfType(b *testing.B) {
	var i any = input
	for b.Loop() {
		v := input
		switch i.(type) {
		case int:
			_ = times34(v)
		}
	}

}

func times35(x int) int { return x * 1000073 }

// kept: yes
func BenchmarkCaseOfSelect(b *testing.B) {
	c := make(chan int)
	for b.Loop() {
		v := input
		select {
		case <-c:
		default:
			_ = times35(v)
		}
	}

}

func times36(x int) int { return x * 1000075 }

// kept: yes
func BenchmarkLoop(b *testing.B) {

	for b.Loop() {
		v := input
		for range v {
			_ = times36(v)
		}
	}

}

func times37(x int) int { return x * 1000077 }

// kept: yes
func BenchmarkLoopOverSlice(b *testing.B) {
	a := make([]int, 4)
	for b.Loop() {
		v := input
		for i := range a {
			_ = times37(v)
			_ = i
		}
	}

}

func times38(x int) int { return x * 1000079 }

// kept: yes
func BenchmarkLoopWithCondition(b *testing.B) {

	for b.Loop() {
		v := input
		for i := 0; i < v; i++ {
			times38(v)
		}
	}

}

func times39(x int) int { return x * 1000081 }

// kept: no
func BenchmarkFunctionLiteral(b *testing.B) {

	for b.Loop() {
		v := input
		func() {
			_ = times39(v)
		}()
	}

}

func times40(x int) int { return x * 1000083 }

// kept: no
func BenchmarkInit(b *testing.B) {

	for b.Loop() {
		v := input
		if _ = times40(v); v > 5 {
		}
	}

}

func times41(x int) int { return x * 1000085 }

// kept: no
func BenchmarkInitOfLoop(b *testing.B) {

	for b.Loop() {
		v := input
		for _ = times41(v); v > 5; {
			break
		}
	}

}

func times42(x int) int { return x * 1000087 }

// kept: no
func BenchmarkInitOfSwitch(b *testing.B) {

	for b.Loop() {
		v := input
		switch _ = times42(v); v {
		}
	}

}

func times43(x int) int { return x * 1000089 }

// kept: no
func BenchmarkCounted(b *testing.B) {
	for range b.N {
		_ = times43(input)
	}
}

func times44(x int) int { return x * 1000091 }

type other struct{ n int }

func (o *other) Loop() bool { o.n--; return o.n > 0 }

// kept: no
func BenchmarkOtherLoop(b *testing.B) {
	o := other{b.N}
	for o.Loop() {
		_ = times44(input)
	}
}

func times45(x int) int { return x * 1000093 }

type embeds struct{ *testing.B }

// kept: yes
func BenchmarkEmbedded(b *testing.B) {
	e := embeds{b}
	for e.Loop() {
		_ = times45(input)
	}
}
