package wasi

import (
	"encoding/pem"
	"errors"
	"testing/fstest"
)

// The certificates that a guest trusts are a file in its tree, at the place where crypto/x509 looks
// on Linux (front/guest/_src/answers/crypto/x509).

const (
	rootsDir  = "/etc/ssl/certs"
	rootsFile = "ca-certificates.crt"
)

// grantRoots makes a grant of certificates.
func grantRoots(text []byte) (*grant, error) {
	if b, _ := pem.Decode(text); b == nil || b.Type != "CERTIFICATE" {
		return nil, &GrantError{"Roots", errors.New("it does not begin with a certificate in PEM form")}
	}
	return &grant{field: "Roots", guest: rootsDir, what: "Config.Roots", volume: &volume{
		fs: fstest.MapFS{rootsFile: {Data: text, Mode: 0o444}}, name: "Config.Roots", quick: true}}, nil
}
