//go:build !go1.27

package runtime

// Texts that differ by release.

const panicNilText = "panic called with nil argument"
const synctestAsyncText = "synctest.Run not supported with asynctimerchan!=0"
