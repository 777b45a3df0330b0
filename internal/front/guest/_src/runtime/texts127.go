//go:build go1.27

package runtime

// Texts that differ by release.

const panicNilText = "runtime error: panic called with nil argument"
const synctestAsyncText = "" // asynctimerchan is false
