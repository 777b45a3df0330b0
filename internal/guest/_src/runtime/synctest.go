package runtime

import "unsafe"

// Package internal/synctest: bubbles with a clock of their own are not there yet.
// What the rest of the runtime knows of them is g.bubble, which goroutines
// inherit (inherit in proc.go) and which time asks for; it is always nil.

type synctestBubble struct{}

const nosynctest = "testing/synctest is not supported by gyr yet"

//go:linkname synctest_isInBubble internal/synctest.IsInBubble
func synctest_isInBubble() bool { return getg().bubble != nil }

//go:linkname synctestRun internal/synctest.Run
func synctestRun(f func()) { panic(nosynctest) }

//go:linkname synctestWait internal/synctest.Wait
func synctestWait() { panic("goroutine is not in a bubble") }

// acquire returns the current bubble, which is to say none.
//
//go:linkname synctest_acquire internal/synctest.acquire
func synctest_acquire() any { return nil }

//go:linkname synctest_release internal/synctest.release
func synctest_release(bubble any) { panic(nosynctest) }

//go:linkname synctest_inBubble internal/synctest.inBubble
func synctest_inBubble(bubble any, f func()) { panic(nosynctest) }

// associate answers Unbubbled: there is no bubble to associate with.
//
//go:linkname synctest_associate internal/synctest.associate
func synctest_associate(p unsafe.Pointer) int { return 0 }

//go:linkname synctest_disassociate internal/synctest.disassociate
func synctest_disassociate(p unsafe.Pointer) {}

//go:linkname synctest_isAssociated internal/synctest.isAssociated
func synctest_isAssociated(p unsafe.Pointer) bool { return false }
