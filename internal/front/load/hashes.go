package load

// SHA-256 in tests. The test binary of the go command has crypto/sha256 by way of internal/fuzz, whether the package under
// test imports it or not, and tests use crypto.SHA256 without noticing that nothing of theirs registers it. Where package
// crypto is in a test binary, so is crypto/sha256; the others do not carry it.

const (
	hashesPath = "crypto"
	sha256Path = "crypto/sha256"
)

// addHashes makes crypto/sha256 a package of the test binary, if that has a registry of hashes.
func (l *loader) addHashes(main *pkg) {
	l.mu.Lock()
	needed := false
	for _, p := range l.pkgs {
		needed = needed || p.path == hashesPath && p.origin.std()
	}
	l.mu.Unlock()
	if !needed || main.imports == nil {
		return
	}
	if pl, ok := l.stdPlace(sha256Path); ok {
		main.imports[sha256Path] = l.need(pl)
		l.wg.Wait()
	}
}
