package load

// SHA-256 in tests. The go command's test binary has crypto/sha256 by way of internal/fuzz, whether
// the package under test imports it or not. So tests use crypto.SHA256 without noticing that none
// of their imports registers it. If a test binary has package crypto, addHashes adds crypto/sha256;
// other test binaries do not carry it.

const (
	hashesPath = "crypto"
	sha256Path = "crypto/sha256"
)

// addHashes makes crypto/sha256 a package of the test binary if the binary has the registry of
// hashes.
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
